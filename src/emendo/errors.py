"""Every error emendo raises on purpose: what was wrong, where, and what to do.

`RequestError` is the caller's to fix, `ServerError` is ours; each concrete error is also the
built-in exception a Python user would expect, so plain `except ValueError` keeps working.
"""

from importlib.util import find_spec


class EmendoError(Exception):
    """Base of all errors raised by emendo."""


class RequestError(EmendoError):
    """What was asked for cannot be done as asked: the caller can put it right."""


class ServerError(EmendoError):
    """Something on our side failed; the same request may work later."""


class TokenizerError(RequestError, ValueError):
    """A tokenizer that emendo cannot read, or cannot use for what was asked."""


class EditError(RequestError, ValueError):
    """Edits that do not fit the text they are applied to."""


class TextTypeError(RequestError, TypeError):
    """Something else than text where text was expected."""


class FormatError(RequestError, ValueError):
    """A file or a line that is not in the format it should be in."""


class ConfigError(RequestError, ValueError):
    """A configuration with an unknown key, a wrong value, or a gap."""


class BundleError(RequestError, ValueError):
    """A bundle that is damaged, too new, or none at all."""


class ExportError(RequestError, RuntimeError):
    """A network that cannot be turned into a bundle, or not into the same editor."""


class TrainingError(RequestError, RuntimeError):
    """A training run that cannot go on; its last good checkpoint is intact."""


class JobError(ServerError, RuntimeError):
    """A job that cannot go on for now; what is done stays done."""


class AccessError(RequestError, PermissionError):
    """A key that is missing or unknown."""


class ForbiddenError(AccessError):
    """A caller who may not come in, whatever key he has."""


class TooLargeError(RequestError, ValueError):
    """More than the server was told to take."""


class RateError(RequestError, RuntimeError):
    """One caller who asks too often; waiting helps."""

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class OverloadedError(ServerError, RuntimeError):
    """More requests than can wait; trying again soon may work."""

    retry_after = 1


class DeadlineError(ServerError, TimeoutError):
    """A request that took longer than it may."""

    retry_after = 5


class StorageError(ServerError, OSError):
    """A disk without room for what should be kept."""


class EngineError(ServerError, RuntimeError):
    """The network failed on a batch; other batches are not touched."""


class MissingExtraError(RequestError, ImportError):
    """A part of emendo whose optional packages are not installed."""

    def __init__(self, part: str, extra: str) -> None:
        super().__init__(
            f'{part} needs packages that are not installed: pip install "emendo[{extra}]"'
        )


def require(part: str, extra: str, *packages: str) -> None:
    """Raise `MissingExtraError` unless all packages are installed."""
    if not all(find_spec(package) for package in packages):
        raise MissingExtraError(part, extra)
