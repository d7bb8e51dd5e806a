"""What `holmes` would run on, without running it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posprobe.data.holmes.folder import read_dataset
from posprobe.models.protocol import Model, ModelInfo
from posprobe.pipeline.holmes import open_model, open_study, subjects_of
from posprobe.pipeline.phenomena.dataset import tokens_of
from posprobe.pipeline.phenomena.options import HolmesOptions
from posprobe.pipeline.phenomena.record import Records
from posprobe.pipeline.progress import silent

_BYTES = {"float64": 8, "float32": 4, "bfloat16": 2, "float16": 2}
_SITES_PER_LAYER = 3
_VECTORS = 3
"""How often the vectors of a data set are held at once: by span, by part, by split."""


def plan_holmes(ref: str, chosen: HolmesOptions) -> dict[str, Any]:
    """Open a checkpoint, read every data set as it would, and count.

    Args:
        ref: The checkpoint.
        chosen: The options.

    Raises:
        UserError: As `holmes` would, with every check it would make.
    """
    study = open_study(chosen, silent)
    model = open_model(ref, chosen)
    subjects = list(subjects_of(model, ref, chosen))
    kept = [Records(subject, chosen) for subject in subjects]
    done = sum(records.load(folder) is not None for records in kept for folder in study.folders)
    sizes = [_size(model, folder, chosen) for folder in study.folders]
    longest = max(size.longest for size in sizes)
    vectors = max(size.vectors for size in sizes) * len(subjects[0].places)
    return {
        "parameters": model.info.n_parameters,
        "reads": f"{chosen.data}: {len(study.folders)} data sets",
        "finished": f"{done} of {len(subjects) * len(study.folders)}, which are not run again",
        "sites": list(subjects[0].places.values()),
        "samples": sum(size.samples for size in sizes),
        "documents": sum(size.texts for size in sizes),
        "tokens": sum(size.tokens for size in sizes),
        "longest": longest,
        "truncated": sum(size.cut for size in sizes),
        "memory_mib": round(_memory(model.info, longest, vectors, chosen) / 2**20),
    }


@dataclass(frozen=True, kw_only=True)
class _Size:
    """What is counted of a data set."""

    samples: int
    texts: int
    tokens: int
    longest: int
    cut: int
    vectors: int


def _size(model: Model, folder: Path, chosen: HolmesOptions) -> _Size:
    dataset = read_dataset(folder)
    found = tokens_of(model, dataset, chosen)
    return _Size(
        samples=len(dataset),
        texts=len(found.tokens),
        tokens=int(found.tokens.ids.size),
        longest=found.tokens.longest,
        cut=found.tokens.truncated,
        vectors=max(found.n_vectors, len(dataset) * found.n_parts),
    )


def _memory(info: ModelInfo, longest: int, vectors: int, chosen: HolmesOptions) -> int:
    """Estimate the bytes of the weights, of a batch's activations, and of the vectors."""
    states = chosen.batch_size * longest * info.d_model * info.n_layers * _SITES_PER_LAYER
    held = (info.n_parameters + states) * _BYTES[chosen.dtype]
    return held + _VECTORS * vectors * info.d_model * _BYTES["float32"]
