"""What the native API takes and gives; also what its OpenAPI description is made of."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from emendo.text.edit_types import EditType

MAX_TEXTS = 1000
MAX_WORDS = 10_000

Word = Annotated[str, Field(min_length=1, max_length=100)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")

    level: str | None = Field(
        None,
        max_length=40,
        description="How willing to change text; by default the server's own choice.",
    )
    markdown: bool = Field(
        False, description="Whether it is Markdown: code and link targets are never edited."
    )
    dictionary: list[Word] = Field(
        [], max_length=MAX_WORDS, description="Words that are never edited."
    )
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


class OneText(_Request):
    """One text, with or without line breaks."""

    text: str = Field(examples=["I like an dog."])


class ManyTexts(_Request):
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


class EditedEntry(BaseModel):
    """A text and what was done to it."""

    text: str = Field(description="The text with all edits made.")
    edits: list[EditEntry]


class EditAnswer(BaseModel):
    """The results, in the order of the texts."""

    results: list[EditedEntry]


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
