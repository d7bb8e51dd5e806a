"""One page of each kind, as files, for tests that read them."""

from dataclasses import replace

from posprobe.report.full_report import FullReport
from posprobe.report.index import write_index
from posprobe.report.report import Report
from tests.figures import comparisons, decompositions, samples, trainings

NAMES = ("checkpoints/dstg-tiny", "checkpoints/ap-tiny")


def report(measure, result, *names, **changes):
    """Put invented numbers into a report of checkpoints of these names."""
    provenance = samples.provenance(*(names or NAMES[:1]), **changes)
    return Report(measure=measure, result=result, provenance=provenance)


def reports(name=NAMES[0], seed=0):
    """Return three measures of one checkpoint."""
    manifold = samples.manifold(name.split("/")[-1], seed=seed, checkpoint=name)
    return (
        report("manifold", samples.manifold_result(manifold), name),
        report("heads", samples.heads_result(layers=2, seed=seed), name),
        report("adjacency", samples.adjacency_result(layers=2, checkpoint=name), name),
    )


def full_report(*names):
    """Return all measures of these checkpoints, one after another."""
    found = [item for index, name in enumerate(names or NAMES) for item in reports(name, index)]
    order = ("manifold", "heads", "adjacency")
    return FullReport(
        reports=tuple(sorted(found, key=lambda item: order.index(item.measure))),
        command="posprobe report " + " ".join(names or NAMES),
        left_out=("Left out: probe of dstg-tiny, since it was not asked for.",),
    )


def long_names():
    """Return a page whose checkpoints have names that hardly fit."""
    names = ("dstg-tiny", "a-checkpoint-with-a-very-long-name" * 3)
    steps = (240, 2000, 8000)
    result = trainings.forming_result(names=names, steps=steps)
    made = trainings.forming_provenance(names=names, steps=steps)
    return Report(measure="manifold", result=result, provenance=made)


def pages(folder):
    """Write a page of each kind; return their paths by name."""
    found = {
        "manifold": long_names(),
        "heads": replace(report("heads", samples.undefined_heads())),
        "adjacency": report("adjacency", samples.adjacency_result(layers=2, heads=2)),
        "decomposition": report("decomposition", decompositions.sample()),
        "compare": report("compare", comparisons.result(), *NAMES),
    }
    paths = {name: made.save(folder / name)[0] for name, made in found.items()}
    paths["report"] = full_report().save(folder / "both")[0]
    paths["index"] = write_index(folder)
    return paths
