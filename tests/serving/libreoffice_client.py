"""Ask LibreOffice's own LanguageTool client to check a paragraph, by UNO.

    /usr/bin/python3 libreoffice_client.py PROFILE BASE_URL < paragraph > errors.json

Runs under the Python that has LibreOffice's `uno`, so it knows nothing of emendo. Starts a headless
Writer with a profile of its own, sets the address under Tools, Options, LanguageTool Server, puts
the paragraph into a document, and has the checker proofread it as it stands there.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.connection import NoConnectException
from com.sun.star.lang import Locale

LANGUAGETOOL = "/org.openoffice.Office.Linguistic/GrammarChecking/LanguageTool"
CHECKER = "org.openoffice.lingu.LanguageToolGrammarChecker"
SECONDS = 60


def named(name, value):
    result = PropertyValue()
    result.Name, result.Value = name, value
    return result


def connect(pipe):
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext(
        "com.sun.star.bridge.UnoUrlResolver", local
    )
    for _ in range(SECONDS * 5):
        try:
            return resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
        except NoConnectException:
            time.sleep(0.2)
    sys.exit("LibreOffice did not start")


def point_at(context, url):
    provider = context.ServiceManager.createInstanceWithContext(
        "com.sun.star.configuration.ConfigurationProvider", context
    )
    settings = provider.createInstanceWithArguments(
        "com.sun.star.configuration.ConfigurationUpdateAccess", (named("nodepath", LANGUAGETOOL),)
    )
    settings.BaseURL, settings.IsEnabled = url, True
    settings.commitChanges()


def proofread(context, paragraph):
    desktop = context.ServiceManager.createInstanceWithContext(
        "com.sun.star.frame.Desktop", context
    )
    document = desktop.loadComponentFromURL(
        "private:factory/swriter", "_blank", 0, (named("Hidden", True),)
    )
    document.Text.String = paragraph
    checker = context.ServiceManager.createInstanceWithContext(CHECKER, context)
    locale = Locale("en", "US", "")
    text = document.Text.String
    result = checker.doProofreading("document", text, locale, 0, len(text), ())
    document.close(True)
    return [
        {
            "start": error.nErrorStart,
            "length": error.nErrorLength,
            "rule": error.aRuleIdentifier,
            "message": error.aFullComment or error.aShortComment,
            "suggestions": list(error.aSuggestions),
        }
        for error in result.aErrors
    ]


def main():
    profile, url = sys.argv[1:]
    pipe = f"emendo{Path(profile).name}"
    office = subprocess.Popen(
        [
            *("soffice", "--headless", "--invisible", "--norestore", "--nologo"),
            *(f"-env:UserInstallation={Path(profile).as_uri()}", f"--accept=pipe,name={pipe};urp;"),
        ]
    )
    try:
        context = connect(pipe)
        point_at(context, url)
        json.dump(proofread(context, sys.stdin.read()), sys.stdout)
    finally:
        office.terminate()
        office.wait(timeout=SECONDS)


if __name__ == "__main__":
    main()
