"""The lines of a benchmark's table, and how they are shown and kept."""

import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

Unit = Literal["s", "MB", "/s", "%", "GB"]
_HEAD = ("what", "ours", "beside", "ratio", "wanted", "reached")


@dataclass(frozen=True, kw_only=True)
class Line:
    """One figure.

    Attributes:
        what: What is measured, and beside what.
        ours: Of posprobe.
        beside: Of what stands beside it; None if nothing does.
        unit: Of both.
        ratio: What the figure is about; None if it is about `ours` itself.
        wanted: The figure in words; empty where a line only says what there is.
        reached: Whether it is reached.
    """

    what: str
    ours: float
    beside: float | None = None
    unit: Unit = "s"
    ratio: float | None = None
    wanted: str = ""
    reached: bool | None = None


def times_better(what: str, ours: float, beside: float, times: float, unit: Unit = "s") -> Line:
    """Want the other to take so many times as much."""
    ratio = beside / ours
    return Line(
        what=what,
        ours=ours,
        beside=beside,
        unit=unit,
        ratio=ratio,
        wanted=f"at least {times:g} times less",
        reached=ratio >= times,
    )


def at_most_times(what: str, ours: float, beside: float, times: float, unit: Unit = "s") -> Line:
    """Want ours to take at most so many times as much."""
    ratio = ours / beside
    return Line(
        what=what,
        ours=ours,
        beside=beside,
        unit=unit,
        ratio=ratio,
        wanted=f"at most {times:g} times",
        reached=ratio <= times,
    )


def at_least(what: str, ours: float, least: float, unit: Unit) -> Line:
    """Want at least so much."""
    wanted = f"at least {least:,.6g} {unit}"
    return Line(what=what, ours=ours, unit=unit, wanted=wanted, reached=ours >= least)


def at_most(what: str, ours: float, most: float, unit: Unit) -> Line:
    """Want at most so much."""
    wanted = f"at most {most:,.6g} {unit}"
    return Line(what=what, ours=ours, unit=unit, wanted=wanted, reached=ours <= most)


def run(topic: str, lines: Iterator[Line]) -> None:
    """Show the lines of a topic as they come; with `--json FILE`, keep them."""
    if "OMP_WAIT_POLICY" not in os.environ:
        # Threads that spin while they wait keep each other from the processor of a shared machine.
        words = [sys.executable, "-m", f"tests.benchmarks.{topic}", *sys.argv[1:]]
        os.execve(words[0], words, os.environ | {"OMP_WAIT_POLICY": "PASSIVE"})
    parser = ArgumentParser(prog=f"python -m tests.benchmarks.{topic}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    file = parser.parse_args().json
    found = []
    for line in lines:
        if not found:
            print(topic, _row(*_HEAD), sep="\n")
        print(_row(*_cells(line)), flush=True)
        found.append(line)
    if file is not None:
        file.write_text(json.dumps([asdict(line) for line in found], indent=1) + "\n")
    sys.exit(int(any(line.reached is False for line in found)))


def _row(what: str, *cells: str) -> str:
    return (
        f"{what:<62}"
        + "".join(f"{cell:>12}" for cell in cells[:-2])
        + "".join(f"  {cell:<22}" for cell in cells[-2:]).rstrip()
    )


def _cells(line: Line) -> tuple[str, ...]:
    verdict = {True: "yes", False: "NO", None: ""}[line.reached]
    return (
        line.what,
        _value(line.ours, line.unit),
        "" if line.beside is None else _value(line.beside, line.unit),
        "" if line.ratio is None else f"{line.ratio:.2f}",
        line.wanted,
        verdict,
    )


def _value(value: float, unit: Unit) -> str:
    return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"
