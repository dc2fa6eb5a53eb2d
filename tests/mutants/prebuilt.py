"""A pytest plugin: the tiny bundle is exported once for all mutants, not once for each."""

import os
import shutil
from pathlib import Path

import pytest
from _pytest.fixtures import pytest_fixture_setup as set_up

WHERE = "EMENDO_PREBUILT"
# A quick test that asks for it, and the tests that need it.
MAKES_IT = ("tests/inference/test_loading.py::test_nothing_is_unpickled",)
NEED_IT = (
    *("tests/inference/test_loading.py", "tests/inference/test_threads.py"),
    *("tests/batch/test_jobs.py", "tests/bundle/test_hostile_bundles.py"),
)


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef, request):
    """Give the bundle that was made before; the first time, keep what is made."""
    if fixturedef.argname != "tiny_bundle":
        return None
    kept = Path(os.environ[WHERE])
    if not kept.exists():
        shutil.copytree(set_up(fixturedef, request), kept)
    fixturedef.cached_result = (kept, fixturedef.cache_key(request), None)
    return kept
