"""Running a model over one side of a corpus, and handing on what probes read."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int
from torch import Tensor

from posprobe.activations.states import stream_states
from posprobe.analysis.probe_features import read_feature
from posprobe.models.protocol import Model
from posprobe.pipeline.batching import model_batches
from posprobe.pipeline.parts import Part
from posprobe.pipeline.probing.study import Study
from posprobe.pipeline.progress import Progress


@dataclass(frozen=True, kw_only=True, eq=False)
class Sample:
    """The counted tokens of a batch.

    Attributes:
        places: Where each stands in the side's labels.
        documents: Which document of the side each is in.
        fold: Its document's fold.
        labels: Its targets.
        shuffled: The same, shuffled within documents.
        states: What is read of it, one tensor `sample d` per reading, in their order.
    """

    places: Int[np.ndarray, " sample"]
    documents: Int[np.ndarray, " sample"]
    fold: Int[np.ndarray, " sample"]
    labels: Int[np.ndarray, "target sample"]
    shuffled: Int[np.ndarray, "target sample"]
    states: list[Tensor]


def stream_samples(
    model: Model,
    study: Study,
    *,
    held_out: bool,
    progress: Progress,
    what: str,
    part: Part | None = None,
) -> Iterator[Sample]:
    """Run the model once; only one batch's states are held at a time.

    Args:
        model: The model.
        study: What it is run on, and what is read of it.
        held_out: Whether to run it on the test documents, or on the training documents.
        progress: Shows how far the work is.
        what: What is run, in a few words.
        part: The part of those documents. None: all.
    """
    side = study.corpus.test if held_out else study.corpus.train
    what = f"{what}: {'test' if held_out else 'training'} documents"
    sites = list(dict.fromkeys(reading.site for reading in study.readings))
    steps = model_batches(model, side.text.tokens, study.chosen, progress, what=what, part=part)
    for batch, states in stream_states(model, steps, sites, device=study.chosen.device):
        counted, places = side.text.counted_in(batch)
        counted = counted.to(study.chosen.device)
        documents = side.text.document[places]
        yield Sample(
            places=places,
            documents=documents,
            fold=side.fold[documents],
            labels=side.text.labels[:, places],
            shuffled=side.shuffled[:, places],
            states=[
                read_feature(states[reading.site].flatten(2), counted, reading.feature)
                for reading in study.readings
            ],
        )
