import numpy as np
import pytest

from posprobe.core.errors import CorpusError
from posprobe.data.bpe import train_bpe
from posprobe.data.conllu import read_conllu
from posprobe.data.documents import Document
from posprobe.data.generated import generate_documents
from posprobe.data.probe_targets import probe_targets
from posprobe.data.target_names import CLASSES, NUMBERS, TARGETS, UPOS
from posprobe.data.token_positions import token_positions
from posprobe.data.vocabulary import ascii_vocabulary

DOCUMENT = Document((("Ab c.", "De."), ("F g.",)), title="Ti")
#  0123456789012345678901
# "Ti\n\nAb c. De.\n\nF g."


def labelled(document, targets, *, n_ctx=100, tokenizer=None, special_ids=()):
    found = probe_targets(
        document,
        tokenizer or ascii_vocabulary(),
        targets=targets,
        special_ids=special_ids,
        n_ctx=n_ctx,
    )
    return {
        name: row[found.counted].tolist() for name, row in zip(targets, found.labels, strict=True)
    }, found


def test_every_target_of_a_document_of_characters():
    targets = [name for name in TARGETS if name != "upos"]
    labels, found = labelled(DOCUMENT, targets)
    assert found.counted.sum() == 5 + 3 + 4
    assert labels == {
        "token": [4, 5, 6, 7, 8, 10, 11, 12, 15, 16, 17, 18],
        "to-end": [14, 13, 12, 11, 10, 8, 7, 6, 3, 2, 1, 0],
        "sentence": [0] * 5 + [1] * 3 + [2] * 4,
        "paragraph": [0] * 8 + [1] * 4,
        "within-sentence": [0, 1, 2, 3, 4, 0, 1, 2, 0, 1, 2, 3],
        "within-paragraph": [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3],
        "boundary": [0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1],
    }
    assert not found.cut


def test_the_cut_is_no_end_of_a_sentence_but_the_end_of_the_sequence():
    labels, found = labelled(DOCUMENT, ["token", "to-end", "boundary"], n_ctx=12)
    assert found.cut
    assert found.ids.size == 12
    assert labels["token"] == [4, 5, 6, 7, 8, 10, 11]
    assert labels["to-end"] == [7, 6, 5, 4, 3, 1, 0]
    assert labels["boundary"] == [0, 0, 0, 0, 1, 0, 0]


def test_special_tokens_count_as_places_but_are_not_probed():
    tokenizer = train_bpe(generate_documents(20, seed=1), vocab_size=400)
    (document,) = generate_documents(1, seed=3)
    whole = token_positions(document, tokenizer)
    special = tokenizer.special_ids
    labels, found = labelled(
        document, list(NUMBERS), n_ctx=50, tokenizer=tokenizer, special_ids=special
    )
    assert found.ids[0] in special
    assert found.ids[-1] in special
    assert not found.counted[[0, -1]].any()
    places = [p for p in range(49) if whole.sentence[p] >= 0]
    assert labels["token"] == places
    assert labels["to-end"] == [places[-1] - p for p in places]
    for name in ("sentence", "paragraph", "within-sentence", "within-paragraph"):
        column = getattr(whole, name.replace("-", "_"))
        assert labels[name] == column[places].tolist()


def test_a_special_token_inside_the_text_is_not_probed():
    vocabulary = ascii_vocabulary()
    letter = vocabulary.encode("c")[0]
    labels, _ = labelled(DOCUMENT, ["token"], special_ids=(letter,))
    assert 7 not in labels["token"]
    assert len(labels["token"]) == 11


def test_parts_of_speech_of_every_token_of_a_word(tmp_path):
    rows = [("1-2", "Don't", "_"), ("1", "Do", "AUX"), ("2", "n't", "PART"), ("3", "go", "VERB")]
    lines = ["\t".join([n, form, "_", tag, *"_" * 6]) for n, form, tag in rows]
    path = tmp_path / "a.conllu"
    path.write_text("\n".join(lines), encoding="utf-8")
    (document,) = read_conllu(path, annotated=True)
    labels, _ = labelled(document, ["upos"])
    assert [UPOS[label] for label in labels["upos"]] == ["AUX"] * 5 + ["_"] + ["VERB"] * 2
    assert CLASSES["upos"] == UPOS
    (plain,) = read_conllu(path)
    with pytest.raises(CorpusError, match=r"needs a \.conllu corpus"):
        labelled(plain, ["upos"])
    path.write_text("\n".join(lines).replace("VERB", "V"), encoding="utf-8")
    (odd,) = read_conllu(path, annotated=True)
    with pytest.raises(CorpusError, match="'V' is no universal part of speech"):
        labelled(odd, ["upos"])


def test_a_document_without_text():
    for document in (Document(()), Document((), title="Title")):
        _, found = labelled(document, ["token", "to-end", "boundary"])
        assert not found.counted.any()
        assert np.isfinite(found.labels).all()
