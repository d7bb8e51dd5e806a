"""Writing down how a result was made."""

from collections.abc import Sequence
from dataclasses import asdict, fields, replace

from posprobe.core.options import MeasureOptions, RunOptions
from posprobe.core.provenance import CheckpointSource, Provenance, TokenSource, command_line
from posprobe.core.threads import thread_count


def provenance(
    measure: str,
    options: RunOptions,
    checkpoints: Sequence[CheckpointSource],
    tokens: Sequence[TokenSource] = (),
    *,
    refs: Sequence[str] | None = None,
) -> Provenance:
    """Gather what makes a result again.

    Args:
        measure: Name of the command.
        options: Its options.
        checkpoints: What was measured.
        tokens: What it was measured on.
        refs: What the user named, where that is not each checkpoint by itself.
    """
    named = [source.ref for source in checkpoints] if refs is None else refs
    return Provenance(
        command=command_for(measure, named, options),
        checkpoints=tuple(checkpoints),
        tokens=tuple(tokens),
        seed=options.seed,
        device=options.device,
        dtype=options.dtype,
        threads=thread_count(),
        options=asdict(_told(options)),
    )


def command_for(measure: str, refs: Sequence[str], options: RunOptions) -> str:
    """Return the command line that has these options; defaults are left out.

    >>> command_for("heads", ["my model"], RunOptions(seed=3))
    "posprobe heads 'my model' --seed 3"
    """
    words = ["posprobe", measure, *refs]
    options = _told(options)
    for field in fields(options):
        value = getattr(options, field.name)
        if value == field.default:
            continue
        flag = "--" + field.name.replace("_", "-")
        if isinstance(value, bool):
            words.append(flag if value else flag.replace("--", "--no-", 1))
            continue
        for item in value if isinstance(value, tuple) else (value,):
            words += [flag, str(item)]
    return command_line(words)


def _told(options: RunOptions) -> RunOptions:
    """Leave out whether an older result would do: it says nothing about the result."""
    return replace(options, no_cache=False) if isinstance(options, MeasureOptions) else options
