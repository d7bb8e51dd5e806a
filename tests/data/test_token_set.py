from hashlib import sha256

import numpy as np
import pytest

from posprobe.data.token_set import TokenSet


def _token_set(*sequences, **more):
    return TokenSet(
        name="made up",
        ids=np.array([i for sequence in sequences for i in sequence], dtype=np.int32),
        lengths=np.array([len(sequence) for sequence in sequences]),
        documents=np.arange(len(sequences)),
        **more,
    )


def test_sequences_are_cut_out_again():
    tokens = _token_set([1, 2, 3], [4], [5, 6])
    assert [sequence.tolist() for sequence in tokens] == [[1, 2, 3], [4], [5, 6]]
    assert len(tokens) == 3
    assert tokens.longest == 3
    with pytest.raises(IndexError):
        tokens[3]


def test_the_source_counts_and_hashes():
    source = _token_set([1, 2, 3], [4], truncated=1, too_short=5).source
    plain = b"".join(int(i).to_bytes(8, "little") for i in (3, 1, 2, 3, 1, 4))
    assert source.sha256 == sha256(plain).hexdigest()
    assert (source.name, source.documents, source.tokens) == ("made up", 2, 4)
    assert (source.truncated, source.too_short) == (1, 5)


def test_the_hash_depends_on_ids_order_and_borders_only():
    hashed = _token_set([1, 2], [3]).source.sha256
    others = (_token_set([3], [1, 2]), _token_set([1], [2, 3]), _token_set([1, 2], [4]))
    assert all(other.source.sha256 != hashed for other in others)
    wide = TokenSet(
        name="other",
        ids=np.array([1, 2, 3]),
        lengths=np.array([2, 1]),
        documents=np.array([4, 9]),
        special_ids=(3,),
    )
    assert wide.source.sha256 == hashed


def test_rows_of_equal_length():
    tokens = TokenSet.from_rows(np.arange(6).reshape(2, 3), name="random", special_ids=(9,))
    assert [sequence.tolist() for sequence in tokens] == [[0, 1, 2], [3, 4, 5]]
    assert tokens.special_ids == (9,)
