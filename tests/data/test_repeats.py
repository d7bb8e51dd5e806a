from posprobe.data.repeats import Repeats

A = "Return the mean of the values."
B = "It is computed over all of the rows."
C = "Missing entries are left out."


def test_a_paragraph_is_a_repeat_if_half_of_it_is():
    repeats = Repeats()
    assert not repeats.is_repeat((A,))
    assert repeats.is_repeat((A,))
    assert repeats.is_repeat((A, B))
    assert repeats.is_repeat((B,))
    assert not Repeats().is_repeat((A, A))


def test_one_old_sentence_among_three_is_no_repeat():
    repeats = Repeats()
    repeats.is_repeat((A,))
    assert not repeats.is_repeat((A, B, C))


def test_names_numbers_and_capitals_make_no_difference():
    repeats = Repeats()
    repeats.is_repeat(("Return the mean of x_1 and Frame, at most 10.",))
    assert repeats.is_repeat(("return the mean of y_2 and Series (at most 12)!",))
    assert not repeats.is_repeat(("Compute the mean of x_1 and Frame, at most 10.",))
    assert not repeats.is_repeat(("Return the sum of x_1 and Frame, at most 10.",))
