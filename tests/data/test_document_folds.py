import numpy as np
import pytest

from posprobe.core.errors import UserError
from posprobe.data.document_folds import HELD_OUT, document_folds


@pytest.mark.parametrize(("n", "folds", "share"), [(40, 5, 0.25), (7, 2, 0.3), (101, 10, 0.5)])
def test_sides_and_folds_are_as_large_as_asked(n, folds, share):
    found = document_folds(n, folds=folds, test_share=share, seed=3)
    held_out = round(share * n)
    assert (found == HELD_OUT).sum() == held_out
    sizes = np.bincount(found[found != HELD_OUT], minlength=folds)
    assert sizes.sum() == n - held_out
    assert sizes.max() - sizes.min() <= 1


def test_the_seed_decides_which():
    first, again, other = (
        document_folds(50, folds=5, test_share=0.2, seed=seed).tolist() for seed in (0, 0, 1)
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize("n", [1, 5, 6])
def test_too_few_documents_are_refused(n):
    with pytest.raises(UserError, match="use more documents"):
        document_folds(n, folds=5, test_share=0.25, seed=0)
