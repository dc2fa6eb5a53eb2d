"""Requests and answers of the native API; its OpenAPI description is made from them."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, FailFast, Field, model_validator
from pydantic_core import PydanticCustomError

from emendo.text.edit_types import EditType
from emendo.text.markup import Markup

MAX_TEXTS = 1000
MAX_WORDS = 10_000
MAX_ALIGNED = 5000
"""Characters; alignments are for viewing, and each sentence is run on its own."""

Word = Annotated[str, Field(min_length=1, max_length=100)]


class _Question(BaseModel):
    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _has_few_fields(cls, data: Any) -> Any:  # noqa: ANN401 - whatever JSON can hold
        """Refuse many unknown fields at once: an error for each would take much memory."""
        if isinstance(data, dict) and len(data) > len(cls.model_fields):
            raise PydanticCustomError("too_many_fields", "There are unknown fields")
        return data

    language: str = Field(
        "auto",
        pattern=r"^(auto|[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8}){0,7})$",
        description="The language of the texts, which selects the model; sentences in other "
        "languages are not changed. `auto` selects the model for each paragraph.",
    )
    positions: Literal["code points", "utf-16"] = Field(
        "code points",
        description="The unit of positions: Unicode code points, as in Python, or UTF-16 "
        "code units, as in JavaScript and Java.",
    )


class _EditQuestion(_Question):
    level: str | None = Field(
        None,
        max_length=40,
        description="The level; by default the server's.",
    )
    markup: Markup = Field(
        "plain",
        description="The markup of the text; code, commands and addresses are never edited.",
    )
    dictionary: Annotated[list[Word], FailFast()] = Field(
        [], max_length=MAX_WORDS, description="Words that are never edited."
    )


class OneText(_EditQuestion):
    """One text, with or without line breaks."""

    text: str = Field(examples=["I like an dog."])


class ManyTexts(_EditQuestion):
    """Several independent texts."""

    texts: Annotated[list[str], FailFast()] = Field(
        min_length=1, max_length=MAX_TEXTS, examples=[["I like an dog."]]
    )


class EditEntry(BaseModel):
    """Replace the source from start to end; an insertion has no length."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    original: str
    replacement: str
    type: EditType
    confidence: float = Field(ge=0, le=1, description="The probability that the edit is right.")
    message: str = Field(
        description="One sentence that says what is wrong; empty if the model does not correct."
    )
    alternatives: list[str] = Field(
        description="Other replacements, if the server runs with --alternatives."
    )


class SentenceEntry(BaseModel):
    """The position of a sentence, or of a passage if the model reads passages."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    language: str = Field(description="The language of the model that read it.")


class EditedEntry(BaseModel):
    """A text and its edits."""

    text: str = Field(description="The edited text.")
    edits: list[EditEntry]
    sentences: list[SentenceEntry] = Field(
        description="The sentences or passages that were read, without layout and sentences in "
        "other languages."
    )


class EditAnswer(BaseModel):
    """The results, in the order of the texts."""

    results: list[EditedEntry]


class AlignRequest(_Question):
    """A sentence, or a few."""

    text: str = Field(max_length=MAX_ALIGNED, examples=["I like an dog."])


class LinkEntry(BaseModel):
    """An output token and the source token whose slot produced it, both counted from 0."""

    source: int = Field(ge=0)
    output: int = Field(ge=0)
    kept: bool = Field(description="Whether the token was copied; if not, it is new.")
    probability: float = Field(ge=0, le=1)


class AlignmentEntry(BaseModel):
    """One pass of the network over a sentence, before any level is applied."""

    start: int = Field(ge=0, description="Where the sentence begins in the text.")
    end: int = Field(ge=0)
    source: list[str] = Field(description="The source tokens, with the white space before them.")
    output: list[str] = Field(description="The output tokens.")
    links: list[LinkEntry]


class AlignAnswer(BaseModel):
    """The sentences in order; one that is too long for one pass is split into pieces."""

    alignments: list[AlignmentEntry]


class Description(BaseModel):
    """A description of the server."""

    version: str
    task: str = Field(description="What the model does to a text: correction or fusion.")
    unit: str = Field(description="What it reads at once: a sentence or a passage.")
    languages: list[str]
    levels: list[str]
    default_level: str
    max_characters: int


class Problem(BaseModel):
    """An error message for people."""

    error: str
