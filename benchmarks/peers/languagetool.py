"""LanguageTool, through the HTTP interface of any server that provides it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from emendo.text.edits import Edit
from peers.suggestions import take_suggestions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LANGUAGES = {"american": "en-US", "british": "en-GB"}


def connect(
    url: str, dialect: str = "american", *, timeout: float = 60
) -> Callable[[list[str]], list[str]]:
    """Return a function that takes the first replacement of every match, text by text."""

    def correct(text: str) -> str:
        return take_suggestions(text, _suggestions(text, _check(url, text, dialect, timeout)))

    correct("A sentence to wake the server up.")
    return lambda texts: [correct(text) for text in texts]


def version(url: str) -> str:
    """Return the name and version that the server reports."""
    software = _check(url, "Hello.", "american", 60).get("software", {})
    return f"{software.get('name', 'LanguageTool')} {software.get('version', 'unknown')}"


def _check(url: str, text: str, dialect: str, timeout: float) -> dict[str, Any]:
    address = f"{url.rstrip('/').removesuffix('/v2/check').removesuffix('/v2')}/v2/check"
    body = urlencode({"text": text, "language": LANGUAGES[dialect]}).encode()
    try:
        with urlopen(Request(address, body), timeout=timeout) as response:
            answer = json.load(response)
    except HTTPError as error:
        reason = error.read(200).decode("utf-8", "replace").strip()
        raise SystemExit(f"{address} answered {error.code}: {reason or error.reason}") from None
    except (URLError, TimeoutError) as error:
        raise SystemExit(
            f"no answer from {address}: {getattr(error, 'reason', error)}; is the server running?"
        ) from None
    except ValueError:
        raise SystemExit(f"{address} answered something that is not JSON") from None
    if not isinstance(answer, dict) or "matches" not in answer:
        raise SystemExit(f"{address} answered JSON without matches: is it LanguageTool?")
    return answer


def _suggestions(text: str, answer: dict[str, Any]) -> Iterator[Edit]:
    # Its positions count UTF-16 units: characters above U+FFFF are two.
    position = [k for k, char in enumerate(text) for _ in range(1 + (ord(char) > 0xFFFF))]
    position.append(len(text))
    for match in answer["matches"]:
        try:
            start, end = match["offset"], match["offset"] + match["length"]
            if match["replacements"]:
                yield Edit(position[start], position[end], match["replacements"][0]["value"])
        except (KeyError, IndexError, TypeError):
            raise SystemExit(
                f"LanguageTool's answer has a match that does not fit the text: {match}"
            ) from None
