import json

import numpy as np
import pytest
from scipy.fft import dct

from posprobe.analysis.manifold import ManifoldResult, measure_manifold
from posprobe.core.errors import NonFiniteError, UserError


def measure(table, **options):
    return measure_manifold(table, label="a", checkpoint="c", site="table", **options)


def planted(positions=128):
    t = np.pi * (2 * np.arange(positions)[:, None] + 1) / (2 * positions)
    return np.hstack([2 * np.cos(t), np.cos(3 * t)])


def test_planted_waves():
    found = measure(planted())
    assert found.top2 == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(found.variance_ratio, [0.8, 0.2], atol=1e-12)
    np.testing.assert_allclose(found.spectrum[[0, 1], [1, 3]], 1, atol=1e-12)
    np.testing.assert_allclose(found.low4, 1, atol=1e-12)
    assert found.low4_top2 == pytest.approx(1, abs=1e-12)
    assert found.low4_all == pytest.approx(1, abs=1e-12)
    assert found.participation_ratio == pytest.approx(1 / (0.64 + 0.04))
    assert (found.n_90, found.n_95, found.n_99) == (2, 2, 2)
    assert found.undefined is None


def test_planted_waves_in_a_wider_space(rng):
    rotation = np.linalg.qr(rng.standard_normal((10, 10)))[0][:2]
    found = measure(planted() @ rotation + 7.0)
    np.testing.assert_allclose(found.spectrum[[0, 1], [1, 3]], 1, atol=1e-9)
    # Components without variance have no frequency, and no weight in the whole.
    assert np.isnan(found.low4[2:]).all()
    assert np.isnan(found.spectrum[2:]).all()
    assert found.low4_all == pytest.approx(1)


def test_agrees_with_a_plain_reference(rng):
    table = rng.standard_normal((30, 12)).cumsum(axis=0)
    centred = table - table.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred)
    values, vectors = values[::-1], vectors[:, ::-1]
    ratio = values / values.sum()
    power = dct(centred @ vectors, type=2, norm="ortho", axis=0) ** 2
    low4 = (power / power.sum(axis=0))[1:5].sum(axis=0)

    found = measure(table)
    np.testing.assert_allclose(found.variance_ratio, ratio, atol=1e-12)
    np.testing.assert_allclose(found.low4, low4, atol=1e-9)
    np.testing.assert_allclose(found.spectrum, (power / power.sum(axis=0)).T[:8], atol=1e-9)
    assert found.top2 == pytest.approx(ratio[:2].sum())
    assert found.low4_top2 == pytest.approx(np.average(low4[:2], weights=ratio[:2]))
    assert found.low4_all == pytest.approx(np.average(low4, weights=ratio))
    cumulative = np.cumsum(ratio)
    assert found.n_90 == 1 + (cumulative < 0.9).sum()
    assert found.n_99 == 1 + (cumulative < 0.99).sum()


def test_a_gaussian_table_is_its_own_null(rng):
    found = measure(rng.standard_normal((128, 16)))
    for name in ("top2", "low4_top2", "low4_all"):
        assert abs(getattr(found.nulls["gaussian"], f"excess_{name}")) < 0.08
    assert found.nulls["random walk"].excess_top2 < -1


def test_shuffled_rows_keep_the_components_and_lose_the_spectrum(rng):
    table = planted()
    order = rng.permutation(len(table))
    found, shuffled = measure(table), measure(table[order])
    np.testing.assert_allclose(shuffled.variance_ratio, found.variance_ratio, atol=1e-12)
    np.testing.assert_allclose(shuffled.scores, found.scores[order], atol=1e-9)
    assert shuffled.low4_top2 < 0.12
    assert shuffled.spectrum.max() < 0.15

    null = found.nulls["shuffled"]
    assert null.low4_top2 == pytest.approx(4 / 127, abs=0.02)
    noisy = measure(table + rng.standard_normal(table.shape))
    assert noisy.nulls["shuffled"].top2 == noisy.top2


def test_a_constant_table_is_undefined():
    found = measure(np.full((20, 5), 0.1))
    assert found.undefined
    assert np.isnan([found.top2, found.low4_top2, found.low4_all, found.participation_ratio]).all()
    assert np.isnan(found.scores).all()
    assert set(found.nulls) == {"gaussian", "random walk", "shuffled"}
    shown = json.loads(ManifoldResult(manifolds=(found,)).to_json())["manifolds"][0]
    assert shown["top2"] is None


@pytest.mark.parametrize("shape", [(1, 4), (2, 1), (2, 4), (5, 1), (3, 700)])
def test_small_tables(rng, shape):
    found = measure(rng.standard_normal(shape))
    assert (found.undefined is not None) == (shape[0] == 1)


def test_half_precision_and_large_offsets(rng):
    table = planted().astype(np.float32)
    found, moved = measure(table), measure(table.astype(np.float64) + 1e6)
    np.testing.assert_allclose(moved.variance_ratio, found.variance_ratio, atol=1e-6)
    halved = measure(table.astype(np.float16))
    np.testing.assert_allclose(halved.variance_ratio, found.variance_ratio, atol=1e-3)


def test_non_finite_tables_are_refused():
    table = planted()
    table[3, 1] = np.inf
    with pytest.raises(NonFiniteError, match=r"a, table: 0\.39 %"):
        measure(table)


def test_mistakes_are_named():
    with pytest.raises(UserError, match="draws=0"):
        measure(planted(), draws=0)
    with pytest.raises(UserError, match="no positions"):
        measure(np.zeros((0, 4)))


def test_same_seed_same_bytes(rng):
    table = rng.standard_normal((24, 6))
    results = [ManifoldResult(manifolds=(measure(table, seed=seed),)) for seed in (1, 1, 2)]
    assert results[0].to_json() == results[1].to_json() != results[2].to_json()


def test_frame_and_summary(rng):
    found = measure(rng.standard_normal((24, 6)), layer=2)
    result = ManifoldResult(manifolds=(found,))
    frame = result.to_frame()
    assert len(frame) == 9 + 3 * 9 + 6 + 6 + 6 * 24 + 24 * 3
    assert (frame.layer == 2).all()
    third = frame.query("quantity == 'scores' and pos == 5 and component == 2").value.item()
    assert third == found.scores[5, 2]
    walk = frame.query("quantity == 'excess_top2' and null == 'random walk'").value.item()
    assert walk == found.nulls["random walk"].excess_top2
    assert result.summary()["a · table"]["top2"] == found.top2
