"""The parameters of a LanguageTool request: a form, whatever its content type."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl

from emendo.bundle.format import DEFAULT_LEVEL, THOROUGH
from emendo.errors import RequestError, TooLargeError
from emendo.serving.languagetool.annotated_data import parse_data
from emendo.serving.languagetool.language_names import Language
from emendo.serving.languagetool.rules import RuleFilter
from emendo.text.annotated_text import AnnotatedText

if TYPE_CHECKING:
    from collections.abc import Mapping

    Form = Mapping[str, str]

_MAX_FIELDS = 200
_MAX_LISTED = 1000
AUTO = "auto"
_LEVELS = {"default": DEFAULT_LEVEL, "picky": THOROUGH}
_ALL, _TEXT_LEVEL, _NOT_TEXT_LEVEL = "all", "textlevelonly", "allbuttextlevelonly"
_OLD_NAMES = {
    "enabled": "enabledRules",
    "disabled": "disabledRules",
    "preferredvariants": "preferredVariants",
    "autodetect": "language=auto",
}


def parse_form(query: bytes, body: bytes) -> dict[str, str]:
    """Read a query and a form, URL-encoded or as raw UTF-8; the form's values go first.

    Raises:
        RequestError: There are too many fields.
    """
    form: dict[str, str] = {}
    for part in (query, body):
        try:
            fields = parse_qsl(
                part.decode("utf-8", "replace"),
                keep_blank_values=True,
                errors="replace",
                max_num_fields=_MAX_FIELDS,
            )
        except ValueError:
            raise RequestError(f"there may be at most {_MAX_FIELDS} parameters") from None
        form.update(fields)
    return form


class CheckRequest(NamedTuple):
    """A request to /v2/check, checked."""

    text: AnnotatedText
    language: Language | None
    """None means that it is detected."""
    level: str
    rules: RuleFilter
    preferred_variants: tuple[str, ...]
    dictionaries: tuple[str, ...]
    is_text_level: bool
    """Whether only rules over several sentences are requested, of which there are none."""
    is_compact: bool

    @classmethod
    def parse(cls, form: Form, *, max_characters: int) -> CheckRequest:
        """Read the parameters.

        Raises:
            RequestError: One is missing, wrong, or cannot be combined with another.
            TooLargeError: The text is too long.
        """
        for old, new in _OLD_NAMES.items():
            if old in form:
                raise RequestError(f"'{old}' is a parameter of version 1; use '{new}'")
        text = _text(form, max_characters)
        code = form.get("language")
        if not code:
            raise RequestError("Missing 'language' parameter, e.g. 'language=en-US' or 'auto'")
        language = None if code == AUTO else Language.parse(code)
        if code != AUTO and language is None:
            raise RequestError("'language' is not a language code such as 'en-US', nor 'auto'")
        variants = split_list(form, "preferredVariants")
        is_multilingual = _is_true(form, "multilingual")
        for name in ("preferredVariants", "noopLanguages"):
            if form.get(name) and code != AUTO and not is_multilingual:
                raise RequestError(f"'{name}' needs 'language=auto'")
        level = form.get("level", "default").lower()
        if level not in _LEVELS:
            raise RequestError("'level' must be 'default' or 'picky'")
        mode = form.get("mode", _ALL).lower().replace("_", "")
        if mode not in (_ALL, _TEXT_LEVEL, _NOT_TEXT_LEVEL):
            raise RequestError("'mode' must be 'all', 'textLevelOnly' or 'allButTextLevelOnly'")
        return cls(
            text,
            language,
            _LEVELS[level],
            _rules(form),
            variants,
            split_list(form, "dicts"),
            mode == _TEXT_LEVEL,
            form.get("c") == "1",
        )


def _text(form: Form, max_characters: int) -> AnnotatedText:
    text, data = form.get("text"), form.get("data")
    if (text is None) == (data is None):
        raise RequestError("Missing 'text' or 'data' parameter, or both were given")
    found = AnnotatedText.of(text) if text is not None else parse_data(data or "")
    longest = max(len(found.plain), len(found.whole))
    if longest > max_characters:
        raise TooLargeError(
            f"Your text exceeds the limit of {max_characters} characters (it is {longest})"
        )
    return found


def _rules(form: Form) -> RuleFilter:
    rules = RuleFilter(
        enabled_rules=frozenset(split_list(form, "enabledRules")),
        disabled_rules=frozenset(split_list(form, "disabledRules")),
        enabled_categories=frozenset(split_list(form, "enabledCategories")),
        disabled_categories=frozenset(split_list(form, "disabledCategories")),
        enabled_only=_is_true(form, "enabledOnly"),
    )
    if rules.enabled_only:
        if rules.disabled_rules or rules.disabled_categories:
            raise RequestError("'enabledOnly' cannot be combined with disabled rules or categories")
        if not (rules.enabled_rules or rules.enabled_categories):
            raise RequestError("'enabledOnly' needs 'enabledRules' or 'enabledCategories'")
    return rules


def split_list(form: Form, name: str, most: int = _MAX_LISTED) -> tuple[str, ...]:
    """Return the entries of a list that is separated by commas, without empty ones.

    Args:
        form: The parameters.
        name: The name of the list.
        most: The most entries, including empty ones.

    Raises:
        TooLargeError: There are more.
    """
    value = form.get(name, "")
    if value.count(",") >= most:
        raise TooLargeError(f"'{name}' may have at most {most:,} entries")
    return tuple(part for each in value.split(",") if (part := each.strip()))


def _is_true(form: Form, name: str) -> bool:
    return form.get(name, "").lower() in ("true", "yes")
