"""Networks that read every target from every reading, trained on a sample of tokens."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import torch

from posprobe.analysis.mlp_probe import MlpKind
from posprobe.core.errors import UserError
from posprobe.pipeline.probing.findings import Findings
from posprobe.pipeline.probing.networks import Networks
from posprobe.pipeline.probing.outcome import Outcome
from posprobe.pipeline.probing.samples import Sample
from posprobe.pipeline.probing.study import Study
from posprobe.pipeline.probing.token_sample import TokenSample
from posprobe.pipeline.progress import Progress

WATCHED_FOLD = 0
"""The fold of the training documents that says when a network has learned enough."""
TOGETHER = 1 << 28
"""Bytes of states that networks learn from side by side, 256 MiB: a copy of what the sample keeps.
How many are together makes no difference to any of them."""


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
        self._networks: list[tuple[list[int], tuple[Networks, Networks]]] = []
        self._findings = Findings(study, seeds=chosen.seeds)

    def learn(self, sample: Sample) -> None:
        """Keep those training tokens that were drawn."""
        self._sample.update(sample)

    def fit(self, progress: Progress, *, what: str) -> None:
        """Train the networks of all readings that are as wide side by side."""
        study = self._study
        total = len(study.readings) * len(study.known) * (study.chosen.seeds + 1)
        bar = progress(range(total), total=total, what=f"{what}: {self._kind} probes")
        next(bar, None)  # An item has gone by when the next is asked for.

        def done(networks: int) -> None:
            deque(islice(bar, networks), maxlen=0)

        for readings in alike_in_width([states.shape for states in self._sample.states]):
            self._train(readings, done)

    def examine(self, sample: Sample) -> None:
        """Guess test tokens and compare."""
        for readings, networks in self._networks:
            states = torch.stack([sample.states[reading] for reading in readings])
            guesses = (each.guess(states.to(torch.float32)) for each in networks)
            for reading, true, control in zip(readings, *guesses, strict=True):
                self._findings.update(reading, sample, true, control)

    def outcomes(self) -> Iterator[Outcome]:
        """Give the scores of every reading and target."""
        return self._findings.outcomes(self._kind, n_train=len(self._sample))

    def _train(self, readings: list[int], done: Callable[[int], None]) -> None:
        kept, study = self._sample, self._study
        parts = [torch.from_numpy(rows) for rows in (~self._watched, self._watched)]
        states = [kept.take(reading) for reading in readings]
        learned, watched = (
            torch.stack([each[rows.to(each.device)] for each in states]) for rows in parts
        )
        states.clear()
        true, control = (
            Networks(
                learned,
                watched,
                labels,
                self._watched,
                study.known,
                kind=self._kind,
                seeds=seeds,
                done=done,
            )
            for labels, seeds in ((kept.labels, study.chosen.seeds), (kept.shuffled, 1))
        )
        self._networks.append((readings, (true, control)))


def alike_in_width(shapes: Sequence[Sequence[int]]) -> list[list[int]]:
    """Number readings that are as wide together, up to `TOGETHER` bytes of float32 states.

    Args:
        shapes: Tokens and width of each reading.

    >>> alike_in_width([(20_000, 48), (20_000, 336), (20_000, 48), (20_000, 6000)])
    [[0, 2], [1], [3]]
    """
    groups: list[list[int]] = []
    for tokens, width in dict.fromkeys(map(tuple, shapes)):
        same = [number for number, shape in enumerate(shapes) if tuple(shape) == (tokens, width)]
        most = max(1, TOGETHER // (4 * tokens * width))
        groups += [same[start : start + most] for start in range(0, len(same), most)]
    return groups
