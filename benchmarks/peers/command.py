"""Any command that reads one text per line and writes one correction per line."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def connect(command: str, *, timeout: float = 3600) -> Callable[[list[str]], list[str]]:
    """Return a function that runs a command once over all texts, without a shell."""
    words = shlex.split(command)
    if not words:
        raise SystemExit("the command is empty")

    def correct(texts: list[str]) -> list[str]:
        assert not any("\n" in text for text in texts), "one text per line"
        output = _run(words, "".join(f"{text}\n" for text in texts).encode(), timeout)
        try:
            lines = output.decode().removesuffix("\n").split("\n") if texts else []
        except UnicodeDecodeError as error:
            raise SystemExit(f"{words[0]} wrote bytes that are not UTF-8: {error}") from None
        if len(lines) != len(texts):
            raise SystemExit(
                f"{words[0]} wrote {len(lines)} lines for {len(texts)} texts: it must write one "
                "line for each, also for an empty text"
            )
        return [line.removesuffix("\r") for line in lines]

    return correct


def _run(words: list[str], lines: bytes, timeout: float) -> bytes:
    pipe = subprocess.PIPE
    try:
        # In its own session, so that the processes it starts are stopped with it.
        process = subprocess.Popen(
            words, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
    except OSError as error:
        raise SystemExit(f"cannot run {words[0]}: {error.strerror}") from None
    with process:
        try:
            output, errors = process.communicate(lines, timeout)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise SystemExit(f"{words[0]} was stopped after {timeout:g} s") from None
            raise
    if process.returncode:
        said = errors.decode("utf-8", "replace").strip().splitlines() or ["none"]
        raise SystemExit(
            f"{words[0]} ended with status {process.returncode}; last error line: {said[-1]}"
        )
    return output
