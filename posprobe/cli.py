"""The command line: one command, one short function; heavy imports inside it."""

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from posprobe.core.errors import UserError
from posprobe.core.options import LoadOptions
from posprobe.options_to_flags import with_options
from posprobe.pipeline.options import AdjacencyOptions, HeadsOptions, ManifoldOptions

app = typer.Typer(
    help="How a trained transformer keeps track of position.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Checkpoint = Annotated[
    str, typer.Argument(metavar="CKPT", help="Path, shipped name or Hub id.", show_default=False)
]
Out = Annotated[Path, typer.Option(help="Folder for the reports.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as strict JSON.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would run, and stop.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


@app.command()
@with_options(ManifoldOptions)
def manifold(
    checkpoints: Annotated[
        list[str], typer.Argument(metavar="CKPT...", help="Paths, shipped names or Hub ids.")
    ],
    out: Out = Path("reports"),
    as_json: AsJson = False,
    dry_run: DryRun = False,
    debug: Debug = False,
    **options: Any,
) -> None:
    """Describe the curve that positions draw in a table or in the states."""
    _run("manifold", checkpoints, options, out=out, as_json=as_json, dry_run=dry_run)


@app.command()
@with_options(HeadsOptions)
def heads(
    checkpoint: Checkpoint,
    out: Out = Path("reports"),
    as_json: AsJson = False,
    dry_run: DryRun = False,
    debug: Debug = False,
    **options: Any,
) -> None:
    """Split each head's attention logits among position, meaning and distance."""
    _run("heads", [checkpoint], options, out=out, as_json=as_json, dry_run=dry_run)


@app.command()
@with_options(AdjacencyOptions)
def adjacency(
    checkpoint: Annotated[
        str | None, typer.Argument(metavar="CKPT", help="Path, shipped name or Hub id.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(metavar="CKPT", help="Another way to name the checkpoint.")
    ] = None,
    out: Out = Path("reports"),
    as_json: AsJson = False,
    dry_run: DryRun = False,
    debug: Debug = False,
    **options: Any,
) -> None:
    """Score how much states resemble the states next to them, layer by layer."""
    if (checkpoint is None) == (model is None):
        raise UserError("adjacency: name one checkpoint, as CKPT or by --model")
    named = checkpoint or model or ""
    _run("adjacency", [named], options, out=out, as_json=as_json, dry_run=dry_run)


@app.command()
def train(
    recipe: Annotated[
        str, typer.Argument(metavar="RECIPE", help="Its name; a wrong one lists them.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the checkpoint, its log and its state.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting. Can be given again."),
    ] = None,
    resume: Annotated[
        bool, typer.Option(help="Go on from what is in the folder, or begin again.")
    ] = True,
    debug: Debug = False,
) -> None:
    """Train a model by a recipe; a stopped training goes on where it was."""
    from posprobe.terminal import TrainingProgress, print_paths
    from posprobe.training.train import train as run

    with TrainingProgress() as shown:
        folder = run(recipe, out, overrides=settings or [], resume=resume, progress=shown)
    if os.environ.get("RANK", "0") == "0":  # one of several processes speaks for all
        print_paths([folder])


@app.command()
def checkpoints(
    folder: Annotated[
        Path | None, typer.Argument(help="Where to look. Default: where bare names are looked up.")
    ] = None,
    debug: Debug = False,
) -> None:
    """List the checkpoints that ship and those in a folder."""
    from posprobe.loaders import list_checkpoints
    from posprobe.models.config import NAMED_CONFIGS
    from posprobe.terminal import print_rows

    if folder is not None and not folder.is_dir():
        raise UserError(f"{folder}: no such folder")
    rows = [(name, kind, str(path)) for name, kind, path in list_checkpoints(folder)]
    if folder is None:
        named = set(NAMED_CONFIGS) - {name for name, _, _ in rows}
        rows += [(name, "configuration", "random weights, by --init") for name in sorted(named)]
    print_rows(("name", "format", "where"), rows)


@app.command()
@with_options(LoadOptions)
def inspect(
    checkpoint: Checkpoint, as_json: AsJson = False, debug: Debug = False, **options: Any
) -> None:
    """Show a checkpoint's facts and sites; no text is run."""
    from posprobe.pipeline.inspect import inspect_checkpoint
    from posprobe.terminal import print_facts, print_json

    facts = inspect_checkpoint(checkpoint, **options)
    print_json(facts) if as_json else print_facts(facts)


def _run(
    measure: str,
    refs: list[str],
    options: dict[str, Any],
    *,
    out: Path,
    as_json: bool,
    dry_run: bool,
) -> None:
    """Run a measure, print its table, write its report, print the paths."""
    from posprobe import terminal

    if dry_run:
        from posprobe.pipeline.plan import plan

        facts = plan(measure, refs, **options)
        terminal.print_json(facts) if as_json else terminal.print_facts(facts)
        return
    import posprobe
    from posprobe.core.files import require_writable
    from posprobe.pipeline.opening import report_folder

    require_writable(out)
    report = getattr(posprobe, measure)(*refs, progress=terminal.progress, **options)
    # Shown first: whatever happens to the files, the numbers have been seen.
    if as_json:
        sys.stdout.write(report.json() + "\n")
    else:
        terminal.print_table(report.table(), report.headline())
    terminal.print_paths(report.save(out / report_folder(refs)), to_stderr=as_json)


def main() -> None:
    """Run the command line; errors that a user can mend take one line and status 2."""
    from posprobe.exits import run_and_exit

    run_and_exit(app)
