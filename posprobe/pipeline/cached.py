"""Taking from the user's cache what was measured before, and keeping what is measured now."""

import hashlib
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import asdict
from functools import cache
from logging import getLogger
from pathlib import Path
from typing import Any

from posprobe.core.cache import user_cache
from posprobe.core.files import sha256
from posprobe.core.options import MeasureOptions
from posprobe.core.provenance import CheckpointSource, TokenSource, installed_versions
from posprobe.core.references import fetched_config, find_local
from posprobe.core.result import plain
from posprobe.core.threads import thread_count
from posprobe.pipeline.parts import PartDone, how_many_parts, the_part
from posprobe.pipeline.summed import Place, kept_at
from posprobe.report.report import SCHEMA_VERSION

LOG = getLogger("posprobe")
"""Says what came from the cache; silent unless somebody listens, as the command line does."""

_MEASURING = ("core", "data", "models", "loaders", "activations", "analysis", "pipeline")
_PACKAGE = Path(__file__).resolve().parents[1]
_only_look: ContextVar[bool] = ContextVar("only_look", default=False)


class NotMeasured(Exception):  # noqa: N818 - an answer, not an error
    """What was looked for is not in the cache."""


def cached(
    kind: Any,
    compute: Callable[[], Any],
    *,
    measure: str,
    name: str,
    chosen: MeasureOptions,
    source: CheckpointSource,
    tokens: TokenSource | None = None,
    also: Sequence[str] = (),
) -> Any:
    """Return what a measure finds of one checkpoint: from the cache, or computed and kept.

    All that decides the numbers makes the key: the checkpoint with its hash and settings, the
    tokens with theirs, the options, the threads, and the code and the versions that compute.
    A cache that cannot be read or written costs nothing but time. The number of parts of the
    corpus is in the key too, since sums are rounded in their order.

    Args:
        kind: The type of what is found.
        compute: Finds it.
        measure: The measure.
        name: What the result calls the checkpoint.
        chosen: The options; with `no_cache`, it is computed whatever was kept.
        source: The checkpoint.
        tokens: What it runs on; None where no text is run.
        also: Hashes of what else decides the numbers.

    Raises:
        NotMeasured: If it is not kept, within `only_looking`.
        PartDone: If a part of the corpus was summed in place of all.
    """
    kept, parts = user_cache(), how_many_parts()
    key = {
        "schema": SCHEMA_VERSION,
        "code": _code(),
        "versions": installed_versions(),
        "machine": platform.machine(),
        "threads": thread_count(),
        "measure": measure,
        "name": name,
        "checkpoint": plain(source),
        "settings": _settings(source.ref),
        "tokens": plain(tokens),
        "also": list(also),
        "options": {k: v for k, v in plain(asdict(chosen)).items() if k != "no_cache"},
        **({"parts": parts} if parts > 1 else {}),
    }
    if kept is not None and not chosen.no_cache:
        found = kept.load(kind, measure, key)
        if found is not None:
            if not _only_look.get():
                LOG.info("%s of %s is from the cache; --no-cache measures it again", measure, name)
            return found
    if _only_look.get():
        raise NotMeasured
    with kept_at(Place(cache=kept, measure=measure, key=key, again=chosen.no_cache)):
        value = compute()
    if the_part() is not None:
        raise PartDone
    if kept is not None:
        with suppress(OSError):
            kept.save(measure, key, value)
            if parts > 1:
                kept.drop_arrays(measure, key)
    return value


@contextmanager
def only_looking() -> Iterator[None]:
    """Within, a measure that is not in the cache raises `NotMeasured` in place of running."""
    token = _only_look.set(True)
    try:
        yield
    finally:
        _only_look.reset(token)


@cache
def _code() -> str:
    """Hash the code that computes, so that a changed one never meets its older results."""
    files = (file for part in _MEASURING for file in (_PACKAGE / part).rglob("*.py"))
    return sha256(*sorted(files))


def _settings(ref: str) -> str | None:
    """Hash the settings beside a checkpoint's weights, whose own hash leaves them out."""
    place = find_local(ref)
    if place is None:
        file = fetched_config(ref)
    else:
        file = (place if place.is_dir() else place.parent) / "config.json"
    return sha256(file) if file is not None and file.is_file() else None


def array_hash(*arrays: Any) -> str:
    """Hash the contents of NumPy arrays, in the order given.

    Args:
        arrays: What else decides the numbers, such as labels.
    """
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype}{array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
