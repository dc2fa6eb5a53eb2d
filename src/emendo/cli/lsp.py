"""`emendo lsp`: the language server, for editors."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from emendo.cli.model_options import BackendOption, ModelsOption, PrecisionOption, ThreadsOption
from emendo.errors import require

if TYPE_CHECKING:
    from emendo.inference import Editors
    from emendo.lsp.settings import Settings


def lsp(
    model: ModelsOption = None,
    dictionary: Annotated[
        Path | None,
        typer.Option(
            envvar="EMENDO_DICTIONARY", help="The file of the user's words; created if missing."
        ),
    ] = None,
    backend: BackendOption = "auto",
    precision: PrecisionOption = "auto",
    threads: ThreadsOption = 1,
    alternatives: Annotated[
        bool,
        typer.Option(
            "--alternatives", envvar="EMENDO_ALTERNATIVES", help="Offer more than one correction."
        ),
    ] = False,
) -> None:
    """Run a language server for an editor.

    It uses the Language Server Protocol over standard input and output. Model, level, language,
    dictionary and more are settings of the editor: docs/how-to/lsp.md.
    """
    require("emendo lsp", "lsp", "pygls", "lsprotocol", "pylatexenc")
    import logging

    from emendo.lsp.server import create_server
    from emendo.lsp.settings import Settings

    def load(settings: "Settings") -> "Editors":
        from emendo.inference.loading import load_editors

        return load_editors(
            settings.models,
            backend=backend,
            precision=precision,
            threads=threads,
            # One sentence changes at a time; larger batches would only take memory.
            batch_tokens=256,
            alternatives=alternatives,
        )

    # It would log messages that it cannot parse, including the user's text.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    # The same file that the server uses for a user without a key and a name.
    words = Path(typer.get_app_dir("emendo")) / "dictionaries/local/default/default.txt"
    create_server(load, Settings(dictionary or words, tuple(model or ()))).start_io()
