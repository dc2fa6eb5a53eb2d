"""LanguageTool's HTTP API, version 2, as its clients use it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

import emendo
from emendo.bundle.format import CORRECTION, DEFAULT_LEVEL
from emendo.errors import RequestError
from emendo.languages import DEFAULT_LANGUAGE
from emendo.serving.access import has_key
from emendo.serving.answers import TextJSONResponse
from emendo.serving.deadline import Deadline
from emendo.serving.door import note
from emendo.serving.languagetool.check_request import CheckRequest, parse_form, split_list
from emendo.serving.languagetool.language_names import Language, list_languages
from emendo.serving.languagetool.matches import MAX_MATCHES, MatchWriter
from emendo.serving.languagetool.rules import RULES
from emendo.serving.languagetool.user_words import DEFAULT, Shelf
from emendo.serving.waiting import while_present
from emendo.text import detect_language
from emendo.text.word_files import MAX_WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.requests import Request

    from emendo.serving.access import Access
    from emendo.serving.languagetool.user_words import UserWords
    from emendo.serving.service import EditedDocument, EditingService
    from emendo.serving.settings import ServerSettings

    Form = Mapping[str, str]

_CALLBACK = re.compile(r"[A-Za-z_$][\w$]{0,63}")
_MAX_PAGE = 10_000
_MAX_DICTIONARIES = 100
# The detected language has clear evidence, or is assumed to be the model's.
_SURE, _GUESSED = 0.99, 0.5


class LanguageTool:
    """The routes under /v2."""

    def __init__(
        self,
        service: EditingService,
        *,
        settings: ServerSettings,
        access: Access,
        user_words: UserWords,
    ) -> None:
        self._service = service
        self._access = access
        self._words = user_words
        self._max_characters = settings.max_characters
        self._has_jsonp = settings.has_jsonp
        # Clients show every edit as an error.
        self._corrects = service.editors.task == CORRECTION

    def routes(self) -> list[Route]:
        """Return the routes."""
        both = ["GET", "POST"]
        return [
            Route("/v2/check", self.check, methods=both),
            Route("/v2/languages", self.languages, methods=["GET"]),
            Route("/v2/words", self.list_words, methods=["GET"]),
            Route("/v2/words/add", self.add_words, methods=["POST"]),
            Route("/v2/words/delete", self.delete_words, methods=["POST"]),
            Route("/v2/info", self.info, methods=["GET"]),
            Route("/v2/configinfo", self.configuration, methods=["GET"]),
            Route("/v2/maxtextlength", self.max_text_length, methods=["GET"]),
            Route("/v2/healthcheck", self.health, methods=["GET"]),
        ]

    async def check(self, request: Request) -> Response:
        """Answer /v2/check."""
        deadline = Deadline.of(request.scope)
        form = await self._form(request)
        owner = self._owner(request, form)
        if not self._corrects:
            raise RequestError(
                f"the task of this server's model is {self._service.editors.task}, not correction; "
                "send texts to /v1/edit, or start the server with a model that corrects"
            )
        asked = await self._service.aside.run(
            lambda _: CheckRequest.parse(form, max_characters=self._max_characters),
            # A plain text is read later.
            sum(len(value) for name, value in form.items() if name != "text"),
            deadline,
        )
        callback = self._callback(form)
        detected = Language.parse(detect_language(asked.text.plain) or "")
        language = asked.language or self._language(detected, asked.preferred_variants)
        editors = self._service.editors
        # A detected language decides nothing: each paragraph has its own.
        languages = None if asked.language is None else (language.code,)
        own = languages is None or language.code in editors.languages
        found: EditedDocument | None = None
        # A network that reads single sentences finds nothing at the level of the text.
        if own and not asked.is_text_level:
            # Any web page can read a JSONP answer, so it must not reveal a dictionary.
            shelves = (
                []
                if callback
                else [
                    Shelf.of(owner, form.get("username", ""), name)
                    for name in asked.dictionaries[:_MAX_DICTIONARIES] or (DEFAULT,)
                ]
            )
            work = self._service.edit_documents(
                [asked.text.plain],
                level=self._level(asked.level),
                dictionary=await self._words_of(shelves, deadline),
                languages=languages,
                deadline=deadline,
            )
            (found,) = await while_present(request, work)
        edits = len(found.edited.edits) if found else 0
        note(request.scope, characters=len(asked.text.plain), edits=edits)
        write = self._service.aside.run(
            lambda _: _answer(asked, found, language, detected, callback),
            len(asked.text.whole),
            deadline,
        )
        return await while_present(request, write)

    async def _form(self, request: Request) -> dict[str, str]:
        body = await request.body() if request.method == "POST" else b""
        query = request.scope["query_string"]
        # Several bytes per character, and less work than reading the text.
        size = (len(query) + len(body)) // 8
        deadline = Deadline.of(request.scope)
        return await self._service.aside.run(lambda _: parse_form(query, body), size, deadline)

    async def _words_of(self, shelves: Sequence[Shelf], deadline: Deadline) -> tuple[str, ...]:
        """Return the words of dictionaries; a single one is looked up at once."""
        if len(shelves) < 2:
            return self._words.words(shelves[0]) if shelves else ()

        def read() -> tuple[str, ...]:
            return tuple(sorted({word for each in shelves for word in self._words.words(each)}))

        return await self._service.aside.run_on_disk(read, deadline)

    def _callback(self, form: Form) -> str:
        """Return the JSONP function of the request, if it has one."""
        callback = form.get("callback", "")
        if not callback:
            return ""
        if not self._has_jsonp:
            raise RequestError("'callback' is off; start the server with --jsonp to allow it")
        if not _CALLBACK.fullmatch(callback):
            raise RequestError("'callback' is not the name of a function")
        if form.get("username") or form.get("dicts"):
            raise RequestError("'callback' cannot be combined with dictionaries")
        return callback

    def _level(self, level: str) -> str | None:
        """Return the requested level, or the default if the model does not have it."""
        return level if level in self._service.editors.levels and level != DEFAULT_LEVEL else None

    def _language(self, detected: Language | None, variants: tuple[str, ...]) -> Language:
        """Return the detected language of a text, in the variant that the user prefers."""
        language = detected or Language.parse(self._service.editors.language or DEFAULT_LANGUAGE)
        assert language is not None
        for variant in variants:
            preferred = Language.parse(variant)
            if preferred and preferred.code == language.code:
                return preferred
        return language

    def _owner(self, request: Request, form: Form) -> str:
        """Return the key's owner; a user name needs a key, a key needs no user name."""
        key = form.get("apiKey")
        owner = self._access.owner(request.scope, key)
        if form.get("username") and not (key or has_key(request.scope)):
            raise RequestError("'username' needs 'apiKey'")
        return owner

    async def languages(self, request: Request) -> Response:
        """Answer /v2/languages."""
        self._owner(request, await self._form(request))
        return TextJSONResponse(
            [
                {"name": each.name, "code": each.code, "longCode": each.long_code}
                for each in list_languages(self._service.editors.languages)
                if self._corrects
            ]
        )

    async def list_words(self, request: Request) -> Response:
        """Answer /v2/words."""
        form = await self._form(request)
        if "dict" in form:
            raise RequestError("'dict' is not supported; use 'dicts'")
        owner = self._owner(request, form)
        shelves = [
            Shelf.of(owner, form.get("username", ""), name)
            for name in split_list(form, "dicts")[:_MAX_DICTIONARIES]
        ]
        words = await self._words_of(
            shelves or [Shelf.of(owner, form.get("username", ""))], Deadline.of(request.scope)
        )
        offset = _number(form, "offset", 0)
        limit = min(_number(form, "limit", 10), _MAX_PAGE)
        return TextJSONResponse({"words": words[offset : offset + limit]})

    async def add_words(self, request: Request) -> Response:
        """Answer /v2/words/add."""
        shelf, words = await self._shelf(request)
        added = await self._service.aside.run_on_disk(
            lambda: self._words.add(shelf, words), Deadline.of(request.scope)
        )
        return TextJSONResponse({"added": added})

    async def delete_words(self, request: Request) -> Response:
        """Answer /v2/words/delete."""
        shelf, words = await self._shelf(request)
        deleted = await self._service.aside.run_on_disk(
            lambda: self._words.delete(shelf, words), Deadline.of(request.scope)
        )
        return TextJSONResponse({"deleted": deleted})

    async def _shelf(self, request: Request) -> tuple[Shelf, tuple[str, ...]]:
        form = await self._form(request)
        owner = self._owner(request, form)
        shelf = Shelf.of(owner, form.get("username", ""), form.get("dict", ""))
        if form.get("mode", "single") == "batch":
            words = split_list(form, "words", MAX_WORDS)
        else:
            words = (form.get("word", "").strip(),)
        if not words or not words[0]:
            raise RequestError("Missing 'word' parameter")
        return shelf, words

    async def info(self, request: Request) -> Response:
        """Answer /v2/info."""
        self._owner(request, await self._form(request))
        return TextJSONResponse({"software": _software()})

    async def configuration(self, request: Request) -> Response:
        """Answer /v2/configinfo."""
        form = await self._form(request)
        self._owner(request, form)
        if not Language.parse(form.get("language", "")):
            raise RequestError("Missing 'language' parameter, e.g. 'language=en-US'")
        return TextJSONResponse(
            {
                "software": _software(),
                "parameter": {"maxTextLength": self._max_characters},
                "rules": [
                    {
                        "ruleId": rule.id,
                        "description": rule.description,
                        "categoryId": rule.category,
                        "categoryName": rule.category_name,
                        "locQualityIssueType": rule.issue_type,
                    }
                    for rule in RULES.values()
                ],
            }
        )

    async def max_text_length(self, request: Request) -> Response:
        """Answer /v2/maxtextlength."""
        del request
        return PlainTextResponse(str(self._max_characters))

    async def health(self, request: Request) -> Response:
        """Answer /v2/healthcheck."""
        del request
        if self._service.scheduler.is_full:
            return PlainTextResponse("Error: too many requests are waiting", 503)
        return PlainTextResponse("OK")


def _answer(
    asked: CheckRequest,
    found: EditedDocument | None,
    language: Language,
    detected: Language | None,
    callback: str,
) -> Response:
    writer = MatchWriter(
        asked.text,
        found.document if found else None,
        language=language.code,
        is_compact=asked.is_compact,
    )
    ranges = writer.sentence_ranges()
    matches = writer.matches(found.edited.edits if found else (), asked.rules)
    warnings: dict[str, Any] = {"incompleteResults": not writer.is_complete}
    if not writer.is_complete:
        warnings["incompleteResultsReason"] = f"an answer has at most {MAX_MATCHES:,} matches"
    content: dict[str, Any] = {} if asked.is_compact else {"software": _software()}
    seen = detected or language
    content |= {
        "warnings": warnings,
        "language": {
            "name": language.name,
            "code": language.long_code,
            "detectedLanguage": {
                "name": seen.name,
                "code": seen.long_code,
                "confidence": _SURE if detected else _GUESSED,
                "source": "emendo",
            },
        },
        "matches": matches,
        "sentenceRanges": ranges,
        "extendedSentenceRanges": [
            {
                "from": start,
                "to": end,
                "detectedLanguages": [{"language": code, "rate": 1.0}],
            }
            for (start, end), code in zip(ranges, writer.sentence_languages(), strict=True)
        ],
    }
    response = TextJSONResponse(content)
    if callback:
        script = f"{callback}({bytes(response.body).decode()});"
        return Response(script, media_type="application/javascript")
    return response


def _software() -> dict[str, Any]:
    return {
        "name": "emendo",
        "version": emendo.__version__,
        "buildDate": "",
        "apiVersion": 1,
        "premium": False,
        "status": "",
    }


def _number(form: Form, name: str, default: int) -> int:
    value = form.get(name, str(default))
    if not re.fullmatch(r"\d{1,9}", value, re.ASCII):
        raise RequestError(f"'{name}' must be a number")
    return int(value)
