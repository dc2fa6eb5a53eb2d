"""A command run on a terminal of its own, as a person runs it."""

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

ROWS, COLUMNS = 40, 120


class Terminal:
    """`emendo` with a terminal for its input and output; what it prints is kept."""

    def __init__(self, *arguments, environment=None):
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "emendo", *map(str, arguments)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            env={**os.environ, "TERM": "xterm-256color", **(environment or {})},
        )
        os.close(slave)
        self.output = ""

    def write(self, text):
        os.write(self._master, text.encode())

    def interrupt(self):
        """Do as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)

    def wait_for(self, text, seconds=60):
        """Read until a text was printed."""
        deadline = time.monotonic() + seconds
        while text not in self.output and time.monotonic() < deadline:
            if not self._read(0.1) and self.process.poll() is not None:
                break
        assert text in self.output, self.output
        return self.output

    def finish(self, seconds=120):
        """Read until the command has ended, and return its exit code."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if not self._read(0.1) and self.process.poll() is not None:
                return self.process.wait()
        raise AssertionError(f"still running: {self.output}")

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=30)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._master)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _read(self, seconds):
        ready, _, _ = select.select([self._master], [], [], seconds)
        if not ready:
            return False
        try:
            found = os.read(self._master, 65536)
        except OSError:  # Linux says so when the other end is closed.
            return False
        self.output += found.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(found)
