"""Networks that read every target from every reading, trained on a sample of tokens."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Int
from torch import Tensor

from posprobe.analysis.mlp_probe import MlpKind
from posprobe.core.errors import UserError
from posprobe.pipeline.probe_findings import Findings
from posprobe.pipeline.probe_networks import Networks
from posprobe.pipeline.probe_outcome import Outcome
from posprobe.pipeline.probe_samples import Sample
from posprobe.pipeline.probe_study import Study
from posprobe.pipeline.probe_token_sample import TokenSample
from posprobe.pipeline.progress import Progress

WATCHED_FOLD = 0
"""The fold of the training documents that says when a network has learned enough."""


class NetworkProbes:
    """Networks trained with several seeds, and one on shuffled labels beside them.

    They learn from a bounded sample of training tokens, the states of which are kept; they are
    examined on every test token. The control takes one seed, since it only has to show what a
    document gives away.
    """

    def __init__(self, study: Study, kind: MlpKind) -> None:
        chosen = study.chosen
        self._study = study
        self._kind: MlpKind = kind
        self._sample = TokenSample(study.corpus.train, tokens=chosen.mlp_tokens, seed=chosen.seed)
        self._watched = self._sample.fold == WATCHED_FOLD
        if not self._watched.any() or self._watched.all():
            raise UserError(
                f"--mlp-tokens {chosen.mlp_tokens}: too few for {chosen.folds} folds of documents"
            )
        self._networks: list[tuple[Networks, Networks]] = []
        self._findings = Findings(study, seeds=chosen.seeds)

    def learn(self, sample: Sample) -> None:
        """Keep those training tokens that were drawn."""
        self._sample.update(sample)

    def fit(self, progress: Progress, *, what: str) -> None:
        """Train the networks, reading by reading."""
        kept, total = self._sample, len(self._study.readings)
        for _ in progress(range(total), total=total, what=f"{what}: {self._kind} probes"):
            states = kept.states.pop(0)
            true = self._train(states, kept.labels, seeds=self._study.chosen.seeds)
            control = self._train(states, kept.shuffled, seeds=1)
            self._networks.append((true, control))

    def examine(self, sample: Sample) -> None:
        """Guess test tokens and compare."""
        for reading, (states, networks) in enumerate(
            zip(sample.states, self._networks, strict=True)
        ):
            true, control = (each.guess(states) for each in networks)
            self._findings.update(reading, sample, true, control)

    def outcomes(self) -> Iterator[Outcome]:
        """Give the scores of every reading and target."""
        return self._findings.outcomes(self._kind, n_train=len(self._sample))

    def _train(
        self, states: Tensor, labels: Int[np.ndarray, "target sample"], *, seeds: int
    ) -> Networks:
        targets = self._study.known
        return Networks(states, labels, self._watched, targets, kind=self._kind, seeds=seeds)
