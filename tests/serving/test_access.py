"""Whose request it is, and who may ask at all."""

import pytest

from emendo.errors import ConfigError, ForbiddenError
from emendo.serving.access import Access, ApiKey, has_key
from tests.serving.conftest import KEY

OTHER_KEY = "another-long-key"


def scope_of(path="/v1/edit", **headers):
    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http", "path": path, "raw_path": path.encode(), "headers": named}


def access_of(*entries, is_open=False, **options):
    return Access(ApiKey.parse_all(entries), is_open=is_open, origins=(), **options)


def test_a_key_has_16_to_512_characters():
    for length in (16, 512):
        assert ApiKey.parse("k" * length).name == "default"
    for length in (15, 513):
        with pytest.raises(ConfigError, match="must be 16 to 512 letters"):
            ApiKey.parse("k" * length)


def test_the_same_key_is_one():
    assert len({ApiKey.parse(KEY), ApiKey.parse(f"default:{KEY}")}) == 1


def test_a_key_of_two_names_belongs_to_the_first():
    access = access_of(f"bob:{OTHER_KEY}", f"ann:{KEY}", f"eve:{KEY}")
    assert access.owner(scope_of(x_api_key=KEY)) == "ann"


def test_a_password_is_no_key():
    """A proxy's own password may come before the key."""
    access = access_of(f"ann:{KEY}")
    assert access.owner(scope_of(authorization="Basic YW5uOmFubg==", x_api_key=KEY)) == "ann"


def test_other_headers_with_a_bearer_are_no_keys():
    access = access_of(f"ann:{KEY}", f"bob:{OTHER_KEY}")
    forwarded = scope_of(x_forwarded_authorization=f"Bearer {OTHER_KEY}", x_api_key=KEY)
    assert access.owner(forwarded) == "ann"


def test_a_key_in_the_path_is_seen_by_nobody_else():
    scope = scope_of(f"/k/{KEY}/v1/edit")
    access = access_of(f"ann:{KEY}")
    access.enter(scope)
    assert (scope["path"], scope["raw_path"]) == ("/v1/edit", b"/v1/edit")
    assert access.owner(scope) == "ann"
    assert access.caller(scope) == "key ann"


def test_where_a_key_can_be():
    assert has_key(scope_of(x_api_key="any"))
    assert has_key(scope_of(authorization="Bearer any"))
    assert not has_key(scope_of(host="127.0.0.1"))
    scope = scope_of("/k/any/v1/edit")
    access_of(KEY).enter(scope)
    assert has_key(scope)


def test_answers_are_embedded_only_if_it_is_wanted():
    fetch = {"host": "127.0.0.1", "sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors"}
    with pytest.raises(ForbiddenError, match="as a picture or script"):
        access_of().enter(scope_of(**fetch))
    access_of(is_embeddable=True).enter(scope_of(**fetch))


def test_an_open_server_and_one_with_keys_have_any_name():
    access_of(is_open=True).enter(scope_of(host="evil.example", origin="https://evil.example"))
    access_of(KEY).enter(scope_of(host="evil.example", origin="https://evil.example"))
    with pytest.raises(ForbiddenError, match="for localhost only"):
        access_of().enter(scope_of(host="evil.example"))


@pytest.mark.parametrize("client", [None, ("192.0.2.7", 5000)])
def test_a_caller_without_a_key_is_an_address(client):
    access = access_of(KEY)
    caller = access.caller({**scope_of(x_api_key="an-unknown-long-key"), "client": client})
    assert caller == ("address 192.0.2.7" if client else "unknown")
