"""Reports read back from their JSON files."""

import json
from pathlib import Path
from typing import Any, get_type_hints

from posprobe.core.errors import UserError
from posprobe.core.provenance import Provenance
from posprobe.core.reading import from_plain
from posprobe.report.report import SCHEMA_VERSION, SECTIONS, Report


def read_reports(path: Path) -> tuple[Report, ...]:
    """Read what `Report.save` wrote, or what a page's download button saved.

    Args:
        path: A JSON file, or a folder whose JSON files are read; those of other makers in it
            are passed over.

    Returns:
        The reports, in the order in which a page has its measures.

    Raises:
        UserError: If there is none, or if one is damaged or of another version; names the file.
    """
    if path.is_dir():
        found = [report for file in sorted(path.glob("*.json")) for report in _of_folder(file)]
        hint = "no saved reports (<measure>.json) in this folder"
    else:
        found = _reports(_parsed(path), path)
        hint = "is not the JSON file of a report"
    if not found:
        raise UserError(f"{path}: {hint}")
    order = list(SECTIONS)
    return tuple(sorted(found, key=lambda report: order.index(report.measure)))


def read_left_out(path: Path) -> tuple[str, ...]:
    """Read what the page of these results said was left out, a sentence each.

    Args:
        path: As for `read_reports`.

    Raises:
        UserError: If a file is not JSON, or what it says is no list of sentences.
    """
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    kept = {file: value for file in files if _is_ours(value := _parsed(file))}
    return tuple(
        sentence
        for file, value in kept.items()
        for sentence in from_plain(list[str], value.get("left_out", []), where=f"{file}: left_out")
    )


def saved_folders(path: Path) -> tuple[Path, ...]:
    """Return the folders that have saved reports: the one named, or those inside it.

    Args:
        path: A folder.

    Raises:
        UserError: If there is none.
    """
    folders = [path, *sorted(folder for folder in path.glob("*/") if folder.is_dir())]
    found = [folder for folder in folders if any(map(_is_report, folder.glob("*.json")))]
    if not found:
        raise UserError(f"{path}: no saved reports (<measure>.json) in this folder")
    return (path,) if found[0] == path else tuple(found)


def _of_folder(file: Path) -> list[Report]:
    value = _parsed(file)
    return _reports(value, file) if _is_ours(value) else []


def _parsed(file: Path) -> Any:
    if not file.is_file():
        raise UserError(f"{file}: no such file")
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UserError(f"{file}: is not JSON: {error}") from error


def _is_report(file: Path) -> bool:
    return _is_ours(_parsed(file))


def _is_ours(value: Any) -> bool:
    return isinstance(value, dict) and "schema_version" in value


def _reports(value: Any, file: Path) -> list[Report]:
    if not _is_ours(value):
        return []
    if value["schema_version"] != SCHEMA_VERSION:
        raise UserError(
            f"{file}: has version {value['schema_version']} of the format, this posprobe reads "
            f"{SCHEMA_VERSION}; make it again with the command in its provenance"
        )
    if "reports" in value:
        return [report for item in value["reports"] for report in _reports(item, file)]
    return [_report(value, file)]


def _report(value: dict[str, Any], file: Path) -> Report:
    if missing := {"measure", "result", "provenance"} - set(value):
        raise UserError(f"{file}: lacks {', '.join(sorted(missing))}")
    if value["measure"] not in SECTIONS:
        known = ", ".join(SECTIONS)
        raise UserError(f"{file}: has measure {value['measure']!r}; known: {known}")
    # What a section describes is what its measure returns.
    kind = get_type_hints(SECTIONS[value["measure"]])["result"]
    return Report(
        measure=value["measure"],
        result=from_plain(kind, value["result"], where=f"{file}: result"),
        provenance=from_plain(Provenance, value["provenance"], where=f"{file}: provenance"),
    )
