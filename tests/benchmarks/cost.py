"""What each measure costs by length, documents, layers and checkpoints.

Writes a text with the seconds, the exponents fitted to them, and what a large sweep would take.
"""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

import posprobe
from posprobe.models.build import build
from posprobe.models.config import DecoderConfig, EncoderConfig

BASE = {"length": 128, "documents": 64, "layers": 4, "checkpoints": 1}
AXES = {
    "length": (64, 128, 256, 512, 1024),
    "documents": (32, 64, 128, 256),
    "layers": (2, 4, 8, 16),
    "checkpoints": (1, 2, 4),
}
WIDTH, HEADS, VOCABULARY = 96, 4, 2000
CHECKPOINTS, DOCUMENTS, WORKERS = 1000, 1_000_000, 64

Measure = Callable[..., Any]


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Seconds of one measure along one axis, and the power by which they grow."""

    measure: str
    axis: str
    seconds: dict[int, float]

    @property
    def exponent(self) -> float:
        """Slope of log seconds over log size, without the smallest of more than three sizes."""
        sizes = list(self.seconds)[1 if len(self.seconds) > 3 else 0 :]
        logs = np.log([[size, self.seconds[size]] for size in sizes])
        return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


def measures() -> dict[str, Measure]:
    """Return each measure with the options that let only the sizes decide."""
    shared = {"corpus": "random-tokens", "no_cache": True}

    def manifold(ref: str, length: int, documents: int) -> Any:
        sizes = {"length": length, "documents": documents}
        return posprobe.manifold(ref, source="states", draws=1, **sizes, **shared)

    def heads(ref: str, length: int, documents: int) -> Any:
        return posprobe.heads(ref, length=length, documents=documents, init=False, **shared)

    def adjacency(ref: str, length: int, documents: int) -> Any:
        return posprobe.adjacency(ref, length=length, prompts=documents, **shared)

    def probe(ref: str, length: int, documents: int) -> Any:
        return posprobe.probe(ref, length=length, documents=documents, init=False, **shared)

    def decomposition(ref: str, length: int, documents: int) -> Any:
        sizes = {"length": length, "documents": documents}
        return posprobe.decomposition(ref, init=False, **sizes, **shared)

    return {
        "manifold": manifold,
        "heads": heads,
        "adjacency": adjacency,
        "probe": probe,
        "decomposition": decomposition,
    }


def costs(folder: Path) -> Iterator[Cost]:
    """Measure every measure along every axis, the other sizes as in `BASE`."""
    for name, measure in measures().items():
        _seconds(measure, _model(folder, name, BASE["layers"]), BASE)  # imports and compiles
        for axis, sizes in AXES.items():
            taken = {}
            for size in sizes:
                point = BASE | {axis: size}
                taken[size] = _seconds(measure, _model(folder, name, point["layers"]), point)
            yield Cost(measure=name, axis=axis, seconds=taken)


def _seconds(measure: Measure, ref: str, point: dict[str, int]) -> float:
    start = perf_counter()
    for _ in range(point["checkpoints"]):
        measure(ref, point["length"], point["documents"])
    return perf_counter() - start


def _model(folder: Path, measure: str, layers: int) -> str:
    place = folder / f"{measure}-{layers}"
    if not place.exists():
        sizes = {"n_layers": layers, "n_heads": HEADS, "d_model": WIDTH, "d_vocab": VOCABULARY}
        context = {"n_ctx": max(AXES["length"])}
        decoder = DecoderConfig(**sizes, **context)
        encoder = EncoderConfig(**sizes, **context, d_pos=16, d_mlp=256, special_ids=(0, 1, 2, 3))
        posprobe.save(build(decoder if measure == "adjacency" else encoder, seed=0), place)
    return str(place)


def text(found: Sequence[Cost]) -> str:
    """Return the tables as Markdown."""
    sizes = f"{BASE['layers']} layers {WIDTH} wide, {BASE['documents']} documents of "
    lines = [
        "# What the measures cost",
        "",
        f"Seconds on two CPU cores, everything included but the start of Python; {sizes}"
        f"{BASE['length']} tokens unless the row says otherwise. The exponent is the slope of log "
        "seconds over log size: 1 grows as the size does, 2 as its square. The smallest of more "
        "than three sizes is left out of it, where what never grows weighs most.",
        "",
    ]
    for axis, points in AXES.items():
        lines += [
            f"## By {axis}",
            "",
            "| measure | " + " | ".join(f"{size:,}" for size in points) + " | exponent |",
            "|---" * (len(points) + 2) + "|",
        ]
        for cost in (cost for cost in found if cost.axis == axis):
            cells = " | ".join(f"{cost.seconds[size]:.2f}" for size in points)
            lines.append(f"| {cost.measure} | {cells} | {cost.exponent:.2f} |")
        lines.append("")
    return "\n".join([*lines, *_large(found)]) + "\n"


def _large(found: Sequence[Cost]) -> Iterator[str]:
    yield f"## {CHECKPOINTS:,} checkpoints × {DOCUMENTS:,} documents on {WORKERS} workers"
    yield ""
    yield (
        "From the slope of the table by documents: what one document more costs. A worker is one "
        "core; the cells of a sweep share nothing, so that the time of all is divided by the "
        "workers. Nothing of this size was run."
    )
    yield ""
    yield "| measure | milliseconds a document | core years | days on the workers |"
    yield "|---|---|---|---|"
    for cost in (cost for cost in found if cost.axis == "documents"):
        few, many = min(cost.seconds), max(cost.seconds)
        each = (cost.seconds[many] - cost.seconds[few]) / (many - few)
        # The seconds are those of two cores.
        total = 2 * each * DOCUMENTS * CHECKPOINTS / 86400
        yield f"| {cost.measure} | {1000 * each:.1f} | {total / 365:.2g} | {total / WORKERS:.2g} |"


if __name__ == "__main__":
    parser = ArgumentParser(prog="python -m tests.benchmarks.cost", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("reports/cost.md"))
    chosen = parser.parse_args()
    with TemporaryDirectory() as made:
        chosen.out.write_text(text(tuple(costs(Path(made)))), encoding="utf-8")
    print(chosen.out)
