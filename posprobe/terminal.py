"""What the command line prints: results to stdout, everything else to stderr."""

import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from posprobe.core.files import strict_json
from posprobe.figures.sparklines import bar, sparkline
from posprobe.training.progress import Progress

T = TypeVar("T")


def print_table(table: pd.DataFrame, headline: Sequence[str]) -> None:
    """Print a result's table and what it says in words; plain text when piped."""
    text = table.map(_cell)
    if sys.stdout.isatty():
        text = _with_pictures(table, text)
    print_rows(tuple(map(str, text.columns)), [tuple(row) for row in text.itertuples(index=False)])
    print()
    print_sentences(headline)


def print_sentences(sentences: Iterable[str]) -> None:
    """Print sentences, each on lines of its own."""
    for sentence in sentences:
        print(textwrap.fill(sentence, width=100))


def print_rows(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under their columns."""
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, header_style="bold", pad_edge=False)
        for name in columns:
            # A header may wrap between its words, never within one.
            table.add_column(name, min_width=max(map(len, name.split() or [""])))
        for row in rows:
            table.add_row(*(Text(cell) for cell in row))
        Console().print(table)
        return
    widths = [max(map(len, cells)) for cells in zip(columns, *rows, strict=True)]
    for row in (columns, *rows):
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print(line.rstrip())


def print_facts(facts: dict[str, Any]) -> None:
    """Print names and values, one a line; lists one item a line."""
    width = max(map(len, facts))
    for name, value in facts.items():
        items = value if isinstance(value, list | tuple) else [value]
        for index, item in enumerate(items or ["none"]):
            print(f"{name if index == 0 else '':<{width}}  {item}")


def print_json(value: dict[str, Any]) -> None:
    """Print strict JSON."""
    print(strict_json(value))


def print_paths(paths: Iterable[Path], *, to_stderr: bool = False) -> None:
    """Print where files were written, the page last."""
    ordered = sorted(paths, key=lambda path: path.suffix == ".html")
    stream = sys.stderr if to_stderr else sys.stdout
    print(*([] if to_stderr else [""]), *ordered, sep="\n", file=stream)


def progress(items: Iterable[T], *, total: int, what: str) -> Iterator[T]:
    """Show a bar on stderr while the items go by, if somebody looks at it."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    if not console.is_terminal:
        yield from items
        return
    yield from track(items, total=total, description=what, console=console, transient=True)


class TrainingProgress:
    """Shows how far a training is: a bar to somebody who looks, a line at a time to a log."""

    def __enter__(self) -> "TrainingProgress":
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Bar

        console = Console(stderr=True)
        columns = (
            TextColumn("step"),
            MofNCompleteColumn(),
            BarColumn(),
            TextColumn("{task.description}"),
        )
        self._bar = Bar(*columns, console=console, disable=not console.is_terminal)
        self._bar.start()
        self._task = self._bar.add_task("", total=None)
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def __call__(self, state: Progress) -> None:
        """Show the state of the training."""
        held_out = ", ".join(f"{name} {value:.3f}" for name, value in state.evaluation.items())
        line = (
            f"loss {state.loss:.3f}, {state.tokens_per_second:,.0f} tokens/s, "
            f"{state.seconds_left / 60:.0f} min left" + (f"; held out: {held_out}" * bool(held_out))
        )
        if self._bar.disable:
            print(f"step {state.step}/{state.steps}: {line}", file=sys.stderr, flush=True)
        self._bar.update(self._task, completed=state.step, total=state.steps, description=line)


def _with_pictures(table: pd.DataFrame, text: pd.DataFrame) -> pd.DataFrame:
    """Add a line over the layers, or bars to shares, as far as there is room."""
    layers = [name for name in table if str(name) == "embedding" or str(name).isdigit()]
    if len(layers) > 2:
        rows = table[layers].astype(float).to_numpy().tolist()
        return text.assign(**{"by layer": [sparkline(row) for row in rows]})
    width = sum(2 + max(map(len, (*text[name], str(name).split()[0]))) for name in text)
    for name in table:
        fits = width + 5 <= shutil.get_terminal_size().columns
        if fits and table[name].dtype == float and table[name].between(0, 1).all():
            text[name] += [f" {bar(value)}" for value in table[name]]
            width += 5
    return text


def _cell(value: Any) -> str:
    if value is pd.NA:  # not measured, which is something else than undefined
        return ""
    if value is None or (isinstance(value, float) and pd.isna(value)):
        return "undefined"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
