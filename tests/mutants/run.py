"""Plant small bugs in the core and see whether the tests notice.

    python -m tests.mutants.run [--sample 60] [--jobs 2] [FILE ...]

Every file of concerned.py is broken in every way that planting.py knows, one bug at a time, in a
copy of the sources, and the tests that concern it run until the first one fails. A mutant that no
test notices has lived; survivors.toml lists those that may, each with its reason. A survivor that
is not listed fails the run, and so does a listed one that is killed: the list then says too much.

`--sample` takes that many mutants of the files that survivors.toml names for it, always the same
ones as long as their lines stay as they are; CI does so. Prints one JSON object on its last line.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from tests.mutants.concerned import CONCERNED
from tests.mutants.planting import Mutant, name_of, plant
from tests.mutants.prebuilt import MAKES_IT, NEED_IT, WHERE

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
SURVIVORS = Path(__file__).with_name("survivors.toml")
OPTIONS = (
    *("-x", "-q", "--no-header", "--no-summary", "-p", "no:cacheprovider"),
    *("-p", "tests.mutants.prebuilt", "-p", "pytest_timeout", "-p", "_hypothesis_pytestplugin"),
)
# How many times the processor time of its tests a mutant may take, and seconds besides; more is a
# loop without end. By the clock it has an hour, for it may sleep and the machine may be busy.
PATIENCE, GRACE, LONGEST = 4, 10, 3600
# What every child imports itself: emendo and its tests, and engines, whose import is tested.
OWN = ("emendo", "tests", "onnxruntime", "openvino")


class Tree:
    """A copy of the package to break, and the process that runs tests on it."""

    def __init__(self, folder: Path) -> None:
        self.mutant: Mutant | None = None
        self.name = ("", "", "")
        self.is_running = False
        self.seconds = 0.0
        """Processor time of the last run."""
        self._folder = folder
        self._pid = 0
        self._until = 0.0
        shutil.copytree(ROOT / "src/emendo", folder / "src/emendo")

    def plant(self, mutant: Mutant, code: str) -> bool:
        """Put a bug in; False if what comes out is no Python."""
        source = mutant.source(code)
        if source == code:
            return False
        self.mutant, self.name = mutant, name_of(mutant, code, source)
        (self._folder / "src/emendo" / mutant.file).write_text(source, encoding="utf-8")
        return True

    def repair(self, code: str) -> None:
        """Take the bug out."""
        assert self.mutant
        (self._folder / "src/emendo" / self.mutant.file).write_text(code, encoding="utf-8")

    def start(self, tests: tuple[str, ...], seconds: float) -> None:
        """Run tests, for so many seconds of processor time at most."""
        sys.stdout.flush()
        self._until = time.monotonic() + LONGEST
        self.is_running = True
        self._pid = os.fork()
        if not self._pid:
            os._exit(self._test(tests, int(seconds)))

    def _test(self, tests: tuple[str, ...], seconds: int) -> int:
        """Be the child: the tests of this process see the copy, and so do those they start."""
        import pytest

        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        log = os.open(self._folder / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        sys.dont_write_bytecode = True
        source = str(self._folder / "src")
        sys.path.insert(0, source)
        path = os.pathsep.join((source, os.environ.get("PYTHONPATH", "")))
        os.environ |= {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        os.chdir(ROOT)
        try:
            return int(pytest.main([*OPTIONS, *tests]))
        except BaseException:
            return 3
        finally:
            (self._folder / "modules").write_text("\n".join(modules()))
            sys.stdout.flush()

    def finished(self) -> int | None:
        """Return how the tests ended if they have; negative if they were stopped."""
        pid, status, used = os.wait4(self._pid, os.WNOHANG)
        if not pid and time.monotonic() < self._until:
            return None
        # Also what the tests have started and left.
        try:
            os.killpg(self._pid, signal.SIGKILL)
        except ProcessLookupError:
            assert pid
        if not pid:
            _, status, used = os.wait4(self._pid, 0)
        self.seconds = used.ru_utime + used.ru_stime
        self.is_running = False
        return os.waitstatus_to_exitcode(status)

    def must_pass(self, tests: tuple[str, ...]) -> float:
        """Run tests without a bug, and return the processor time they take.

        What they import is then imported here, so that no later child has to.
        """
        self.start(tests, LONGEST)
        while (code := self.finished()) is None:
            time.sleep(0.02)
        if code:
            log = (self._folder / "log").read_text(errors="replace")
            raise SystemExit(f"{' '.join(tests)}: fails without a bug\n{log}")
        for name in (self._folder / "modules").read_text().splitlines():
            # Some are only there in the company of others.
            with contextlib.suppress(Exception):
                importlib.import_module(name)
        assert "emendo" not in sys.modules
        return self.seconds


def modules() -> list[str]:
    """Return the modules that are imported and are not this project's, in their order."""
    return [
        name
        for name, module in list(sys.modules.items())
        if not name.startswith(OWN)
        and (file := getattr(module, "__file__", None))
        and not Path(file).is_relative_to(ROOT)
    ]


def run(
    mutants: list[Mutant], trees: list[Tree], codes: dict[str, str], limits: dict[str, float]
) -> Iterator[tuple[Mutant, tuple[str, str, str], bool]]:
    """Yield each mutant, its name and whether it lived."""
    waiting = list(reversed(mutants))
    while waiting or any(tree.is_running for tree in trees):
        for tree in trees:
            if tree.is_running and (code := tree.finished()) is not None:
                assert tree.mutant
                tree.repair(codes[tree.mutant.file])
                yield tree.mutant, tree.name, code == 0
            if not tree.is_running and waiting:
                mutant = waiting.pop()
                if tree.plant(mutant, codes[mutant.file]):
                    tree.start(CONCERNED[mutant.file], limits[mutant.file])
        time.sleep(0.01)


def share(lived: int, killed: int) -> float:
    """Return how many lived of all."""
    return round(lived / max(1, lived + killed), 4)


def main() -> None:
    """Do as the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", help="below src/emendo; default: all")
    parser.add_argument("--sample", type=int, help="so many mutants, always the same")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    unknown = set(options.files) - set(CONCERNED)
    if unknown:
        parser.error(f"concerned.py names no tests for {', '.join(sorted(unknown))}")
    begin = time.monotonic()
    listed = tomllib.loads(SURVIVORS.read_text(encoding="utf-8"))
    chosen = options.files or (listed["sampled"] if options.sample else CONCERNED)
    codes = {file: (ROOT / "src/emendo" / file).read_text(encoding="utf-8") for file in chosen}
    mutants = [mutant for file, code in codes.items() for mutant in plant(file, code)]
    # In no order of files: a run that is broken off has seen a fair sample.
    mutants.sort(key=lambda mutant: mutant.rank)
    mutants = mutants[: options.sample]
    files = list(dict.fromkeys(mutant.file for mutant in mutants))
    os.environ |= {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    # Hundreds of runs start below, and none needs the plugins that happen to be installed.
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    known = {(each["file"], each["was"], each["now"]) for each in listed["survivor"]}
    lived: Counter[str] = Counter()
    killed: Counter[str] = Counter()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ[WHERE] = str(Path(folder) / "bundle")
        trees = [Tree(Path(folder) / str(k)) for k in range(options.jobs)]
        if any(test in NEED_IT for file in files for test in CONCERNED[file]):
            trees[0].must_pass(MAKES_IT)
        taken = {tests: trees[0].must_pass(tests) for tests in {CONCERNED[file] for file in files}}
        limits = {file: GRACE + PATIENCE * taken[CONCERNED[file]] for file in files}
        for mutant, name, has_lived in run(mutants, trees, codes, limits):
            (lived if has_lived else killed)[mutant.file] += 1
            if has_lived != (name in known):
                wrong += 1
                says = "lived, and has no reason" if has_lived else "is killed, but listed"
                print(f"{mutant.file}:{mutant.line} {says}\n    {name[1]}\n    {name[2]}")
            if (killed.total() + lived.total()) % 20 == 0:
                print(f"{killed.total()} killed, {lived.total()} lived", flush=True)
    for file in files:
        print(f"{file:32s} killed {killed[file]:4d}  lived {lived[file]:3d}")
    in_ctc = [
        sum(kind[file] for file in files if file.startswith("ctc/")) for kind in (lived, killed)
    ]
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    figures = {
        "mutants": lived.total() + killed.total(),
        "killed": killed.total(),
        "lived": lived.total(),
        "lived_share": share(lived.total(), killed.total()),
        "ctc_killed": in_ctc[1],
        "ctc_lived": in_ctc[0],
        "ctc_lived_share": share(*in_ctc),
        "wrong": wrong,
        "seconds": round(time.monotonic() - begin),
        "cpu_seconds": round(spent.ru_utime + spent.ru_stime),
    }
    print(json.dumps(figures))
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
