"""The routes of an app, by which requests are counted, because paths can be arbitrary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.routing import Route, compile_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from starlette.routing import BaseRoute

OTHER = "other"
"""The name for all paths without a route."""


class RouteNames:
    """Finds the route that a path belongs to."""

    def __init__(self, routes: Iterable[BaseRoute]) -> None:
        self._routes = {route.path: route for route in _leaves(routes)}
        self._patterns = [(compile_path(path)[0], path) for path in self._routes if "{" in path]

    def __iter__(self) -> Iterator[tuple[str, set[str]]]:
        for path, route in self._routes.items():
            yield path, set(route.methods or ())

    def name(self, path: str) -> str:
        """Return the route of a path, as it was declared."""
        if path in self._routes:
            return path
        return next((name for pattern, name in self._patterns if pattern.match(path)), OTHER)


def _leaves(routes: Iterable[BaseRoute]) -> Iterator[Route]:
    for route in routes:
        # FastAPI keeps a router that was included as it is; earlier versions copied its routes.
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from _leaves(inner.routes)
        else:
            assert isinstance(route, Route), f"{route} is not a route that can be counted"
            yield route
