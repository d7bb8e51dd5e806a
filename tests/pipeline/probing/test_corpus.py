import numpy as np
import pytest

from posprobe.core.errors import CorpusError
from posprobe.data.document_folds import HELD_OUT
from posprobe.loaders import load
from posprobe.pipeline.options import ProbeOptions
from posprobe.pipeline.probing.corpus import open_probe_corpus
from posprobe.pipeline.probing.target import Columns, targets_of
from tests.checkpoints import save_decoder, save_encoder


@pytest.fixture
def nope(tmp_path):
    return load(save_decoder(tmp_path / "nope"))


def test_no_document_is_on_both_sides(nope):
    corpus = open_probe_corpus(nope, ProbeOptions(documents=20, folds=3))
    train, test = corpus.train, corpus.test
    assert (len(train.fold), len(test.fold)) == (15, 5)
    assert set(train.fold) == {0, 1, 2}
    assert set(test.fold) == {HELD_OUT}
    both = np.concatenate([side.text.tokens.documents for side in (train, test)])
    assert sorted(both.tolist()) == list(range(20))


def test_the_split_is_the_same_for_every_tokenizer(nope, tmp_path):
    dstg = load(save_encoder(tmp_path / "dstg"))
    chosen = ProbeOptions(documents=20, folds=3, seed=4)
    one, other = (open_probe_corpus(model, chosen).train for model in (nope, dstg))
    assert one.text.tokens.documents.tolist() == other.text.tokens.documents.tolist()
    assert one.fold.tolist() == other.fold.tolist()
    # The contexts differ, the texts do not.
    assert one.text.tokens[0][:32].tolist() == other.text.tokens[0].tolist()


def test_a_document_that_is_left_out_moves_no_other(nope, tmp_path):
    def documents(name, first):
        (tmp_path / name).write_text("\n===\n".join([first, *["Some text here."] * 19]))
        chosen = ProbeOptions(documents=20, folds=3, corpus=str(tmp_path / name))
        corpus = open_probe_corpus(nope, chosen)
        return [set(side.text.tokens.documents.tolist()) for side in (corpus.train, corpus.test)]

    whole, gap = documents("whole.txt", "A text."), documents("gap.txt", "I")
    assert [side - {0} for side in whole] == [side - {0} for side in gap]
    assert 0 not in gap[0] | gap[1]
    (tmp_path / "short.txt").write_text("\n===\n".join(["I"] * 18 + ["Some text."] * 2))
    with pytest.raises(CorpusError, match="too few of its documents"):
        open_probe_corpus(nope, ProbeOptions(folds=3, corpus=str(tmp_path / "short.txt")))


def test_shuffled_labels_stay_in_their_document_and_together(nope):
    train = open_probe_corpus(nope, ProbeOptions(documents=20, folds=3)).train
    counted = train.text.counted
    assert (train.shuffled[:, ~counted] == train.text.labels[:, ~counted]).all()
    for document in range(3):
        own = counted & (train.text.document == document)
        before, after = train.text.labels[:, own], train.shuffled[:, own]
        assert (before != after).any()
        assert sorted(map(tuple, before.T)) == sorted(map(tuple, after.T))


def test_disjoint_sides_share_no_token(nope):
    options = {"corpus": "random-tokens", "documents": 20, "folds": 3}
    corpus = open_probe_corpus(nope, ProbeOptions(disjoint=True, **options))
    train, test = (set(side.text.tokens.ids.tolist()) for side in (corpus.train, corpus.test))
    assert not train & test
    corpus = open_probe_corpus(nope, ProbeOptions(**options))
    train, test = (set(side.text.tokens.ids.tolist()) for side in (corpus.train, corpus.test))
    assert len(train & test) > 60


def test_targets_become_columns_and_come_back(nope):
    chosen = ProbeOptions(documents=20, folds=3, target=("boundary", "token"))
    corpus = open_probe_corpus(nope, chosen)
    boundary, token = targets_of(corpus)
    assert (boundary.kind, boundary.classes) == ("class", (0, 1))
    labels = corpus.train.text.labels[:, corpus.train.text.counted]
    assert token.span == np.ptp(labels[1])
    columns = Columns([boundary, token])
    assert columns.groups == [0, 0, 1]
    encoded = columns.encode(labels)
    np.testing.assert_array_equal(encoded[:, :2].sum(axis=1), 1)
    decoded = columns.decode(encoded)
    np.testing.assert_array_equal(decoded["boundary"], labels[0])
    np.testing.assert_array_equal(decoded["token"], labels[1])
