"""`emendo models`: lists the installed models."""

from __future__ import annotations


def models() -> None:
    """List the installed models.

    The names are those that `--model` and `load_editor` accept.
    """
    from rich.console import Console
    from rich.table import Table

    from emendo.bundle import HOW_TO_INSTALL, installed_models, open_bundle

    found = installed_models()
    if not found:
        print(f"No model is installed; {HOW_TO_INSTALL}")
        return
    table = Table("name", "package", "task", "levels", "MB", box=None)
    for model in found:
        config = open_bundle(model.folder).config
        size = sum(entry.bytes for entry in config.files.values()) / 1e6
        levels = ", ".join(config.levels)
        package = f"{model.package} {model.version}"
        table.add_row(model.name, package, config.task, levels, f"{size:.0f}")
    Console().print(table)
