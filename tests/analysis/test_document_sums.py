import numpy as np
import pytest

from posprobe.analysis import document_sums
from posprobe.analysis.document_sums import add_by_document, seed_score, with_draws


def test_values_go_to_their_documents(rng):
    documents, values = rng.integers(0, 6, 50), rng.standard_normal((50, 2, 3))
    sums = np.ones((8, 2, 3))
    add_by_document(sums, documents, values)
    expected = np.stack([1 + values[documents == number].sum(axis=0) for number in range(8)])
    np.testing.assert_allclose(sums, expected)


def test_nothing_to_add():
    sums = np.zeros((2, 1))
    add_by_document(sums, np.zeros(0, dtype=np.int64), np.zeros((0, 1)))
    assert not sums.any()


def test_a_document_from_nowhere_is_refused():
    with pytest.raises(AssertionError, match="from 0"):
        add_by_document(np.zeros((2, 1)), np.array([-1]), np.ones((1, 1)))


def means(sums):
    return sums[:, 1:] / sums[:, :1]


def parts(rng, documents=40):
    tokens = rng.integers(1, 9, documents).astype(float)
    return tokens, tokens * rng.standard_normal(documents)


def test_draws_are_sums_of_drawn_documents(rng):
    value, drawn = with_draws(parts(rng), means, draws=3, seed=5)
    tokens, totals = parts(np.random.default_rng(0))
    again = np.random.default_rng(5).multinomial(40, np.full(40, 1 / 40), size=3)
    np.testing.assert_allclose(value, [totals.sum() / tokens.sum()])
    np.testing.assert_allclose(drawn[:, 0], (again @ totals) / (again @ tokens))


def test_blocks_do_not_change_the_draws(rng, monkeypatch):
    numbers = parts(rng)
    whole = with_draws(numbers, means, draws=10, seed=1)[1]
    monkeypatch.setattr(document_sums, "_BLOCK", 120)
    blocks = with_draws(numbers, means, draws=10, seed=1)[1]
    np.testing.assert_allclose(blocks, whole, rtol=1e-12)


def test_documents_without_sums_are_not_drawn(rng):
    tokens, totals = parts(rng)
    padded = [np.concatenate([np.zeros(30), part]) for part in (tokens, totals)]
    for found, expected in zip(
        with_draws(padded, means, draws=5, seed=1),
        with_draws((tokens, totals), means, draws=5, seed=1),
        strict=True,
    ):
        np.testing.assert_allclose(found, expected)


def test_one_document_cannot_be_drawn_from(rng):
    value, drawn = with_draws(parts(rng, documents=1), means, draws=5, seed=1)
    assert np.isfinite(value).all()
    assert drawn.shape == (0, 1)


def test_score_of_seeds_is_their_mean_in_each_draw(rng):
    drawn = rng.standard_normal((500, 3))
    score = seed_score("r2", np.array([0.1, 0.2, 0.6]), drawn)
    assert score.value == pytest.approx(0.3)
    assert score.by_seed == (0.1, 0.2, 0.6)
    np.testing.assert_allclose(
        (score.low, score.high), np.percentile(drawn.mean(axis=1), [2.5, 97.5])
    )


def test_draws_without_a_score_are_left_out():
    drawn = np.array([[0.1], [np.nan], [0.3]])
    score = seed_score("r2", np.array([0.2]), drawn)
    assert (score.low, score.high) == (pytest.approx(0.105), pytest.approx(0.295))


@pytest.mark.parametrize(("value", "drawn"), [(0.5, np.empty((0, 1))), (np.nan, np.ones((4, 1)))])
def test_no_interval_without_draws_or_score(value, drawn):
    score = seed_score("r2", np.array([value]), drawn)
    assert np.isnan([score.low, score.high]).all()
