"""Every route of the app, also those that are added later: keys, hosts and the origins of web pages."""

import asyncio

import pytest

from emendo import Editor
from emendo.serving.access import ApiKey
from emendo.serving.app import create_app
from emendo.serving.settings import ServerSettings
from tests.scribe import Scribe
from tests.serving.conftest import KEY, client_of

ROUTES = sorted(
    (method, path.replace("{name}", "app.js"))
    for path, methods in create_app(Editor(Scribe()), ServerSettings()).routes
    for method in methods
    if method != "HEAD"
)
# Without a key: those who watch the server, the page, which asks for one, and what says how to ask.
PUBLIC = {
    *("/health", "/ready", "/v2/healthcheck"),
    *("/", "/page/app.js", "/docs", "/openapi.json"),
    "/v2/maxtextlength",
}
HOSTS = ["localhost.evil.com", "evil.com", "127.0.0.1.evil.com", "localhost:8081.evil.com", ""]
ORIGINS = ["http://localhost.evil.com", "https://evil.com", "null", "http://127.0.0.1.evil.com"]

every_route = pytest.mark.parametrize(("method", "path"), ROUTES)


def ask(client, method, path, **headers):
    """Ask as one who knows the API would."""
    content = {"json": {"text": "This is teh dog."}} if path.startswith("/v1/") else {}
    if path.startswith("/v2/"):
        content = {"data": {"language": "en", "text": "This is teh dog.", "word": "teh"}}
    if method == "GET":
        content = {"params": content.get("data", {})}
    return client.request(method, path, headers=headers, **content)


def test_all_are_walked():
    assert {path for _, path in ROUTES} >= {"/v1/edit", "/v2/check", "/metrics", *PUBLIC}


@every_route
def test_a_key_is_needed(editor, method, path):
    with client_of(editor, api_keys=(ApiKey.parse(f"me:{KEY}"),)) as client:
        for headers in ({}, {"X-API-Key": "wrong-key-wrong-key"}):
            status = ask(client, method, path, **headers).status_code
            if path in PUBLIC:
                assert status == 200
            else:
                assert status == (403 if path.startswith("/v2/") else 401)
        assert ask(client, method, path, **{"X-API-Key": KEY}).status_code == 200


@every_route
@pytest.mark.parametrize("host", HOSTS)
def test_a_server_for_this_machine_answers_to_no_other_name(client, method, path, host):
    assert ask(client, method, path, Host=host).status_code == 403


@every_route
@pytest.mark.parametrize("origin", ORIGINS)
def test_no_web_page_may_ask(client, method, path, origin):
    answer = ask(client, method, path, Origin=origin)
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers
    for own in ("http://127.0.0.1", "chrome-extension://abc", "moz-extension://abc"):
        assert ask(client, method, path, Origin=own).status_code == 200


@every_route
def test_no_web_page_may_embed_an_answer(client, method, path):
    """A picture or a script of a foreign page is requested without an origin."""
    for site in ("cross-site", "same-site"):
        fetch = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"}
        assert ask(client, method, path, **fetch).status_code == 403
    # The page itself, a link to it from elsewhere, and an extension.
    for site, mode in (("same-origin", "no-cors"), ("cross-site", "navigate"), ("none", "cors")):
        fetch = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode}
        assert ask(client, method, path, **fetch).status_code == 200


@every_route
@pytest.mark.parametrize("origin", ORIGINS)
def test_where_keys_are_needed_pages_read_no_answers(editor, method, path, origin):
    settings = {"api_keys": (ApiKey.parse(f"me:{KEY}"),), "cors_origins": ("https://good.com",)}
    with client_of(editor, **settings) as client:
        answer = ask(client, method, path, Origin=origin, **{"X-API-Key": KEY})
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    ("method", "path"),
    [each for each in ROUTES if each[1] not in PUBLIC and not each[1].startswith("/v2/")],
)
def test_before_a_key_is_known_no_body_is_read(editor, method, path):
    """Under /v2, where LanguageTool's clients send a key in the body, it must be."""
    app = create_app(editor, ServerSettings(api_keys=(ApiKey.parse(f"me:{KEY}"),)))
    read, answers = [], []

    async def receive():
        read.append(path)
        return {"type": "http.request", "body": b"{no json", "more_body": False}

    async def send(message):
        answers.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")],
        "client": ("127.0.0.1", 5000),
        "state": {},
    }
    asyncio.run(app(scope, receive, send))
    assert answers[0]["status"] == 401
    assert read == []
