"""Examples at the end of each command's help."""

from __future__ import annotations

EXAMPLES = {
    "edit": (
        'echo "She go home." | emendo edit',
        "emendo edit --diff notes.md",
        "emendo edit --in-place chapter1.tex chapter2.tex",
        "emendo edit --check --level precise README.md",
    ),
    "serve": (
        "emendo serve",
        "emendo serve --model my-bundle --port 9000 --alternatives",
        "emendo serve --host 0.0.0.0 --api-keys-file keys.txt",
    ),
    "lsp": ("emendo lsp", "emendo lsp --model my-bundle --alternatives"),
    "align": ('emendo align "She go home."', 'emendo align "She go home." --svg alignment.svg'),
    "models": ("emendo models",),
    "score": (
        "emendo score --metric m2 --reference gold.m2 --hypothesis output.txt",
        "emendo score --metric gleu --source source.txt -r a.txt -r b.txt --hypothesis output.txt",
    ),
    "analyze": ("emendo analyze output.txt --reference gold.m2 --page report.html",),
    "compare": ("emendo compare a.txt b.txt --metric errant --reference gold.m2",),
    "synthesize": ("emendo synthesize clean.txt --output pairs.tsv --workers 2",),
    "train": (
        "emendo train run.toml --output runs/mine",
        "emendo train run.toml --output runs/short --set stages.0.steps=100",
    ),
    "export": (
        "emendo export runs/mine my-bundle",
        "emendo export runs/mine my-bundle --int8 --no-fp32 --calibration texts.txt",
    ),
    "tune": (
        "emendo tune my-bundle --reference dev.m2",
        "emendo tune my-bundle --reference dev.m2 --clean news.txt --clean mail.txt",
    ),
    "batch": (
        "emendo batch reviews/ edited/ --column text --local",
        "emendo batch reviews/ edited/ --dry-run",
        "emendo batch status edited/",
    ),
    "batch run": ("emendo batch reviews/ edited/ --column text --local",),
    "batch status": ("emendo batch status edited/",),
    "data": ("emendo data show pairs.tsv --limit 20", "emendo data stats pairs.tsv"),
    "data show": ("emendo data show pairs.tsv --limit 20",),
    "data stats": ("emendo data stats pairs.tsv",),
}


def examples(verb: str) -> str:
    """Return the end of a command's help, with its line breaks kept."""
    return "\b\nExamples:\n" + "\n".join(f"  {command}" for command in EXAMPLES[verb])
