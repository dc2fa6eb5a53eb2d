"""The native API held to its own description, by requests made up from it."""

import os

import pytest
from hypothesis import HealthCheck, given, settings

schemathesis = pytest.importorskip("schemathesis")

EXAMPLES = 500 if os.environ.get("EMENDO_LONG") else 25


@pytest.fixture(scope="module")
def api(server):
    return schemathesis.openapi.from_url(f"{server.url}/openapi.json")


@pytest.mark.parametrize("path", ["/v1/edit", "/v1/edit/stream", "/v1/align", "/v1/info"])
@pytest.mark.parametrize("mode", ["positive", "negative"])
def test_the_api_is_as_it_says(api, path, mode):
    (operation,) = (each.ok() for each in api.get_all_operations() if each.ok().path == path)
    if path == "/v1/info" and mode == "negative":
        pytest.skip("it takes nothing that could be wrong")
    cases = operation.as_strategy(generation_mode=schemathesis.GenerationMode(mode))

    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(cases)
    def ask(case):
        case.call_and_validate()

    ask()
