"""The command line: one command, one short function; heavy imports inside it."""

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from posprobe.core.errors import UserError
from posprobe.core.options import LoadOptions
from posprobe.options_to_flags import with_options
from posprobe.output import Output
from posprobe.pipeline.claims.options import ReproduceOptions
from posprobe.pipeline.options import (
    AdjacencyOptions,
    DecompositionOptions,
    HeadsOptions,
    ManifoldOptions,
    ProbeOptions,
)
from posprobe.pipeline.phenomena.options import HolmesOptions
from posprobe.pipeline.report_options import CompareOptions, ReportOptions

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
Checkpoints = Annotated[
    list[str], typer.Argument(metavar="CKPT...", help="Paths, shipped names or Hub ids.")
]
Out = Annotated[Path, typer.Option(help="Folder for the reports.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as strict JSON.")]
Figures = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Write each figure there too, as PNG and SVG."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would run, and stop.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


@app.command()
@with_options(ManifoldOptions)
def manifold(
    checkpoints: Checkpoints,
    out: Out = Path("reports"),
    figures: Figures = None,
    as_json: AsJson = False,
    dry_run: DryRun = False,
    debug: Debug = False,
    **options: Any,
) -> None:
    """Describe the curve that positions draw in a table or in the states."""
    _run("manifold", checkpoints, options, Output(out, figures, as_json), dry_run=dry_run)


@app.command()
@with_options(HeadsOptions)
def heads(
    checkpoint: Checkpoint,
    out: Out = Path("reports"),
    figures: Figures = None,
    as_json: AsJson = False,
    dry_run: DryRun = False,
    debug: Debug = False,
    **options: Any,
) -> None:
    """Split each head's attention logits among position, meaning and distance."""
    _run("heads", [checkpoint], options, Output(out, figures, as_json), dry_run=dry_run)


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
    figures: Figures = None,
    as_json: AsJson = False,
    dry_run: DryRun = False,
    debug: Debug = False,
    **options: Any,
) -> None:
    """Score how much states resemble the states next to them, layer by layer."""
    if (checkpoint is None) == (model is None):
        raise UserError("adjacency: name one checkpoint, as CKPT or by --model")
    named = checkpoint or model or ""
    _run("adjacency", [named], options, Output(out, figures, as_json), dry_run=dry_run)


@app.command()
@with_options(ProbeOptions)
def probe(
    checkpoints: Checkpoints,
    out: Out = Path("reports"),
    figures: Figures = None,
    as_json: AsJson = False,
    dry_run: DryRun = False,
    debug: Debug = False,
    **options: Any,
) -> None:
    """Say from which states a simple probe can read where a token stands."""
    _run("probe", checkpoints, options, Output(out, figures, as_json), dry_run=dry_run)


@app.command()
@with_options(DecompositionOptions)
def decomposition(
    checkpoint: Checkpoint,
    out: Out = Path("reports"),
    figures: Figures = None,
    as_json: AsJson = False,
    dry_run: DryRun = False,
    debug: Debug = False,
    **options: Any,
) -> None:
    """Split states and attention logits of any model into position and content."""
    _run("decomposition", [checkpoint], options, Output(out, figures, as_json), dry_run=dry_run)


@app.command()
@with_options(HolmesOptions)
def holmes(
    checkpoints: Checkpoints,
    out: Out = Path("reports"),
    figures: Figures = None,
    as_json: AsJson = False,
    dry_run: DryRun = False,
    debug: Debug = False,
    **options: Any,
) -> None:
    """Say which linguistic phenomena a linear probe reads from the states."""
    _run("holmes", checkpoints, options, Output(out, figures, as_json), dry_run=dry_run)


@app.command("holmes-data")
def holmes_data(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE...", help="BLiMP (.zip, folder, .jsonl) or .conllu files."),
    ],
    out: Annotated[Path, typer.Option(help="Folder of the data sets.")],
    samples: Annotated[
        int, typer.Option(help="Samples drawn from treebanks for each data set, at most.")
    ] = 4000,
    seed: Annotated[int, typer.Option(help="Seed of splits and draws.")] = 0,
    debug: Debug = False,
) -> None:
    """Make data sets for `holmes` from BLiMP and from treebanks, without a network."""
    from posprobe.pipeline.holmes_data import holmes_data as run
    from posprobe.terminal import print_paths

    print_paths(run(*sources, out=out, samples=samples, seed=seed))


@app.command()
@with_options(ReproduceOptions)
def reproduce(
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the page. Default: reports, or reports/quick with --quick."),
    ] = None,
    figures: Figures = None,
    as_json: AsJson = False,
    debug: Debug = False,
    **options: Any,
) -> None:
    """Test what two papers claim on the checkpoints that ship, or on your own."""
    from posprobe.pipeline.reproduce import reproduce as run
    from posprobe.terminal import progress

    # What is measured in haste does not take the place of what was measured whole.
    folder = Path("reports") / ("quick" if options["quick"] else "")
    output = Output(out or folder, figures, as_json)
    output.require_writable()
    output.deliver(run(progress=progress, **options))


@app.command()
@with_options(ReportOptions)
def report(
    checkpoints: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CKPT...]", help="Paths, shipped names or Hub ids."),
    ] = None,
    saved: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            metavar="DIR",
            help="Make the page from the JSON files of a folder; no model is run. "
            "Can be given again.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the reports. Default: reports, or the folder of --from."),
    ] = None,
    figures: Figures = None,
    as_json: AsJson = False,
    dry_run: DryRun = False,
    debug: Debug = False,
    **options: Any,
) -> None:
    """Put all measures of one or several checkpoints on one page."""
    if bool(checkpoints) == bool(saved):
        raise UserError("report: name checkpoints, or a folder of saved results by --from")
    output = Output(out or Path("reports"), figures, as_json)
    if dry_run:
        from posprobe.pipeline.report import plan_report

        output.plan(plan_report(checkpoints or [], saved or [], **options))
        return
    if saved:
        _rerender(saved, output, beside=out is None)
        return
    output.require_writable()
    from posprobe.pipeline.opening import report_folder
    from posprobe.pipeline.report import full_report as run
    from posprobe.terminal import progress

    made = run(*(checkpoints or []), progress=progress, **options)
    output.deliver(made, report_folder(checkpoints or []))


@app.command()
@with_options(CompareOptions)
def compare(
    a: Annotated[
        str, typer.Argument(metavar="A", help="A checkpoint, or its saved results: JSON or folder.")
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="The other, of the same kind.")],
    out: Out = Path("reports"),
    figures: Figures = None,
    as_json: AsJson = False,
    dry_run: DryRun = False,
    debug: Debug = False,
    **options: Any,
) -> None:
    """Say what differs between two checkpoints, with intervals over the same documents."""
    output = Output(out, figures, as_json)
    if dry_run:
        from posprobe.pipeline.compare import plan_compare

        output.plan(plan_compare(a, b, **options))
        return
    output.require_writable()
    from posprobe.pipeline.compare import compare as run
    from posprobe.pipeline.compare import comparison_folder
    from posprobe.terminal import progress

    made = run(a, b, progress=progress, **options)
    output.deliver(made, comparison_folder(made))


@app.command()
def sweep(
    spec: Annotated[
        str, typer.Argument(metavar="SPEC", help="A TOML file, or the name of a spec that ships.")
    ],
    jobs: Annotated[
        int | None,
        typer.Option(help="Cells or parts of them at once. Default: as many as there are cores."),
    ] = None,
    threads: Annotated[int, typer.Option(help="Threads of each.")] = 1,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="local|slurm|ADDRESS", help="Run on Dask. Default: processes on this machine."
        ),
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Run again what is in the cache.")
    ] = False,
    out: Out = Path("reports"),
    figures: Figures = None,
    as_json: AsJson = False,
    dry_run: DryRun = False,
    debug: Debug = False,
) -> None:
    """Measure a grid of settings; a cell that has finished is never run again."""
    from posprobe.pipeline.sweep import plan_sweep, sweep_folder
    from posprobe.pipeline.sweep import sweep as run

    output = Output(out, figures, as_json)
    if dry_run:
        output.plan(plan_sweep(spec, threads=threads, no_cache=no_cache))
        return
    output.require_writable()
    made = run(spec, jobs=jobs, threads=threads, scheduler=scheduler, no_cache=no_cache)
    output.deliver(made, sweep_folder(spec))
    if made.failed:
        raise UserError(f"sweep: {len(made.failed)} cells failed; the first: {made.failed[0]}")


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
    measure: str, refs: list[str], options: dict[str, Any], output: Output, *, dry_run: bool
) -> None:
    """Run a measure, print its table, write its report, print the paths."""
    if dry_run:
        from posprobe.pipeline.plan import plan

        output.plan(plan(measure, refs, **options))
        return
    output.require_writable()
    import posprobe
    from posprobe.pipeline.opening import report_folder
    from posprobe.terminal import progress

    made = getattr(posprobe, measure)(*refs, progress=progress, **options)
    output.deliver(made, report_folder(refs))


def _rerender(folders: list[Path], output: Output, *, beside: bool) -> None:
    """Make pages from saved results: one of all folders, or one in each where they lie."""
    from posprobe.report.saved_pages import saved_report, saved_reports

    if not beside or len(folders) > 1:
        from posprobe.pipeline.opening import report_folder

        output.require_writable()
        folder = report_folder([str(folder) for folder in folders])
        output.deliver(saved_report(folders), folder)
        return
    for folder, made in saved_reports(folders[0]):
        output.deliver_page(made, folder)


def main() -> None:
    """Run the command line; errors that a user can mend take one line and status 2."""
    from posprobe.exits import run_and_exit

    # Torch reads this when it is imported. Threads that spin while they wait for work take the
    # cores from NumPy's, and from those of other programs.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    run_and_exit(app)
