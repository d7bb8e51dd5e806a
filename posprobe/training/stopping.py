"""Stopping on request."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class TrainingStopped(Exception):  # noqa: N818 - a request that was met, no error
    """A training that was asked to stop, and saved its state."""


@contextmanager
def stop_on_sigterm() -> Iterator[threading.Event]:
    """Give a flag that SIGTERM sets; the handler from before comes back at the end."""
    flag = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread may set handlers; elsewhere nobody sends us signals.
        yield flag
        return
    before = signal.signal(signal.SIGTERM, lambda *_: flag.set())
    try:
        yield flag
    finally:
        signal.signal(signal.SIGTERM, before)
