import numpy as np

from posprobe.analysis.head_shares import variance_shares


def shares_of(*terms):
    terms = np.array([*terms, np.sum(terms, axis=0)])
    centred = terms - terms.mean(axis=1, keepdims=True)
    energy = np.array([(terms[:-1] ** 2).sum()])
    return [part[0] for part in variance_shares((centred @ centred.T)[None], energy)]


def test_agrees_with_numpy(rng):
    one, other = rng.standard_normal((2, 200))
    other += 0.3 * one
    share, fraction = shares_of(one, other)
    whole = one + other
    expected = [np.cov(term, whole)[0, 1] / whole.var(ddof=1) for term in (one, other)]
    np.testing.assert_allclose(share, expected)
    np.testing.assert_allclose(fraction, [one.var(), other.var()] / (one.var() + other.var()))


def test_a_term_that_works_against_the_others_is_negative(rng):
    one = rng.standard_normal(50)
    share, fraction = shares_of(2 * one, -one)
    np.testing.assert_allclose(share, [2, -1])
    np.testing.assert_allclose(fraction, [0.8, 0.2])


def test_terms_that_cancel_are_undefined(rng):
    one = rng.standard_normal(50)
    share, fraction = shares_of(one, -one)
    assert np.isnan(share).all()
    np.testing.assert_allclose(fraction, 0.5)


def test_constant_terms_are_undefined():
    for constant in (0.0, 0.1, 1e6):
        share, fraction = shares_of(np.full(7, constant), np.full(7, 0.3))
        assert np.isnan([share, fraction]).all()


def test_small_variance_is_not_taken_for_rounding(rng):
    share, _ = shares_of(1e-9 * rng.standard_normal(50), np.zeros(50))
    np.testing.assert_allclose(share, [1, 0])
