"""Random tokens with labels, for models without a vocabulary and probes without words."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool

from posprobe.core.errors import CorpusError
from posprobe.data.labelled_tokens import LabelledTokens
from posprobe.data.target_names import WITHOUT_SENTENCES
from posprobe.data.token_set import TokenSet


def random_sequences(
    n: int,
    *,
    longest: int,
    vocab_size: int,
    targets: Sequence[str],
    exclude: Sequence[int] = (),
    other_half: Bool[np.ndarray, " sample"] | None = None,
    seed: int,
) -> LabelledTokens:
    """Draw sequences of random tokens whose lengths differ, so that start and end are two targets.

    Args:
        n: How many sequences.
        longest: Most tokens in one; the lengths are uniform from a quarter of it, or 3, on.
        vocab_size: Size of the model's vocabulary.
        targets: `token` and `to-end`, or one of them.
        exclude: Ids never drawn: padding and other special tokens.
        other_half: If given, the ids are cut in two halves at random: sequences that are True
            here use one, the others the other.
        seed: Seed.

    Raises:
        CorpusError: If a target needs sentences, or there is nothing to draw from.
    """
    if missing := [name for name in targets if name not in WITHOUT_SENTENCES]:
        raise CorpusError(
            f"--target {missing[0]}: random tokens have no sentences; only "
            f"{' and '.join(WITHOUT_SENTENCES)} can be asked for"
        )
    allowed = np.setdiff1d(np.arange(vocab_size), np.asarray(exclude, dtype=np.int64))
    if allowed.size < 2 or longest < 3:
        raise CorpusError(
            f"random tokens: {allowed.size} ids and at most {longest} tokens in a sequence leave "
            "nothing to draw"
        )
    # Spawned: the split of the sequences comes from the same seed.
    for_lengths, for_ids = np.random.default_rng(seed).spawn(2)
    lengths = for_lengths.integers(max(3, longest // 4), longest + 1, size=n)
    halves = np.array_split(for_ids.permutation(allowed), 2)
    if other_half is None:
        ids = for_ids.choice(allowed, size=lengths.sum())
    else:
        draws = [for_ids.choice(half, size=lengths.sum()) for half in halves]
        ids = np.where(np.repeat(other_half, lengths), draws[1], draws[0])
    place = np.concatenate([np.arange(length) for length in lengths])
    labels = {"token": place, "to-end": np.repeat(lengths, lengths) - 1 - place}
    return LabelledTokens(
        tokens=TokenSet(
            name=f"random token ids (seed {seed})",
            ids=ids.astype(np.int32),
            lengths=lengths,
            documents=np.arange(n),
            special_ids=tuple(exclude),
        ),
        counted=np.ones(ids.size, dtype=bool),
        labels=np.stack([labels[name] for name in targets]).astype(np.int32),
        targets=tuple(targets),
    )
