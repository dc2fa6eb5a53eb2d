"""The native API: returns the edits of texts, at once or sentence by sentence."""

# Annotations are read while the app is built, so they cannot be strings.

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from typing import Annotated, Any, TypeAlias

from fastapi import APIRouter, Body, Depends, Request
from starlette.responses import Response, StreamingResponse

import emendo
from emendo.bundle.format import CORRECTION
from emendo.errors import EmendoError, TooLargeError
from emendo.inference.alignment import Alignment
from emendo.inference.document import Document, Sentence
from emendo.serving.access import Access
from emendo.serving.answers import TextJSONResponse
from emendo.serving.aside import Check
from emendo.serving.deadline import Deadline
from emendo.serving.door import note
from emendo.serving.languagetool.language_names import Language
from emendo.serving.schemas import (
    AlignAnswer,
    AlignRequest,
    Description,
    EditAnswer,
    ManyTexts,
    OneText,
    Problem,
)
from emendo.serving.service import EditingService
from emendo.serving.settings import ServerSettings
from emendo.serving.utf16 import Utf16Positions
from emendo.serving.waiting import while_present
from emendo.text import Edit, EditedText
from emendo.text.annotated_text import AnnotatedText
from emendo.text.explanations import explain

Sentences: TypeAlias = AsyncGenerator[tuple[Sentence, tuple[Edit, ...]], None]

_NDJSON = "application/x-ndjson"
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The request is malformed."},
    401: {"model": Problem, "description": "The API key is missing or unknown."},
    403: {
        "model": Problem,
        "description": "The server does not accept this host name or web page.",
    },
    413: {"model": Problem, "description": "The text is too long."},
    422: {"model": Problem, "description": "The request does not have the form described here."},
    429: {"model": Problem, "description": "Too many requests; see Retry-After."},
    500: {"model": Problem, "description": "The network failed."},
    503: {"model": Problem, "description": "The deadline has passed; see Retry-After."},
}


def native_router(
    service: EditingService, *, settings: ServerSettings, access: Access
) -> APIRouter:
    """Return the routes under /v1."""

    async def admitted(request: Request) -> None:
        access.owner(request.scope)

    router = APIRouter(prefix="/v1", dependencies=[Depends(admitted)], responses=_PROBLEMS)

    wording = _wording(service)

    def languages(asked: str) -> tuple[str, ...] | None:
        """Return the model's languages that are requested; None means all."""
        if asked == "auto":
            return None
        language = Language.parse(asked)
        own = language is not None and language.code in service.editor.languages
        return (language.code,) if language and own else ()

    def options(request: Request, asked: OneText | ManyTexts) -> dict[str, Any]:
        return {
            "deadline": Deadline.of(request.scope),
            "level": asked.level,
            "markup": asked.markup,
            "dictionary": asked.dictionary,
            "languages": languages(asked.language),
        }

    @router.post("/edit", response_model=EditAnswer, summary="Edit one text, or many")
    async def edit(request: Request, asked: Annotated[OneText | ManyTexts, Body()]) -> Response:
        texts = [asked.text] if isinstance(asked, OneText) else asked.texts
        _check_length(texts, settings)
        chosen = options(request, asked)
        if chosen["languages"] == ():
            # Not a language of the model, so there are no edits.
            results = [
                (Document(AnnotatedText.of(text), (), ()), EditedText(text)) for text in texts
            ]
            return _answer(results, asked.positions, wording)
        return await while_present(request, _edit(service, request, asked, chosen))

    @router.post(
        "/edit/stream",
        response_class=StreamingResponse,
        summary="Edit a long text, sentence by sentence",
        responses={
            200: {
                "description": "One JSON object per line: sentences in order, then a last line that"
                " says it is done, or what went wrong.",
                "content": {_NDJSON: {"schema": {"type": "string"}}},
            }
        },
    )
    async def stream(request: Request, asked: OneText) -> Response:
        _check_length([asked.text], settings)
        chosen = options(request, asked)
        if chosen["languages"] == ():
            return StreamingResponse(iter([_last_line(0, 0)]), media_type=_NDJSON)
        sentences = service.stream(asked.text, **chosen)
        # Before the status is sent, so that it can still report an overload.
        first = await while_present(request, _next(sentences))
        units = _units(asked.text, asked.positions)

        async def lines() -> AsyncIterator[bytes]:
            count = edits = 0
            step = first
            try:
                while step is not None:
                    sentence, found = step
                    count += 1
                    edits += len(found)
                    yield _json_line(
                        {
                            **_span(sentence, units),
                            "edits": _entries(asked.text, found, units, wording),
                        }
                    )
                    step = await _next(sentences)
                note(request.scope, characters=len(asked.text), sentences=count, edits=edits)
                yield _last_line(count, edits)
            except EmendoError as error:
                # The status has already been sent, so the line reports it.
                yield _json_line({"error": str(error)})
            finally:
                await sentences.aclose()

        return StreamingResponse(lines(), media_type=_NDJSON)

    @router.post(
        "/align", response_model=AlignAnswer, summary="Show the origin of each output token"
    )
    async def align(request: Request, asked: AlignRequest) -> Response:
        own = languages(asked.language)
        found = (
            []
            if own == ()
            else await while_present(
                request,
                service.align(asked.text, languages=own, deadline=Deadline.of(request.scope)),
            )
        )
        note(request.scope, characters=len(asked.text), sentences=len(found))
        units = _units(asked.text, asked.positions)
        return TextJSONResponse(
            {
                "alignments": [
                    {**_span(sentence, units), **_drawn(alignment)}
                    for sentence, alignments in found
                    for alignment in alignments
                ]
            }
        )

    @router.get("/info", response_model=Description, summary="Describe this server")
    async def info() -> Description:
        editor = service.editor
        return Description(
            version=emendo.__version__,
            task=editor.task,
            unit=editor.unit,
            languages=list(editor.languages),
            levels=list(editor.levels),
            default_level=editor.default_level,
            max_characters=settings.max_characters,
        )

    return router


async def _edit(
    service: EditingService, request: Request, asked: OneText | ManyTexts, options: dict[str, Any]
) -> Response:
    texts = [asked.text] if isinstance(asked, OneText) else asked.texts
    results = await service.edit_documents(texts, **options)
    characters = sum(map(len, texts))
    edits = sum(len(edited.edits) for _, edited in results)
    note(request.scope, characters=characters, texts=len(texts), edits=edits)

    def write(check: Check) -> Response:
        del check
        return _answer(results, asked.positions, _wording(service))

    return await service.aside.run(write, characters, options["deadline"])


def _wording(service: EditingService) -> str | None:
    """Return the language of explanations; None if the model does not correct anything."""
    editor = service.editor
    return editor.language if editor.task == CORRECTION else None


async def _next(sentences: Sentences) -> tuple[Sentence, tuple[Edit, ...]] | None:
    return await anext(sentences, None)


def _check_length(texts: Sequence[str], settings: ServerSettings) -> None:
    length = sum(map(len, texts))
    if length > settings.max_characters:
        raise TooLargeError(
            f"a request may have at most {settings.max_characters:,} characters; "
            f"this one has {length:,}"
        )


def _answer(
    results: Sequence[tuple[Document, EditedText]], positions: str, wording: str | None
) -> TextJSONResponse:
    return TextJSONResponse(
        {"results": [_result(document, edited, positions, wording) for document, edited in results]}
    )


def _result(
    document: Document, edited: EditedText, positions: str, wording: str | None
) -> dict[str, Any]:
    units = _units(edited.source, positions)
    return {
        "text": edited.text,
        "edits": _entries(edited.source, edited.edits, units, wording),
        "sentences": [_span(sentence, units) for sentence in document.sentences],
    }


def _span(sentence: Sentence, units: Callable[[int], int]) -> dict[str, int]:
    return {"start": units(sentence.start), "end": units(sentence.end)}


def _drawn(alignment: Alignment) -> dict[str, Any]:
    return {
        "source": alignment.source,
        "output": alignment.output,
        "links": [
            {
                "source": link.source,
                "output": link.output,
                "kept": link.is_kept,
                "probability": round(link.probability, 4),
            }
            for link in alignment.links
        ],
    }


def _units(source: str, positions: str) -> Callable[[int], int]:
    return Utf16Positions(source) if positions == "utf-16" else _same


def _same(position: int) -> int:
    return position


def _entries(
    source: str, edits: Sequence[Edit], units: Callable[[int], int], wording: str | None
) -> list[dict[str, Any]]:
    return [
        {
            "start": units(edit.start),
            "end": units(edit.end),
            "original": source[edit.start : edit.end],
            "replacement": edit.replacement,
            "type": edit.type,
            "confidence": round(edit.confidence, 4),
            "message": "" if wording is None else explain(source, edit, language=wording),
            "alternatives": list(edit.alternatives),
        }
        for edit in edits
    ]


def _json_line(content: dict[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode("ascii") + b"\n"


def _last_line(sentences: int, edits: int) -> bytes:
    return _json_line({"done": True, "sentences": sentences, "edits": edits})
