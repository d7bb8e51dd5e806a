"""Which linguistic field and phenomenon each data set of Holmes tests."""

import csv
from importlib.resources import files
from pathlib import Path

from posprobe.core.errors import CorpusError

Place = tuple[str, str]
"""Field and phenomenon. Three phenomena have the same name in two fields, so both count."""

_COLUMNS = ("dataset", "field", "phenomenon")


def shipped_map() -> dict[str, Place]:
    """Return field and phenomenon by data set, as the benchmark's public leaderboards have them.

    Flash-Holmes has 190 data sets on its leaderboard, in 66 pairs of field and phenomenon;
    arXiv 2605.30022 counts 65, and which pair it leaves out is not known. The spelling of
    phenomena is the leaderboard's. Holmes itself has 18 data sets more, and posprobe's own
    converters make some from treebanks.

    >>> shipped_map()["blimp-wh_island"]
    ('syntax', 'island effects')
    """
    return {row["dataset"]: _place(row) for row in _shipped()}


def flash_holmes_places() -> set[Place]:
    """Return the pairs of field and phenomenon on the leaderboard of Flash-Holmes.

    >>> len(flash_holmes_places())
    66
    """
    return {_place(row) for row in _shipped() if row["source"] == "flash-holmes"}


def read_map(path: Path) -> dict[str, Place]:
    """Read the user's own map, a CSV file with the columns dataset, field and phenomenon.

    Raises:
        CorpusError: If the file cannot be read or lacks a column.
    """
    try:
        rows = _rows(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CorpusError(f"--map {path}: cannot be read ({error})") from error
    for number, row in enumerate(rows, start=1):
        if not all(row.get(name) for name in _COLUMNS):
            raise CorpusError(f"--map {path}: row {number}: want {', '.join(_COLUMNS)}")
    return {row["dataset"]: _place(row) for row in rows}


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text.splitlines()))


def _shipped() -> list[dict[str, str]]:
    text = files("posprobe.data.holmes").joinpath("map.csv").read_text(encoding="utf-8")
    return _rows(text)


def _place(row: dict[str, str]) -> Place:
    return row["field"], row["phenomenon"]
