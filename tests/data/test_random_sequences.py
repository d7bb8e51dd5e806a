import numpy as np
import pytest

from posprobe.core.errors import CorpusError
from posprobe.data.random_sequences import random_sequences


def draw(n=60, **options):
    options = {"longest": 40, "vocab_size": 20, "targets": ("token", "to-end")} | options
    return random_sequences(n, **{"seed": 0} | options)


def test_both_targets_are_counted_from_their_ends():
    drawn = draw()
    for start, length in zip(
        np.cumsum(drawn.tokens.lengths) - drawn.tokens.lengths, drawn.tokens.lengths, strict=True
    ):
        assert drawn.labels[0, start : start + length].tolist() == list(range(length))
        assert drawn.labels[1, start : start + length].tolist() == list(range(length))[::-1]
    assert drawn.counted.all()


def test_lengths_differ_so_that_the_targets_are_two():
    drawn = draw()
    assert drawn.tokens.lengths.min() >= 10
    assert drawn.tokens.lengths.max() <= 40
    assert abs(np.corrcoef(drawn.labels)[0, 1]) < 0.9


def test_two_halves_of_the_vocabulary_have_no_token_in_common():
    half = np.arange(60) % 3 == 0
    drawn = draw(other_half=half, exclude=(0, 7))
    first, second = (
        set(np.concatenate([row for row, own in zip(drawn.tokens, half, strict=True) if own == on]))
        for on in (False, True)
    )
    assert first | second == set(range(20)) - {0, 7}
    assert not first & second
    assert len(first) == len(second) == 9
    assert set(draw(exclude=(0, 7)).tokens.ids) == first | second


def test_the_seed_decides():
    assert draw(seed=1).tokens.source.sha256 == draw(seed=1).tokens.source.sha256
    assert draw(seed=1).tokens.source.sha256 != draw(seed=2).tokens.source.sha256


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(CorpusError, match="--target sentence: random tokens have no sentences"):
        draw(targets=("token", "sentence"))
    with pytest.raises(CorpusError, match="1 ids"):
        draw(vocab_size=3, exclude=(0, 1))
