"""Ray Data around the same work: a row is a fragment, an actor reads, edits and writes it.

Only numbers and names pass through Ray, never text, so that no part of the corpus is lost with
Ray's memory. Ray replaces actors and nodes that die. A fragment that it does lose is missing in the
manifest, and is done when the job is started again.
"""

from __future__ import annotations

import logging
import os
import secrets
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from emendo.errors import JobError, require

require("emendo batch without --local", "batch,ray", "ray")

# Set before the import, which reads it: Ray sends no usage statistics.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray
from ray._private import node as ray_node
from ray._private import ray_constants
from ray.data import ActorPoolStrategy, DataContext
from ray.data.exceptions import SystemException
from ray.exceptions import RayError

from emendo.batch.fragment_editor import FragmentEditor, Outcome, pin_threads
from emendo.batch.fragments import Fragment
from emendo.batch.manifest import Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

    from emendo.batch.job import Job

# Ray keeps a record of each block; beyond this number, fragments share blocks.
_MAX_BLOCKS = 20_000
# Enough for names and numbers.
_OBJECT_STORE_BYTES = 128 << 20
_TOKENS = ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
_logger = logging.getLogger(__name__)


class RayPool:
    """Runs fragments as a Ray Data job."""

    def __init__(self, job: Job, workers: int | None, address: str | None) -> None:
        """Connect to a cluster, or start one on this machine only.

        Args:
            job: The job.
            workers: Actors at most; by default as many as the cluster has processors now.
            address: A cluster's; None starts one, which ends with this process.
        """
        self._job = job
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.WARNING}
        try:
            if address is None:
                with _kept_to_this_machine():
                    ray.init(
                        num_cpus=workers,
                        object_store_memory=_OBJECT_STORE_BYTES,
                        include_dashboard=False,
                        **quiet,
                    )
            else:
                ray.init(address=address, **quiet)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise JobError(
                f"Ray cannot be reached at {address or 'this machine'}: {error}"
            ) from error
        self.workers = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        DataContext.get_current().enable_progress_bars = False

    def outcomes(
        self, fragments: Iterator[Fragment], on_rows: Callable[[int], object]
    ) -> Generator[Outcome]:
        """Edit fragments, in the order in which they finish.

        Args:
            fragments: Listed before the first one starts.
            on_rows: Called with the number of rows of each finished fragment.
        """
        rows = [fragment.to_dict() for fragment in fragments]
        if not rows:
            return
        most = min(self.workers, len(rows))
        done = ray.data.from_items(
            rows, override_num_blocks=min(len(rows), _MAX_BLOCKS)
        ).map_batches(
            _Actor,
            fn_constructor_args=(self._job,),
            batch_size=1,
            compute=ActorPoolStrategy(
                min_size=1, max_size=most, initial_size=most, max_tasks_in_flight_per_actor=2
            ),
            # Ray Data restarts actors and repeats their work without limit; the attempts that the
            # manifest counts are the limit.
            num_cpus=1,
        )
        try:
            for row in done.iter_rows():
                entry = Entry.from_json(row["entry"]) if row["entry"] else None
                if entry:
                    on_rows(entry.counts.rows)
                yield Outcome(int(row["number"]), entry, row["failure"], row["stop"])
        except (RayError, SystemException) as error:
            last = str(error).strip().rsplit("\n", 1)[-1]
            raise JobError(
                f"Ray stopped: {last}. Run the same command again to continue"
            ) from error
        finally:
            # Now, and not when the process ends, because Ray may print until then.
            ray.shutdown()


@contextmanager
def _kept_to_this_machine() -> Iterator[None]:
    """Start a cluster that contacts no other machine and leaves no file in the user's home.

    docs/decisions/0019-no-telemetry.md describes what Ray does by default, and why its own
    switches are not enough.
    """
    with ExitStack() as stack:
        # Without a dashboard, this process would only query which cloud it runs in.
        stack.enter_context(_replaced(ray_node.Node, "start_api_server", _start_nothing))
        # Makes loopback Ray's own address, here and in the processes that it starts.
        stack.enter_context(_replaced(ray_constants, "ENABLE_RAY_CLUSTER", False))
        variables = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
        if not any(name in os.environ for name in _TOKENS):
            # Otherwise Ray would create one and store it in a file.
            variables["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
        stack.enter_context(_in_environment(variables))
        yield


def _start_nothing(*_: object, **__: object) -> None:
    """Do nothing where Ray would start a process."""


@contextmanager
def _replaced(owner: Any, name: str, value: object) -> Iterator[None]:
    if not hasattr(owner, name):
        _logger.warning("this version of Ray has no %s, and may contact other machines", name)
        yield
        return
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


@contextmanager
def _in_environment(variables: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class _Actor:
    """A worker in the form that Ray Data requires: takes a batch and returns a batch."""

    def __init__(self, job: Job) -> None:
        pin_threads()
        self._editor = FragmentEditor(job)

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        """Edit the one fragment of a batch."""
        outcome = self._editor.run(Fragment(**{name: _plain(batch[name]) for name in batch}))
        return {
            "number": [outcome.number],
            "entry": [outcome.entry.to_json() if outcome.entry else b""],
            "failure": [outcome.failure],
            "stop": [outcome.stop],
        }


def _plain(values: Any) -> Any:
    value = values[0]
    return value.item() if hasattr(value, "item") else value
