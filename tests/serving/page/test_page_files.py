"""The page as files: what is sent, with which headers, and that nothing else can be had that way."""

import logging
import re
from html.parser import HTMLParser
from importlib.resources import files

import pytest

from emendo.serving.access import ApiKey
from tests.serving.conftest import KEY, client_of

FILES = sorted(path.name for path in (files("emendo") / "serving/page").iterdir())


class Parts(HTMLParser):
    """What a page loads, and what it must not have."""

    def __init__(self, html):
        super().__init__()
        self.loaded, self.inline = [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if tag == "script" and "src" not in found:
            self.inline.append(tag)
        if tag == "style":
            self.inline.append(tag)
        self.inline += [name for name in found if name == "style" or name.startswith("on")]
        self.loaded += [
            found[name]
            for name in ("src", "href")
            if name in found and tag != "a" and not found[name].startswith("#")
        ]


def test_the_page(client):
    answer = client.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = dict(
        part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; ")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["img-src"] == "'self' data:"
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers.get_list("cache-control") == ["no-cache"]
    parts = Parts(answer.text)
    assert not parts.inline
    # Relative, so that a key or a proxy may stand before the path.
    assert {path.removeprefix("page/") for path in parts.loaded} | {"index.html"} == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_every_part_is_there_and_loads_nothing_from_elsewhere(client, name):
    answer = client.get(f"/page/{name}")
    assert answer.status_code == 200
    kind = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml", "html": "text/html"}
    assert answer.headers["content-type"].split(";")[0] == kind[name.rpartition(".")[2]]
    assert "content-security-policy" in answer.headers
    # Names of XML are no addresses.
    text = answer.text.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(
        r"https?:|//\w+\.|@import|innerHTML|outerHTML|insertAdjacentHTML|eval\(", text
    )
    for imported in re.findall(r'from "(.*)"', text):
        assert imported.removeprefix("./") in FILES


def test_it_is_not_sent_twice(client):
    answer = client.get("/")
    tag = answer.headers["etag"]
    again = client.get("/", headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == tag
    assert client.get("/", headers={"If-None-Match": '"other"'}).status_code == 200
    head = client.head("/page/page.css")
    assert (head.status_code, head.content) == (200, b"")
    assert int(head.headers["content-length"]) == len(client.get("/page/page.css").content)


@pytest.mark.parametrize(
    "path",
    [
        "/page/",
        "/page/nothing.js",
        "/page/../app.py",
        "/page/..%2fapp.py",
        "/page/%2e%2e%2fapp.py",
        "/page//etc/passwd",
        "/page/%2fetc%2fpasswd",
        "/page/app.js%00",
        "/page/APP.JS",
        "/index.html",
    ],
)
def test_nothing_else_can_be_had(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert "error" in answer.json()
    assert answer.headers["cache-control"] == "no-store"


def test_only_to_be_read(client):
    for path in ("/", "/page/app.js"):
        assert client.post(path).status_code == 405


def test_it_needs_no_key_and_uses_up_no_rate(editor):
    with client_of(editor, api_keys=(ApiKey.parse(KEY),), rate=30) as client:
        assert client.get("/").status_code == 200
        assert client.get(f"/k/{KEY}/").text == client.get("/").text
        for _ in range(20):
            assert client.get(f"/k/{KEY}/page/app.js").status_code == 200
        assert client.get("/v1/info").status_code == 401
        assert client.get(f"/k/{KEY}/v1/info").status_code == 200


def test_a_server_for_this_machine_shows_it_to_this_machine(client):
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 403


def test_it_is_one_line_in_the_log_and_one_series(client, caplog):
    with caplog.at_level(logging.INFO, logger="emendo.requests"):
        client.get("/")
        for name in FILES:
            client.get(f"/page/{name}")
    assert [record.route for record in caplog.records] == ["/"]
    report = client.get("/metrics").text
    assert (
        f'emendo_request_seconds_count{{route="/page/{{name}}",status="200"}} {len(FILES)}.0'
        in report
    )
