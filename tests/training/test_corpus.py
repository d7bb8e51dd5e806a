from dataclasses import replace
from threading import Thread

import numpy as np
import pytest

from posprobe.core.errors import CorpusError
from posprobe.training.corpus import prepare_corpus
from tests.training.tiny import TEXT

DATA = TEXT.data


def ids(corpus):
    return [sequence.tolist() for sequence in corpus.train]


def test_held_out_documents_are_no_training_documents(tmp_path):
    corpus = prepare_corpus(DATA, seed=0, cache=tmp_path / "corpus")
    train, held_out = ids(corpus), [s.tolist() for s in corpus.held_out]
    assert len(held_out) >= 1
    assert not {tuple(s) for s in train} & {tuple(s) for s in held_out}
    assert {len(s) for s in train} == {24}
    assert all((s[0], s[-1]) == (1, 2) for s in train)


def test_what_is_kept_is_what_was_made(tmp_path):
    made = prepare_corpus(DATA, seed=0, cache=tmp_path / "corpus")
    before = (tmp_path / "corpus" / "train" / "ids.npy").stat().st_mtime_ns
    again = prepare_corpus(DATA, seed=0, cache=tmp_path / "corpus")
    assert (tmp_path / "corpus" / "train" / "ids.npy").stat().st_mtime_ns == before
    assert again.train.source == made.train.source
    assert isinstance(again.train.ids, np.memmap)


@pytest.mark.parametrize(
    "change", [{"length": 20}, {"limit": 50}, {"source": "generated", "limit": 40}]
)
def test_other_settings_make_it_anew(tmp_path, change):
    made = prepare_corpus(DATA, seed=0, cache=tmp_path / "corpus")
    other = prepare_corpus(replace(DATA, **change), seed=0, cache=tmp_path / "corpus")
    assert ids(other) != ids(made)


def test_a_process_that_is_not_the_maker_waits(tmp_path):
    found = []

    def wait():
        found.append(prepare_corpus(DATA, seed=0, cache=tmp_path / "corpus", maker=False))

    waiting = Thread(target=wait, daemon=True)
    waiting.start()
    assert waiting.is_alive()
    made = prepare_corpus(DATA, seed=0, cache=tmp_path / "corpus")
    waiting.join(timeout=30)
    assert ids(found[0]) == ids(made)


def test_a_corpus_of_short_documents_is_one_line_and_leaves_nothing(tmp_path):
    (tmp_path / "short.txt").write_text("\n===\n".join(f"Number {i}." for i in range(60)))
    data = replace(DATA, source=str(tmp_path / "short.txt"))
    with pytest.raises(CorpusError, match=r"none of \d+ documents has 24 tokens"):
        prepare_corpus(data, seed=0, cache=tmp_path / "cache" / "corpus")
    assert not list((tmp_path / "cache").iterdir())


def test_a_tokenizer_of_ones_own(tmp_path):
    first = prepare_corpus(DATA, seed=0, cache=tmp_path / "a")
    own = replace(DATA, tokenizer=str(tmp_path / "a" / "tokenizer.json"))
    assert ids(prepare_corpus(own, seed=0, cache=tmp_path / "b")) == ids(first)
