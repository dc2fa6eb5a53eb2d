"""The errors that emendo raises on purpose.

A message says what is wrong, where, and what to do. The caller can fix a `RequestError`; a
`ServerError` is a failure of the process. Most errors are also the built-in exception that fits
them, so `except ValueError` works as usual.
"""

from importlib.util import find_spec


class EmendoError(Exception):
    """Base of all errors raised by emendo."""


class RequestError(EmendoError):
    """A request that cannot be fulfilled as it is; the caller can correct it."""


class ServerError(EmendoError):
    """A failure of the process; the same request may succeed later."""


class TokenizerError(RequestError, ValueError):
    """A tokenizer that emendo cannot read or use."""


class EditError(RequestError, ValueError):
    """Edits that do not fit the text to which they are applied."""


class TextTypeError(RequestError, TypeError):
    """A value that is not text where text is expected."""


class FormatError(RequestError, ValueError):
    """A file or a line in a wrong format."""


class ConfigError(RequestError, ValueError):
    """A configuration with an unknown key, a wrong value or a missing value."""


class BundleError(RequestError, ValueError):
    """A bundle that is damaged, too new or missing."""


class ExportError(RequestError, RuntimeError):
    """A network that cannot be exported, or whose bundle makes different edits."""


class TrainingError(RequestError, RuntimeError):
    """A training run that cannot continue; its last good checkpoint is intact."""


class JobError(ServerError, RuntimeError):
    """A job that cannot continue for now; finished work is kept."""


class AccessError(RequestError, PermissionError):
    """A key that is missing or unknown."""


class ForbiddenError(AccessError):
    """A caller who is refused regardless of the key."""


class TooLargeError(RequestError, ValueError):
    """A request above the configured limits."""


class RateError(RequestError, RuntimeError):
    """Too many requests of one caller; `retry_after` says how many seconds to wait."""

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class OverloadedError(ServerError, RuntimeError):
    """Too many waiting requests; the same request may succeed soon."""

    retry_after = 1


class DeadlineError(ServerError, TimeoutError):
    """A request that exceeded its deadline."""

    retry_after = 5


class StorageError(ServerError, OSError):
    """A full disk."""


class EngineError(ServerError, RuntimeError):
    """A failure of the network on one batch; other batches are not affected."""


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
