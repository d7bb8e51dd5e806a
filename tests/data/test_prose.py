import pytest

from posprobe.data.prose import prose_sentences

GOOD = "This is a sentence that says something."


@pytest.mark.parametrize(
    ("markup", "plain"),
    [
        ("Use :func:`~numpy.mean` for the mean.", "Use numpy.mean for the mean."),
        ("See `the guide <https://x.org>`_ for the rest.", "See the guide for the rest."),
        ("Read [the guide](https://x.org) for the rest.", "Read the guide for the rest."),
        ("Give ``None`` or `x` to the call.", "Give None or x to the call."),
        ("It is **very** and *quite* good to have.", "It is very and quite good to have."),
        ("As shown by him [1]_, it is so.", "As shown by him, it is so."),
        ("Here :math:`n` is the size of it.", "Here n is the size of it."),
        ("Set `name' to the name of it.", "Set name to the name of it."),
        ("A space before the stop is removed .", "A space before the stop is removed."),
        (
            "A so-\ncalled thing is one of them.".replace("\n", " "),
            "A so-called thing is one of them.",
        ),
    ],
)
def test_inline_markup_is_removed(markup, plain):
    assert prose_sentences(markup, opening=True) == (plain,)


@pytest.mark.parametrize(
    "bad",
    [
        "It is so.",
        "begins with a small letter and goes on.",
        "The call (see there is never closed.",
        'The "quote is never closed here.',
        "See https://example.org/page for all of it.",
        "The power x^2 is in the sum.",
        "The path is C:\\temp on this machine.",
        "The value x_i and y_j of a_b in c_d e_f.",
        "Hidden words stand as [MASK] in the text.",
        "Alpha beta gamma delta epsilon zeta eta.",
        "The equation :math:`\\alpha + 1` is solved here.",
        "The following are the rules of it:",
        " ".join(["The word"] * 31) + ".",
        "",
    ],
)
def test_what_is_no_sentence_is_dropped(bad):
    assert prose_sentences(bad) == ()
    assert prose_sentences(bad, opening=True) == () or not bad.endswith(".")


def test_a_summary_gets_its_full_stop():
    assert prose_sentences("Return the sum of all", opening=True) == ("Return the sum of all.",)
    assert prose_sentences("Return the sum of all") == ()
    two = f"{GOOD} And this is the last one"
    assert prose_sentences(two) == (GOOD, "And this is the last one.")


def test_a_lone_phrase_is_no_paragraph_but_can_open_one():
    for phrase in (
        "Number of columns to read from the file of the user.",
        "If the file is missing or cannot be read at all.",
        "The name is there.",
    ):
        assert prose_sentences(phrase) == ()
    assert prose_sentences("Number of columns to read.", opening=True)
    assert prose_sentences("If it is missing, the file is read from the folder.")


def test_a_paragraph_that_is_mostly_code_is_dropped():
    code = "x = f(y) * 2 and z = g(x) or so on and on, see a.b.c and d.e.f() for the_rest of_it."
    assert prose_sentences(f"{GOOD} {code}") == ()
    assert prose_sentences(" ".join([GOOD] * 5 + [code])) == (GOOD,) * 5
