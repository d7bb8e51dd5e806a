"""Attention scores: finite, before any mask, whatever the architecture's own code gives."""

import numpy as np
import pytest
import torch

from posprobe.activations.logits import seen_pairs

SCORES, PATTERN = "blocks.1.attn.hook_attn_scores", "blocks.1.attn.hook_pattern"


def _allowed(name, mask, causal):
    """Which keys a query may see, written down anew."""
    length = mask.shape[1]
    query, key = torch.arange(length)[:, None], torch.arange(length)[None, :]
    allowed = mask[:, None, None, :].expand(-1, 1, length, -1)
    if causal:
        allowed = allowed & (key <= query)
    if name == "mistral":
        allowed = allowed & (query - key < 4)
    if name == "modernbert":  # layer 1 sees local_attention // 2 places either way
        allowed = allowed & ((query - key).abs() <= 4)
    return allowed


@pytest.mark.parametrize("padded", [False, True])
def test_softmax_of_the_masked_scores_is_the_pattern(name, padded, model, tokens):
    wrapped = model(name)
    mask = torch.ones_like(tokens, dtype=torch.bool)
    if padded:
        mask[0, :3] = False
        mask[1, 7:] = False
    seen = wrapped.run(tokens, mask, [SCORES, PATTERN])
    scores, pattern = seen[SCORES], seen[PATTERN]
    assert bool(scores.isfinite().all())
    assert scores.abs().max() < 1e3
    allowed = _allowed(name, mask, wrapped.info.causal)
    expected = scores.masked_fill(~allowed, -torch.inf).softmax(dim=-1)
    real = mask[:, None, :, None].expand_as(pattern)
    torch.testing.assert_close(pattern[real], expected[real], atol=1e-5, rtol=0)


def test_the_pairs_that_count_are_those_that_attention_looks_at(name, model, tokens):
    wrapped = model(name)
    patterns = [f"blocks.{layer}.attn.hook_pattern" for layer in range(2)]
    seen = wrapped.run(tokens, None, patterns)
    looked = torch.stack([(seen[site] > 0).any(dim=1).any(dim=0) for site in patterns])
    found = seen_pairs(wrapped.info, np.arange(tokens.shape[1]))
    assert torch.equal(found, looked)


def test_scores_are_not_probabilities(name, model, tokens):
    scores = model(name).run(tokens, None, [SCORES])[SCORES]
    assert (scores.sum(dim=-1) - 1).abs().min() > 1e-4
    assert scores.min() < 0


def test_values_mixed_by_the_pattern_are_z(name, model, tokens):
    at = "blocks.1.attn.hook_"
    seen = model(name).run(tokens, None, [PATTERN, at + "v", at + "z"])
    values = seen[at + "v"]
    values = values.repeat_interleave(seen[at + "z"].shape[2] // values.shape[2], dim=2)
    mixed = torch.einsum("bhqk,bkhd->bqhd", seen[PATTERN], values)
    torch.testing.assert_close(mixed, seen[at + "z"], atol=1e-5, rtol=1e-5)


WITHOUT_ROTATION = {
    "gpt2": 8**-0.5,
    "gpt2-by-layer": 8**-0.5 / 2,
    "gpt2-unscaled": 1.0,
    "gpt2-headless": 8**-0.5,
    "bert": 8**-0.5,
    "bert-headless": 8**-0.5,
    "roberta": 8**-0.5,
    "distilbert": 8**-0.5,
    "electra": 8**-0.5,
    "opt": 8**-0.5,
    "opt-headless": 8**-0.5,
}


@pytest.mark.parametrize("name", WITHOUT_ROTATION)
def test_scores_are_scaled_products_of_queries_and_keys(name, model, tokens):
    at = "blocks.1.attn.hook_"
    seen = model(name).run(tokens, None, [SCORES, at + "q", at + "k"])
    products = torch.einsum("bqhd,bkhd->bhqk", seen[at + "q"], seen[at + "k"])
    torch.testing.assert_close(
        products * WITHOUT_ROTATION[name], seen[SCORES], atol=1e-5, rtol=1e-5
    )


@pytest.mark.parametrize("name", ["llama", "llama-headless", "neox", "neox-headless", "modernbert"])
def test_rotary_scores_depend_on_distance_alone(name, model):
    # The same token everywhere: queries and keys differ by their turn only.
    seen = model(name).run(torch.full((1, 9), 7), None, ["blocks.0.attn.hook_attn_scores"])
    scores = seen["blocks.0.attn.hook_attn_scores"]
    torch.testing.assert_close(scores[..., 1:, 1:], scores[..., :-1, :-1], atol=1e-5, rtol=1e-4)
    assert (scores[..., 0] - scores[..., 0, :1]).abs().max() > 1e-3
