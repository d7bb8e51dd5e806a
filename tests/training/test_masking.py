import numpy as np
import pytest

from posprobe.core.errors import CorpusError
from posprobe.data.bpe import train_bpe
from posprobe.data.documents import Document
from posprobe.training.masking import Masking

MASK = 3


def masking(**changes):
    settings = {"rate": 0.2, "as_mask": 1.0, "as_random": 0.0, "mask_id": MASK, "seed": 5}
    return Masking(**(settings | changes), random_ids=np.arange(4, 50))


def apply(rows, epochs, *, length=200, **changes):
    tokens = np.random.default_rng(0).integers(4, 50, size=(1000, length))[rows]
    return tokens, *masking(**changes).apply(tokens, tokens > 4, np.array(rows), np.array(epochs))


def test_a_documents_mask_does_not_depend_on_its_batch():
    _, seen, chosen = apply([7, 1, 3], [2, 0, 2])
    _, alone, chosen_alone = apply([3], [2])
    assert (seen[2] == alone[0]).all()
    assert (chosen[2] == chosen_alone[0]).all()


def test_a_shorter_row_has_the_same_mask_as_far_as_it_goes():
    _, _, long = apply([7], [0])
    _, _, short = apply([7], [0], length=200)
    assert (long[:, :50] == short[:, :50]).all()


@pytest.mark.parametrize("change", ["document", "epoch", "seed"])
def test_masks_differ_between(change):
    _, _, one = apply([7], [0])
    changed = {
        "document": lambda: apply([8], [0]),
        "epoch": lambda: apply([7], [1]),
        "seed": lambda: apply([7], [0], seed=6),
    }
    _, _, other = changed[change]()
    assert 0.2 < (one != other).mean() < 0.45  # 2 · 0.2 · 0.8 = 0.32 where independent


def test_share_of_hidden_tokens_and_nothing_but_text_is_hidden():
    tokens, seen, chosen = apply(np.arange(1000).tolist(), [0] * 1000)
    assert not chosen[tokens == 4].any()
    assert chosen[tokens > 4].mean() == pytest.approx(0.2, abs=0.005)
    assert (seen[chosen] == MASK).all()
    assert (seen[~chosen] == tokens[~chosen]).all()
    assert np.abs(chosen.mean(0) - chosen.mean()).max() < 0.06  # at no position more than elsewhere


def test_share_replaced_by_random_tokens_and_left_alone():
    tokens, seen, chosen = apply(np.arange(1000).tolist(), [0] * 1000, as_mask=0.8, as_random=0.1)
    assert (seen[chosen] == MASK).mean() == pytest.approx(0.8, abs=0.01)
    kept = seen[chosen] == tokens[chosen]
    assert kept.mean() == pytest.approx(0.1 + 0.1 / 46, abs=0.01)
    assert set(np.unique(seen[chosen])) <= {MASK, *range(4, 50)}


def test_a_tokenizer_without_a_mask_token_is_refused():
    special = ("[PAD]", "[CLS]", "[SEP]")
    tokenizer = train_bpe([Document((("Yes.",),))], vocab_size=300, special=special)
    with pytest.raises(CorpusError, match=r"has no \[MASK\] token"):
        Masking.of(tokenizer, rate=0.2, as_mask=1.0, as_random=0.0, seed=0)
