"""`python -m emendo`."""

from emendo.cli.main import run

if __name__ == "__main__":
    run()
