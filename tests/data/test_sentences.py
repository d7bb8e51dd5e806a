import pytest

from posprobe.data.conllu import read_conllu
from posprobe.data.sentences import split_sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ("One.", "Two!", "Three?"),
        ("Mr. Smith paid 3.50, i.e. too much.", "He left."),
        ('"Is it?" he asked.', "It was."),
        ("See numpy.ndarray.Shape for this.", "It works."),
        ("no end",),
    ],
)
def test_sentences_are_split(sentences):
    assert split_sentences(" ".join(sentences)) == sentences
    assert split_sentences("  " + "  ".join(sentences) + " ") == sentences


def test_white_space_inside_a_sentence_stays():
    assert split_sentences("Two  spaces here.  Next.") == ("Two  spaces here.", "Next.")
    assert split_sentences("  ") == split_sentences("") == ()


def test_nothing_but_white_space_is_lost(shared):
    documents = read_conllu(shared / "data/ewt.conllu.xz")
    for document in (next(documents) for _ in range(100)):
        for paragraph in document.text.split("\n\n"):
            assert " ".join(split_sentences(paragraph)).split() == paragraph.split()


def test_boundaries_are_those_of_a_treebank(shared):
    documents = read_conllu(shared / "data/gum.conllu.xz")
    right = found = wanted = 0
    for document in (next(documents) for _ in range(20)):
        for paragraph in document.paragraphs:
            gold, ours = _ends(paragraph), _ends(split_sentences(" ".join(paragraph)))
            right, found, wanted = right + len(gold & ours), found + len(ours), wanted + len(gold)
    assert right > 0.9 * found
    assert right > 0.8 * wanted


def _ends(sentences):
    """Letters and signs up to the end of each sentence but the last."""
    ends, end = set(), 0
    for sentence in sentences[:-1]:
        end += len("".join(sentence.split()))
        ends.add(end)
    return ends
