"""Figures as files of their own, for papers and slides."""

from collections.abc import Iterable
from pathlib import Path

from posprobe.figures.matplotlib_renderer import save
from posprobe.report.section import Block

KINDS = ("png", "svg")
"""Files that are written of each figure."""


def save_figures(blocks: Iterable[Block], directory: Path) -> tuple[Path, ...]:
    """Write the figure of each block as PNG and SVG, named after its anchor on the page.

    Args:
        blocks: What a page shows.
        directory: The folder; it is created.

    Returns:
        The paths.
    """
    figures = [block.figure for block in blocks if block.figure is not None]
    return tuple(save(f, directory / f"{f.id}.{kind}") for f in figures for kind in KINDS)
