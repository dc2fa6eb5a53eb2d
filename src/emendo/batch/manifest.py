"""The manifest: a small entry for each finished fragment. Only the entry marks it as done.

Entries are written last. Every thousand entries are merged into one file, so that neither the
folder nor the memory of its readers grows with the rows.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from emendo.batch.counts import Counts
from emendo.batch.storage import STATE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from emendo.batch.storage import Folder

_ENTRIES, _GATHERED = f"{STATE}/manifest", f"{STATE}/gathered"
_ATTEMPTS, _FAILED = f"{STATE}/attempts", f"{STATE}/failed"
GATHER_AT = 1000


class Example(NamedTuple):
    """An edit, and some of the text around it."""

    type: str
    before: str
    old: str
    new: str
    after: str


@dataclass(frozen=True)
class Entry:
    """A fragment that is done."""

    number: int
    output: str
    output_bytes: int
    sha256: str
    counts: Counts
    seconds: float
    """Seconds that a worker took."""
    finished: float
    """When, in seconds since 1970."""
    size: int
    """Bytes of the input, as the plan has them."""
    examples: list[Example] = field(default_factory=list)
    """Some edits, of few fragments."""

    def to_json(self) -> bytes:
        """Write it as one line."""
        return json.dumps({**vars(self), "counts": self.counts.to_dict()}).encode() + b"\n"

    @classmethod
    def from_json(cls, line: bytes) -> Entry:
        """Read the output of `to_json`."""
        content = json.loads(line)
        examples = [Example(*each) for each in content["examples"]]
        counts = Counts.from_dict(content["counts"])
        return cls(**{**content, "counts": counts, "examples": examples})


class Manifest:
    """The entries in an output folder."""

    def __init__(self, output: Folder) -> None:
        self._output = output

    def commit(self, entry: Entry) -> None:
        """Mark a fragment as done."""
        self._output.put(_entry(entry.number), entry.to_json())
        self._output.remove(f"{_ATTEMPTS}/{entry.number:08}")

    def find(self, number: int) -> Entry | None:
        """Return the entry of a fragment, unless it has already been merged."""
        try:
            return Entry.from_json(self._output.read(_entry(number)))
        except FileNotFoundError:
            return None

    def read(self) -> Iterator[Entry]:
        """Read all entries, each once."""
        # Single ones first: one that is merged meanwhile is then in a file that is read later.
        seen = _Numbers()
        for name in sorted(self._output.sizes(_ENTRIES)):
            try:
                entry = Entry.from_json(self._output.read(name))
            except FileNotFoundError:
                continue
            if seen.add(entry.number):
                yield entry
        for name in sorted(self._output.sizes(_GATHERED)):
            with self._output.open(name) as file:
                for line in file:
                    entry = Entry.from_json(line)
                    if seen.add(entry.number):
                        yield entry

    def gather(self) -> None:
        """Merge single entries into one file, then remove them."""
        names = sorted(self._output.sizes(_ENTRIES))
        for start in range(0, len(names), GATHER_AT):
            some = names[start : start + GATHER_AT]
            content = b"".join(map(self._output.read, some))
            # Named by its content, so that no other merged file has the same name.
            name = hashlib.sha256(content).hexdigest()[:16]
            self._output.put(f"{_GATHERED}/{name}.jsonl", content)
            for name in some:
                self._output.remove(name)

    def begin_attempt(self, number: int) -> int:
        """Record the start of a fragment, and return how often it started without finishing."""
        folder = f"{_ATTEMPTS}/{number:08}"
        before = len(self._output.sizes(folder))
        self._output.put(f"{folder}/{before}", b"")
        return before

    def fail(self, number: int, reason: str) -> None:
        """Put a fragment aside, until the job is started again."""
        content = {"number": number, "reason": reason}
        self._output.put(f"{_FAILED}/{number:08}.json", json.dumps(content).encode())

    def failures(self) -> list[dict[str, Any]]:
        """Return the fragments that were put aside, with the reasons."""
        names = sorted(self._output.sizes(_FAILED))
        return [json.loads(self._output.read(name)) for name in names]

    def forget_attempts(self) -> None:
        """Remove the records of failed attempts."""
        self._output.remove(_ATTEMPTS)

    def forget_failures(self) -> None:
        """Remove the records of fragments that were put aside."""
        self._output.remove(_FAILED)

    def drop(self, numbers: Iterable[int]) -> None:
        """Remove fragments from the manifest, so that they are done again."""
        dropped = set(numbers)
        for name in sorted(self._output.sizes(_GATHERED)):
            lines = self._output.read(name).splitlines(keepends=True)
            kept = [line for line in lines if Entry.from_json(line).number not in dropped]
            if len(kept) < len(lines):
                self._output.put(name, b"".join(kept))
        for number in dropped:
            self._output.remove(_entry(number))


class _Numbers:
    """A set of numbers, one byte for each."""

    def __init__(self) -> None:
        self._seen = bytearray()

    def add(self, number: int) -> bool:
        """Add a number, and return whether it is new."""
        if number >= len(self._seen):
            self._seen.extend(bytes(number + 1 - len(self._seen)))
        is_new = not self._seen[number]
        self._seen[number] = 1
        return is_new


def _entry(number: int) -> str:
    return f"{_ENTRIES}/{number:08}.json"
