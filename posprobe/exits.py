"""How the command line ends: quietly, or with one line that says what to do."""

import logging
import sys
from typing import NoReturn

import typer

from posprobe.core.errors import UserError
from posprobe.training.stopping import TrainingStopped

USER_ERROR, BUG, INTERRUPTED, TERMINATED = 2, 1, 130, 143


def run_and_exit(app: typer.Typer) -> NoReturn:
    """Run the app and exit; a traceback only with `--debug`."""
    debug = "--debug" in sys.argv
    _speak()
    try:
        status = typer.main.get_command(app)(standalone_mode=False)
        if status == INTERRUPTED:
            raise KeyboardInterrupt
        sys.exit(status if isinstance(status, int) else 0)
    except Exception as error:
        if debug:
            raise
        line, status = _explain(error)
        print(f"posprobe: {line}", file=sys.stderr)
        sys.exit(status)
    except KeyboardInterrupt:
        print("posprobe: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)


class _ToStderr(logging.Handler):
    """Prints a line to whatever stderr is by then."""

    def emit(self, record: logging.LogRecord) -> None:
        print(f"posprobe: {record.getMessage()}", file=sys.stderr, flush=True)


def _speak() -> None:
    """Pass on to stderr what the library says of its work, a line each."""
    logger = logging.getLogger("posprobe")
    logger.handlers = [_ToStderr()]
    logger.setLevel(logging.INFO)
    logger.propagate = False


def _explain(error: Exception) -> tuple[str, int]:
    if isinstance(error, UserError):
        return _one_line(error), USER_ERROR
    if hasattr(error, "format_message"):  # a mistake in the command line itself
        return f"{error.format_message()} (see posprobe --help)", USER_ERROR  # pyright: ignore
    if isinstance(error, TrainingStopped):
        return _one_line(error), TERMINATED
    if type(error).__name__ == "Abort":
        return "stopped", INTERRUPTED
    if isinstance(error, OSError):
        return _one_line(error), USER_ERROR
    return f"unexpected {type(error).__name__}: {_one_line(error)}; --debug shows where", BUG


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
