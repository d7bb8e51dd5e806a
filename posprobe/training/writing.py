"""What a user is told when nothing more can be written."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from safetensors import SafetensorError

from posprobe.core.errors import UserError


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn a full disk, or a folder that may not be written, into one line.

    Raises:
        UserError: With the system's reason.
    """
    try:
        yield
    except (OSError, SafetensorError, RuntimeError) as error:
        reason = _reason(error)
        if reason is None:
            raise
        raise UserError(
            f"{folder}: cannot be written ({reason}); what was saved before is whole, and the "
            "same command goes on from there"
        ) from error


def _reason(error: Exception) -> str | None:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if isinstance(error, SafetensorError):
        return str(error).splitlines()[0]
    # torch's writer has no error of its own; when a write fails it finds itself out of step.
    ours = "PytorchStreamWriter" in str(error) or "unexpected pos" in str(error)
    return "is the disk full?" if ours else None
