"""What the native API takes and gives; also what its OpenAPI description is made of."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from emendo.text.edit_types import EditType
from emendo.text.markup import Markup

MAX_TEXTS = 1000
MAX_WORDS = 10_000
MAX_ALIGNED = 5000
"""Characters: an alignment is for looking at, and each sentence is run on its own."""

Word = Annotated[str, Field(min_length=1, max_length=100)]


class _Question(BaseModel):
    model_config = ConfigDict(extra="forbid")

    language: str = Field(
        "auto",
        pattern=r"^(auto|[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8}){0,3})$",
        description="Sentences in other languages are left alone; `auto` takes all of the model's.",
    )
    positions: Literal["code points", "utf-16"] = Field(
        "code points",
        description="What positions count: Unicode code points, as Python has them, or UTF-16 "
        "code units, as JavaScript and Java have them.",
    )


class _EditQuestion(_Question):
    level: str | None = Field(
        None,
        max_length=40,
        description="How willing to change text; by default the server's own choice.",
    )
    markup: Markup = Field(
        "plain", description="What it is written in: code, commands and addresses are never edited."
    )
    dictionary: list[Word] = Field(
        [], max_length=MAX_WORDS, description="Words that are never edited."
    )


class OneText(_EditQuestion):
    """One text, with or without line breaks."""

    text: str = Field(examples=["I like an dog."])


class ManyTexts(_EditQuestion):
    """Texts that have nothing to do with each other."""

    texts: list[str] = Field(min_length=1, max_length=MAX_TEXTS, examples=[["I like an dog."]])


class EditEntry(BaseModel):
    """Replace the source from start to end; an insertion has no length."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    original: str
    replacement: str
    type: EditType
    confidence: float = Field(ge=0, le=1, description="How likely it is right, by the network.")
    message: str = Field(description="One sentence that says what is wrong.")
    alternatives: list[str] = Field(description="Other replacements, if the server lists them.")


class SentenceEntry(BaseModel):
    """From where to where a sentence stands."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)


class EditedEntry(BaseModel):
    """A text and what was done to it."""

    text: str = Field(description="The text with all edits made.")
    edits: list[EditEntry]
    sentences: list[SentenceEntry] = Field(
        description="What was read: neither layout nor sentences in other languages."
    )


class EditAnswer(BaseModel):
    """The results, in the order of the texts."""

    results: list[EditedEntry]


class AlignRequest(_Question):
    """A sentence, or a few."""

    text: str = Field(max_length=MAX_ALIGNED, examples=["I like an dog."])


class LinkEntry(BaseModel):
    """An output token and the source token whose slot gave it, both counted from 0."""

    source: int = Field(ge=0)
    output: int = Field(ge=0)
    kept: bool = Field(description="Whether the token was copied; if not, it was written anew.")
    probability: float = Field(ge=0, le=1)


class AlignmentEntry(BaseModel):
    """What one pass of the network makes of a sentence, before any level is applied."""

    start: int = Field(ge=0, description="Where the sentence begins in the text.")
    end: int = Field(ge=0)
    source: list[str] = Field(description="The tokens read, with the white space before them.")
    output: list[str] = Field(description="The tokens that came out.")
    links: list[LinkEntry]


class AlignAnswer(BaseModel):
    """The sentences in order; one that is too long for one pass comes in pieces."""

    alignments: list[AlignmentEntry]


class Description(BaseModel):
    """What this server is."""

    version: str
    languages: list[str]
    levels: list[str]
    default_level: str
    max_characters: int


class Problem(BaseModel):
    """What was wrong, for people."""

    error: str
