"""LanguageTool's parameter `data`: text with markup, and the markup's interpretation."""

from __future__ import annotations

import json
from typing import Any

from emendo.errors import RequestError
from emendo.text.annotated_text import AnnotatedText, Part


def parse_data(data: str) -> AnnotatedText:
    """Read the JSON of LanguageTool's parameter `data`.

    Raises:
        RequestError: It is not JSON, or not of that form.
    """
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        raise RequestError("'data' is not valid JSON") from None
    if not isinstance(content, dict):
        raise RequestError("'data' must be a JSON object with 'text' or 'annotation'")
    text, annotation = content.get("text"), content.get("annotation")
    if (text is None) == (annotation is None):
        raise RequestError("'data' needs either 'text' or 'annotation'")
    if annotation is None:
        return AnnotatedText.of(_string(text, "text"))
    if not isinstance(annotation, list):
        raise RequestError("'annotation' in 'data' must be a list")
    return AnnotatedText(map(_part, annotation))


def _part(node: Any) -> Part:  # noqa: ANN401 - whatever the JSON holds
    if not isinstance(node, dict):
        raise RequestError("a part of 'annotation' must be an object")
    text, markup, meaning = (node.get(name) for name in ("text", "markup", "interpretAs"))
    if (text is None) == (markup is None):
        raise RequestError("a part of 'annotation' needs either 'text' or 'markup'")
    if text is None:
        read = "" if meaning is None else _string(meaning, "interpretAs")
        return Part(read, _string(markup, "markup"), is_text=False)
    if meaning is not None:
        raise RequestError("'interpretAs' belongs to 'markup', not to 'text'")
    return Part(_string(text, "text"), text, is_text=True)


def _string(value: Any, name: str) -> str:  # noqa: ANN401 - whatever the JSON holds
    if not isinstance(value, str):
        raise RequestError(f"'{name}' in 'data' must be a string")
    return value
