"""The door before small apps: what it counts, what it refuses, and what it writes into the log."""

import asyncio
import logging
from types import SimpleNamespace

import pytest
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from emendo.errors import DeadlineError, EngineError, OverloadedError, RequestError
from emendo.serving.access import Access, ApiKey
from emendo.serving.door import Door
from emendo.serving.rate_limit import RateLimit
from emendo.serving.routes import RouteNames
from emendo.serving.settings import ServerSettings
from emendo.serving.telemetry import Telemetry
from tests.serving.conftest import KEY

PATHS = ("/v1/edit", "/v2/check", "/health", "/ready", "/metrics", "/page/{name}")
LEAVE = {"type": "http.disconnect"}
START = {"type": "http.response.start", "status": 200, "headers": []}


async def read_all(request):
    """Read the body, and answer how long it is."""
    return PlainTextResponse(str(len(await request.body())))


ROUTES = [Route(path, read_all, methods=["GET", "POST"]) for path in PATHS]
READER = Starlette(routes=ROUTES)


def door_of(app=READER, telemetry=None, **settings):
    """Return a door without keys that anybody may use."""
    settings = ServerSettings(**{"is_open": "api_keys" not in settings, **settings})
    return Door(
        app,
        routes=RouteNames(ROUTES),
        settings=settings,
        access=Access(settings.api_keys, is_open=settings.is_open, origins=settings.cors_origins),
        rate=RateLimit(settings.rate),
        telemetry=telemetry or Telemetry(),
        is_full=lambda: False,
    )


def part(content=b"", more=False):
    return {"type": "http.request", "body": content, "more_body": more}


def scope_of(path="/v1/edit", headers=(), query=b""):
    return {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query,
        "headers": list(headers),
        "client": ("192.0.2.7", 5000),
        "state": {},
    }


def pass_through(door, scope, messages=None):
    """Send a request through the door, without a body by default, and return the answer."""
    left, sent = [part()] if messages is None else list(messages), []

    async def receive():
        return left.pop(0)

    async def send(message):
        sent.append(message)

    asyncio.run(door(scope, receive, send))
    return sent


def status_of(door, *messages, **scope):
    start, *_ = pass_through(door, scope_of(**scope), messages or None)
    return start["status"]


def headers_of(sent):
    """Return the headers of an answer, each of which is there once."""
    headers = dict(sent[0]["headers"])
    assert len(headers) == len(sent[0]["headers"])
    return headers


def body_of(sent):
    return b"".join(message.get("body", b"") for message in sent[1:])


@pytest.fixture
def lines(caplog):
    """Return a function that gives the lines of the log with an event."""
    caplog.set_level(logging.DEBUG, "emendo.requests")

    def lines(event="request"):
        return [record for record in caplog.records if record.getMessage() == event]

    return lines


def test_names_and_values_of_headers_the_query_and_the_body_are_held():
    """The limit is for all requests together, and each gives back what it held."""
    door = door_of(max_buffered=100)
    headers = [(b"x-a", b"1" * 17), (b"x-long-name", b"22")]
    for _ in range(2):
        assert status_of(door, part(b"a" * 37), headers=headers, query=b"b=" + b"3" * 28) == 200
        assert status_of(door, part(b"a" * 38), headers=headers, query=b"b=" + b"3" * 28) == 429
        assert status_of(door, headers=headers, query=b"b=" + b"3" * 65) == 200
        assert status_of(door, headers=headers, query=b"b=" + b"3" * 66) == 429
    assert status_of(door, path="/health", headers=[(b"x-a", b"1" * 200)]) == 200


def test_a_refusal_while_a_body_arrives_says_when_to_try_again():
    door = door_of(max_buffered=100)
    assert headers_of(pass_through(door, scope_of(), [part(b"a" * 101)]))[b"retry-after"] == b"1"
    door = door_of(max_characters=1)
    sent = pass_through(door, scope_of(), [part(b"a" * 2**21)])
    assert sent[0]["status"] == 413
    assert b"retry-after" not in headers_of(sent)


def test_a_body_and_a_query_may_be_as_long_as_the_limit():
    limit = ServerSettings(max_characters=1).max_body
    door = door_of(max_characters=1)
    for more, status in ((0, 200), (1, 413)):
        parts = part(b"a" * (limit - 5), more=True), part(b"b" * (5 + more))
        assert status_of(door, *parts) == status
        assert status_of(door, query=b"a" * (limit + more)) == status
        length = [(b"content-length", str(limit + more).encode())]
        assert status_of(door, headers=length) == status


def test_a_body_that_is_announced_as_too_long_is_not_read():
    door = door_of(max_characters=1)
    sent = pass_through(door, scope_of(headers=[(b"content-length", b"9999999")]), messages=())
    assert sent[0]["status"] == 413
    assert b"at most 1,048,588 bytes" in body_of(sent)
    # It is the length alone that counts.
    assert status_of(door, headers=[(b"x-number", b"9999999")]) == 200
    assert status_of(door, headers=[(b"content-length", b"many")]) == 200
    assert status_of(door, headers=[(b"content-length", b"9" * 5000)]) == 413


def test_seconds_are_counted_and_milliseconds_logged(monkeypatch, lines):
    ticks = iter([100.0, 101.234567])
    monkeypatch.setattr(
        "emendo.serving.door.time", SimpleNamespace(perf_counter=lambda: next(ticks))
    )
    telemetry = Telemetry()
    assert status_of(door_of(telemetry=telemetry)) == 200
    (line,) = lines()
    assert line.ms == 1234.57
    figure = "emendo_request_seconds_sum", {"route": "/v1/edit", "status": "200"}
    assert telemetry.registry.get_sample_value(*figure) == pytest.approx(1.234567)


def answering(status):
    """Return an app that always gives this status."""
    return PlainTextResponse("", status)


@pytest.mark.parametrize(
    ("path", "status", "level"),
    [
        ("/v1/edit", 200, "INFO"),
        ("/v1/edit", 400, "INFO"),
        ("/v1/edit", 401, "INFO"),
        ("/v1/edit", 500, "INFO"),
        ("/v1/edit", 413, "DEBUG"),
        ("/v1/edit", 429, "DEBUG"),
        ("/nowhere", 404, "INFO"),
        ("/health", 200, "DEBUG"),
        ("/ready", 503, "DEBUG"),
        ("/metrics", 200, "DEBUG"),
        ("/page/app.js", 200, "DEBUG"),
    ],
)
def test_what_machines_repeat_is_logged_only_for_debugging(lines, path, status, level):
    assert status_of(door_of(answering(status)), path=path) == status
    (line,) = lines()
    assert (line.levelname, line.status) == (level, status)


def test_refusals_are_counted_by_their_reason():
    telemetry = Telemetry()
    for status in (200, 400, 400, 401, 403, 403, 404, 413, 429, 429, 429, 500):
        status_of(door_of(answering(status), telemetry))
    for reason, count in (("key", 3), ("size", 1), ("load", 3)):
        figure = "emendo_refused_total", {"reason": reason}
        assert telemetry.registry.get_sample_value(*figure) == count


def test_an_answer_is_not_kept_unless_the_app_says_so():
    assert headers_of(pass_through(door_of(), scope_of()))[b"cache-control"] == b"no-store"
    app = PlainTextResponse("", headers={"Cache-Control": "max-age=60"})
    assert headers_of(pass_through(door_of(app), scope_of()))[b"cache-control"] == b"max-age=60"


def test_a_page_may_read_an_answer_of_the_app_or_the_door():
    origin, named = b"https://page.example", b"access-control-allow-origin"
    with_header = PlainTextResponse("", headers={named.decode(): origin.decode()})
    for app in (READER, with_header):
        door = door_of(app, cors_origins=(origin.decode(),))
        headers = headers_of(pass_through(door, scope_of(headers=[(b"origin", origin)])))
        assert headers[named] == origin


def failing(error, *, after=None):
    """Return an app that reads a message and fails, before its answer or after its start."""

    async def app(scope, receive, send):
        await receive()
        if after:
            await send(after)
        raise error

    return app


def test_an_unknown_error_is_answered_and_logged_without_its_message(lines):
    sent = pass_through(door_of(failing(ZeroDivisionError("secret"))), scope_of())
    assert sent[0]["status"] == 500
    assert body_of(sent) == b'{"error":"an internal error occurred"}'
    (line,) = lines("failed")
    assert line.failure.startswith("ZeroDivisionError < ")
    assert "secret" not in str(vars(line))
    assert [line.status for line in lines()] == [500]


def test_an_answer_that_fails_halfway_is_not_begun_again(lines):
    for error in (ZeroDivisionError(), EngineError("it failed"), ClientDisconnect()):
        sent = pass_through(door_of(failing(error, after=dict(START))), scope_of())
        assert [message["type"] for message in sent] == ["http.response.start"]
    assert [line.status for line in lines()] == [200, 200, 200]
    (line,) = lines("failed")
    assert line.failure.startswith("ZeroDivisionError")


@pytest.mark.parametrize(
    ("error", "status", "is_failure"),
    [
        (EngineError("it failed"), 500, True),
        (DeadlineError("too slow"), 503, True),
        (OverloadedError("too much"), 429, False),
        (RequestError("not so"), 400, False),
    ],
)
def test_errors_of_ours_are_failures_if_the_caller_cannot_help_it(lines, error, status, is_failure):
    sent = pass_through(door_of(failing(error)), scope_of())
    assert sent[0]["status"] == status
    assert str(error).encode() in body_of(sent)
    assert len(lines("failed")) == is_failure


def test_who_leaves_is_a_499_and_no_failure(lines):
    """Callers disconnect before the answer: while the app reads the body, or afterwards."""

    async def answer_late(scope, receive, send):
        await receive()
        await receive()
        await PlainTextResponse("late")(scope, receive, send)

    assert pass_through(door_of(failing(ClientDisconnect())), scope_of()) == []
    pass_through(door_of(failing(ZeroDivisionError())), scope_of(), [LEAVE])
    pass_through(door_of(answer_late), scope_of(), [part(), LEAVE])
    pass_through(door_of(answer_late), scope_of(), [LEAVE, LEAVE])
    assert [line.status for line in lines()] == [499] * 4
    assert lines("failed") == []


@pytest.mark.parametrize("has_begun", [False, True])
def test_a_server_that_stops_says_so_to_who_waits(lines, has_begun):
    async def wait(scope, receive, send):
        if has_begun:
            await send(dict(START))
        reached.set()
        await asyncio.Event().wait()

    async def stop():
        door = door_of(wait)
        request = asyncio.create_task(door(scope_of(), None, send))
        await reached.wait()
        request.cancel()
        await request

    async def send(message):
        sent.append(message)

    reached, sent = asyncio.Event(), []
    asyncio.run(stop())
    (line,) = lines()
    if has_begun:
        assert [message["type"] for message in sent] == ["http.response.start"]
        assert line.status == 200
    else:
        assert sent[0]["status"] == line.status == 503
        assert body_of(sent) == b'{"error":"the server is being stopped"}'


def test_after_the_body_the_caller_may_wait_longer_than_the_deadline():
    """A stream has a deadline for each of its sentences, and listens whether its caller leaves."""
    heard = []

    async def listen(scope, receive, send):
        heard.append(await receive())
        heard.append(await receive())

    async def receive():
        if heard:
            await asyncio.sleep(0.1)
            return LEAVE
        # Whether more comes may be left out if none does.
        return {"type": "http.request", "body": b"all of it"}

    asyncio.run(door_of(listen, deadline=0.02)(scope_of(), receive, None))
    assert [message["type"] for message in heard] == ["http.request", "http.disconnect"]


def test_a_body_that_does_not_arrive_is_waited_for_no_longer_than_the_deadline():
    async def run():
        async def receive():
            await asyncio.sleep(10)

        async def send(message):
            sent.append(message)

        await door_of(deadline=0.02)(scope_of(), receive, send)

    sent = []
    asyncio.run(run())
    assert sent[0]["status"] == 400
    assert body_of(sent) == b"the body did not arrive in time"


@pytest.mark.parametrize(("origins", "status"), [(("https://page.example",), 405), ((), 401)])
def test_a_browser_asks_without_a_key_if_pages_are_named(origins, status):
    """The app answers it; this one has no route for it."""
    door = door_of(api_keys=(ApiKey.parse(KEY),), cors_origins=origins)
    asked = [(b"origin", b"https://page.example"), (b"access-control-request-method", b"POST")]
    sent = pass_through(door, {**scope_of(headers=asked), "method": "OPTIONS"})
    assert sent[0]["status"] == status
