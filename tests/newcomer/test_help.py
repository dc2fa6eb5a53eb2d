"""Whoever asks for help sees commands to start from, and they work as they stand."""

import re
import shlex

import pytest
import typer
from typer.testing import CliRunner

from emendo.cli.main import app

ROOT = typer.main.get_command(app)


def verbs(command=ROOT, name=()):
    """Return every verb by its words."""
    found = {" ".join(name): command} if name else {}
    for word, child in getattr(command, "commands", {}).items():
        found |= verbs(child, (*name, word))
    return found


def parsed(command, words):
    """Return the verb that words lead to, with its options read."""
    context = command.make_context("emendo", list(words))
    while getattr(context.command, "commands", None):
        name, child, rest = context.command.resolve_command(
            context, [*context._protected_args, *context.args]
        )
        context = child.make_context(name, rest, parent=context)
    return context


@pytest.mark.parametrize("verb", verbs())
def test_help_ends_with_examples_that_work(verb):
    shown = CliRunner().invoke(app, [*verb.split(), "--help"], prog_name="emendo").output
    assert "Examples:" in shown
    commands = re.findall(
        r"^ +((?:echo .* \| )?emendo .*)$", shown.split("Examples:")[1], re.MULTILINE
    )
    assert commands
    for command in commands:
        words = shlex.split(command.rpartition(" | ")[2])
        assert words[: 1 + len(verb.split())] == ["emendo", *verb.split()] or verb == "batch run"
        parsed(ROOT, words[1:])


def test_the_version_is_printed():
    shown = CliRunner().invoke(app, ["--version"], prog_name="emendo")
    assert shown.exit_code == 0
    assert re.fullmatch(r"emendo \d+\.\d+\.\d+\S*\n", shown.output)
