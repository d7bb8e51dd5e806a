import numpy as np
import pytest
import torch

from posprobe.core.errors import CorpusError
from posprobe.data.batches import batches
from posprobe.data.token_set import TokenSet

LENGTHS = [3, 7, 1, 7, 4, 3, 7, 2, 4]


def _tokens(lengths, special_ids=()):
    return TokenSet(
        name="made up",
        ids=np.arange(sum(lengths), dtype=np.int32) + 10,
        lengths=np.array(lengths),
        documents=np.arange(len(lengths)),
        special_ids=special_ids,
    )


@pytest.mark.parametrize(
    "options", [{}, {"by_length": False}, {"equal_length": True}, {"batch_size": 100}]
)
def test_every_sequence_comes_back_once(options):
    tokens = _tokens(LENGTHS)
    seen = []
    for batch in batches(tokens, **{"batch_size": 2, "pad_id": 5, **options}):
        assert len(batch) <= options.get("batch_size", 2)
        assert batch.tokens.dtype == torch.long
        for row, document in enumerate(batch.documents.tolist()):
            seen.append(document)
            kept = batch.tokens[row][batch.mask[row]]
            assert kept.tolist() == tokens[document].tolist()
            # The mask is the front of the row: padding is at the right.
            assert batch.mask[row, : len(kept)].all()
        assert (batch.tokens[~batch.mask] == 5).all()
        assert batch.mask.any(dim=0).all()
    assert sorted(seen) == list(range(len(LENGTHS)))


def test_neighbours_in_length_share_a_batch_longest_first():
    order = [batch.documents.tolist() for batch in batches(_tokens(LENGTHS), batch_size=3)]
    assert order == [[1, 3, 6], [4, 8, 0], [5, 7, 2]]


def test_corpus_order():
    order = [
        b.documents.tolist() for b in batches(_tokens([1, 9, 1]), batch_size=2, by_length=False)
    ]
    assert order == [[0, 1], [2]]


def test_equal_length_has_no_padding():
    made = list(batches(_tokens(LENGTHS), batch_size=2, equal_length=True, by_length=False))
    assert all(batch.mask.all() for batch in made)
    assert [b.documents.tolist() for b in made] == [[1, 3], [6], [4, 8], [0, 5], [7], [2]]


def test_little_is_padding():
    lengths = np.random.default_rng(0).integers(1, 129, size=512).tolist()

    def padding(by_length):
        made = batches(_tokens(lengths), batch_size=16, by_length=by_length)
        return float(torch.cat([~batch.mask.flatten() for batch in made]).float().mean())

    assert padding(by_length=True) < 0.05 < 0.3 < padding(by_length=False)


def test_text_is_neither_special_nor_padding():
    (batch,) = batches(_tokens([4, 2], special_ids=(10, 13, 99)), batch_size=2, pad_id=12)
    assert batch.tokens.tolist() == [[10, 11, 12, 13], [14, 15, 12, 12]]
    # Id 12 is text in the first row and padding in the second.
    assert batch.text_mask.tolist() == [[False, True, True, False], [True, True, False, False]]
    assert batch.mask.tolist() == [[True] * 4, [True, True, False, False]]


def test_batch_size_below_one_is_refused():
    with pytest.raises(CorpusError, match="batch_size=0"):
        batches(_tokens([1]), batch_size=0)
