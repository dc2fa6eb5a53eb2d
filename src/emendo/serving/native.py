"""The native API: returns the edits of texts, at once or sentence by sentence."""

# Annotations are read while the app is built, so they cannot be strings.

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Sequence
from itertools import repeat
from typing import Annotated, Any, TypeAlias

from fastapi import APIRouter, Body, Depends, Request
from starlette.responses import Response, StreamingResponse

import emendo
from emendo.bundle.format import CORRECTION
from emendo.errors import EmendoError, TooLargeError
from emendo.inference.alignment import Alignment
from emendo.inference.document import Document
from emendo.inference.mixed_document import MixedDocument
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
from emendo.serving.service import EditedDocument, EditingService
from emendo.serving.settings import ServerSettings
from emendo.serving.utf16 import Utf16Positions
from emendo.serving.waiting import while_present
from emendo.text import Edit, EditedText
from emendo.text.annotated_text import AnnotatedText
from emendo.text.explanations import explain
from emendo.text.segmentation import Span

Sentences: TypeAlias = AsyncGenerator[tuple[Span, str, tuple[Edit, ...]], None]

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

    corrects = _corrects(service)

    def languages(asked: str) -> tuple[str, ...] | None:
        """Return the models' languages that are requested; None means all."""
        if asked == "auto":
            return None
        language = Language.parse(asked)
        own = language is not None and language.code in service.editors.languages
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
            # Not a language of a model, so there are no edits.
            return _answer(
                [_untouched(text) for text in texts], asked.positions, explained=corrects
            )
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
                    span, language, found = step
                    count += 1
                    edits += len(found)
                    yield _json_line(
                        {
                            **_span(span, units),
                            "language": language,
                            "edits": _entries(
                                asked.text,
                                zip(found, repeat(language), strict=False),
                                units,
                                explained=corrects,
                            ),
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
                    {**_span((sentence.start, sentence.end), units), **_drawn(alignment)}
                    for sentence, alignments in found
                    for alignment in alignments
                ]
            }
        )

    @router.get("/info", response_model=Description, summary="Describe this server")
    async def info() -> Description:
        editors = service.editors
        return Description(
            version=emendo.__version__,
            task=editors.task,
            unit=editors.unit,
            languages=list(editors.languages),
            levels=list(editors.levels),
            default_level=editors.default_level,
            max_characters=settings.max_characters,
        )

    return router


async def _edit(
    service: EditingService, request: Request, asked: OneText | ManyTexts, options: dict[str, Any]
) -> Response:
    texts = [asked.text] if isinstance(asked, OneText) else asked.texts
    results = await service.edit_documents(texts, **options)
    characters = sum(map(len, texts))
    edits = sum(len(each.edited.edits) for each in results)
    note(request.scope, characters=characters, texts=len(texts), edits=edits)

    def write(check: Check) -> Response:
        del check
        return _answer(results, asked.positions, explained=_corrects(service))

    return await service.aside.run(write, characters, options["deadline"])


def _corrects(service: EditingService) -> bool:
    """Return whether edits are corrections, which have an explanation."""
    return service.editors.task == CORRECTION


async def _next(sentences: Sentences) -> tuple[Span, str, tuple[Edit, ...]] | None:
    return await anext(sentences, None)


def _check_length(texts: Sequence[str], settings: ServerSettings) -> None:
    length = sum(map(len, texts))
    if length > settings.max_characters:
        raise TooLargeError(
            f"a request may have at most {settings.max_characters:,} characters; "
            f"this one has {length:,}"
        )


def _untouched(text: str) -> EditedDocument:
    document = MixedDocument([Document(AnnotatedText.of(text), (), ())], [""])
    return EditedDocument(document, EditedText(text), ())


def _answer(
    results: Sequence[EditedDocument], positions: str, *, explained: bool
) -> TextJSONResponse:
    return TextJSONResponse(
        {"results": [_result(each, positions, explained=explained) for each in results]}
    )


def _result(result: EditedDocument, positions: str, *, explained: bool) -> dict[str, Any]:
    document, edited, languages = result
    units = _units(edited.source, positions)
    return {
        "text": edited.text,
        "edits": _entries(
            edited.source,
            zip(edited.edits, languages, strict=True),
            units,
            explained=explained,
        ),
        "sentences": [
            {**_span(document.span(sentence), units), "language": document.language(sentence)}
            for sentence in document.sentences
        ],
    }


def _span(span: Span, units: Callable[[int], int]) -> dict[str, int]:
    return {"start": units(span[0]), "end": units(span[1])}


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
    source: str,
    edits: Iterable[tuple[Edit, str]],
    units: Callable[[int], int],
    *,
    explained: bool,
) -> list[dict[str, Any]]:
    return [
        {
            "start": units(edit.start),
            "end": units(edit.end),
            "original": source[edit.start : edit.end],
            "replacement": edit.replacement,
            "type": edit.type,
            "confidence": round(edit.confidence, 4),
            "message": explain(source, edit, language=language) if explained else "",
            "alternatives": list(edit.alternatives),
        }
        for edit, language in edits
    ]


def _json_line(content: dict[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode("ascii") + b"\n"


def _last_line(sentences: int, edits: int) -> bytes:
    return _json_line({"done": True, "sentences": sentences, "edits": edits})
