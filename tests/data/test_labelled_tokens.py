import numpy as np
import pytest
import torch

from posprobe.core.errors import CorpusError
from posprobe.data.batches import batches
from posprobe.data.bpe import train_bpe
from posprobe.data.documents import Document
from posprobe.data.generated import generate_documents
from posprobe.data.labelled_tokens import label_documents
from posprobe.data.vocabulary import ascii_vocabulary


def label(texts, tokenizer=None, *, limit=100, n_ctx=50):
    tokenizer = tokenizer or ascii_vocabulary()
    return label_documents(
        [Document(((text,),)) for text in texts],
        tokenizer,
        name="made up",
        targets=("token", "to-end"),
        special_ids=tokenizer.special_ids,
        n_ctx=n_ctx,
        limit=limit,
    )


def test_tokens_and_labels_lie_side_by_side():
    labelled = label(["abc", "defgh"])
    assert labelled.tokens.lengths.tolist() == [3, 5]
    assert labelled.labels.tolist() == [[0, 1, 2, 0, 1, 2, 3, 4], [2, 1, 0, 4, 3, 2, 1, 0]]
    assert labelled.document.tolist() == [0] * 3 + [1] * 5
    assert (labelled.tokens.truncated, labelled.tokens.too_short) == (0, 0)


def test_as_many_documents_are_read_whatever_the_tokenizer_keeps():
    texts = ["ab", "abcd", "a", "abcdef", "abcd"]
    labelled = label(texts, limit=4)
    assert labelled.tokens.documents.tolist() == [1, 3]
    assert labelled.tokens.too_short == 2
    assert label(texts, limit=4, n_ctx=5).tokens.truncated == 1
    with pytest.raises(CorpusError, match="none of 2 documents"):
        label(["ab", "c"])
    with pytest.raises(CorpusError, match=r"document 1: character 'é'"):
        label(["abc", "é"])


def test_a_batch_finds_its_labels_whatever_its_order():
    tokenizer = train_bpe(generate_documents(20, seed=1), vocab_size=400)
    texts = ["A harbour.", "The ship is at the harbour.", "A sailor.", "The captain sleeps now."]
    labelled = label(texts, tokenizer)
    seen = []
    for batch in batches(labelled.tokens, batch_size=3, pad_id=0):
        counted, places = labelled.counted_in(batch)
        assert torch.equal(counted, batch.text_mask)
        np.testing.assert_array_equal(labelled.tokens.ids[places], batch.tokens[counted])
        columns = counted.nonzero()[:, 1]
        np.testing.assert_array_equal(labelled.labels[0][places], columns)
        np.testing.assert_array_equal(
            labelled.document[places], batch.documents[counted.nonzero()[:, 0]]
        )
        seen += places.tolist()
    assert sorted(seen) == np.flatnonzero(labelled.counted).tolist()


def test_some_documents_keep_their_labels():
    labelled = label(["abc", "defgh", "ijkl"])
    some = labelled.subset(np.array([True, False, True]))
    assert [row.tolist() for row in some.tokens] == [
        labelled.tokens[0].tolist(),
        labelled.tokens[2].tolist(),
    ]
    assert some.labels[0].tolist() == [0, 1, 2, 0, 1, 2, 3]
    assert some.document.tolist() == [0] * 3 + [1] * 4
    assert some.tokens.documents.tolist() == [0, 2]
