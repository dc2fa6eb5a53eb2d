"""Python in a process of its own, as a person would start it."""

import subprocess
import sys


def run_python(*command, **options):
    """Run a script or a module and return what it printed; if it fails, say what it said."""
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        check=False,
        text=True,
        capture_output=True,
        **options,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
