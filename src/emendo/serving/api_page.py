"""The API as a page: plain HTML made from the OpenAPI description, with nothing to download."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from emendo.html_page import html_page

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; }
pre { background: #8881; padding: .8rem; overflow-x: auto; }
h2 code { font-size: 1em; } table { border-collapse: collapse; width: 100%; }
td { border-top: 1px solid #8884; padding: .3rem .6rem .3rem 0; vertical-align: top; }
@media (prefers-color-scheme: dark) { body { background: #111; color: #ddd; } a { color: #8bf; } }
"""


def api_page(description: dict[str, Any]) -> str:
    """Return the page."""
    title = description["info"]["title"]
    schemas = description.get("components", {}).get("schemas", {})
    parts = [
        f"<h1>{escape(title)}</h1><p>{escape(description['info'].get('description', ''))}</p>",
        "<p><a href=openapi.json>openapi.json</a></p>",
    ]
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            parts.append(f"<h2><code>{method.upper()} {escape(path)}</code></h2>")
            parts.append(f"<p>{escape(operation.get('summary', ''))}</p>")
            parts.append(_responses(operation))
    for name, schema in schemas.items():
        parts.append(f"<h2 id={escape(name)}>{escape(name)}</h2>")
        parts.append(f"<p>{escape(schema.get('description', ''))}</p>")
        parts.append(_properties(schema))
    return html_page(title, parts, style=_STYLE)


def _responses(operation: dict[str, Any]) -> str:
    rows = []
    for content in operation.get("requestBody", {}).get("content", {}).values():
        rows.append(f"<tr><td>takes<td>{_kind(content['schema'])}")
    for status, response in operation["responses"].items():
        kinds = [_kind(each.get("schema", {})) for each in response.get("content", {}).values()]
        rows.append(
            f"<tr><td>{escape(status)}<td>{escape(response['description'])} {' '.join(kinds)}"
        )
    return f"<table>{''.join(rows)}</table>"


def _properties(schema: dict[str, Any]) -> str:
    required = schema.get("required", [])
    rows = [
        f"<tr><td><code>{escape(name)}</code>{'' if name in required else ' (optional)'}"
        f"<td>{_kind(entry)}<td>{escape(entry.get('description', ''))}"
        for name, entry in schema.get("properties", {}).items()
    ]
    return f"<table>{''.join(rows)}</table>"


def _kind(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f"<a href=#{name}>{name}</a>"
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return " or ".join(map(_kind, schema[choice]))
    if "enum" in schema:
        return f"<code>{escape(' | '.join(map(json.dumps, schema['enum'])))}</code>"
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return escape(str(schema.get("type", schema.get("const", ""))))
