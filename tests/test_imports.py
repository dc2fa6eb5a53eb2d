"""What `import emendo` costs, and what it never brings along."""

import ast
import subprocess
import sys

from tests.conftest import ROOT

HEAVY = (
    "torch",
    "transformers",
    "datasets",
    "pyarrow",
    "accelerate",
    "ray",
    "fsspec",
    "fastapi",
    "uvicorn",
    "prometheus_client",
    "onnxruntime",
    "onnx",
    "openvino",
    "spacy",
    "errant",
    "lemminflect",
    "pygls",
    "lsprotocol",
    "pylatexenc",
)
PROBE = f"""
import sys, time
start = time.perf_counter()
import emendo, emendo.text, emendo.ctc, emendo.bundle, emendo.inference, emendo.inference.loading
import emendo.data.encoding, emendo.data.windows
import emendo.data.readers, emendo.data.filters, emendo.data.batching, emendo.data.statistics
import emendo.synthesis.synthesis, emendo.synthesis.page, emendo.synthesis.writing
import emendo.evaluation.metrics, emendo.evaluation.raw_text, emendo.cli.main
seconds = time.perf_counter() - start
print([name for name in {HEAVY!r} if name in sys.modules], seconds)
"""


def test_the_core_imports_nothing_heavy():
    output = subprocess.run(
        [sys.executable, "-c", PROBE], check=True, capture_output=True, text=True
    ).stdout.strip()
    loaded, seconds = output.rsplit(" ", 1)
    assert loaded == "[]"
    assert float(seconds) < 2.0


def test_the_terminal_needs_not_even_numpy():
    code = (
        "import sys, emendo.cli.main\n"
        "print([name for name in ('numpy', 'tokenizers') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.strip() == "[]"


def test_every_public_name_is_there():
    import emendo

    assert all(getattr(emendo, name) for name in emendo.__all__)


def test_the_version_is_that_of_the_package():
    from importlib.metadata import version

    import emendo

    assert emendo.__version__ == version("emendo")


def test_no_two_files_of_the_server_import_each_other():
    folder = ROOT / "src/emendo/serving"
    imports = {
        "emendo." + ".".join(path.relative_to(folder.parent).with_suffix("").parts): {
            node.module
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom) and node.module
        }
        for path in folder.rglob("*.py")
    }
    assert not [
        (name, other)
        for name in imports
        for other in imports[name]
        if name in imports.get(other, ()) and name < other
    ]
