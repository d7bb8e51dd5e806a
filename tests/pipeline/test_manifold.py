import subprocess
import sys

import numpy as np
import pytest
import torch

from posprobe import manifold, save
from posprobe.core.errors import UserError
from posprobe.models.build import build
from posprobe.models.config import DecoderConfig
from tests.checkpoints import save_decoder, save_encoder


def planted(length: int, width: int) -> torch.Tensor:
    """A table whose two components are the first and the third half-wave."""
    t = torch.pi * (2 * torch.arange(length) + 1) / (2 * length)
    table = torch.zeros(length, width)
    table[:, 0], table[:, 1] = 2 * torch.cos(t), torch.cos(3 * t)
    return table


def test_planted_table_is_found_whole(tmp_path):
    model = build(DecoderConfig(position="learned", n_heads=2, d_model=16, n_ctx=32))
    with torch.no_grad():
        model.pos_embed.weight.copy_(planted(32, 16))
    save(model, tmp_path / "planted")
    (found,) = manifold(str(tmp_path / "planted"), draws=2).result.manifolds
    assert found.top2 == pytest.approx(1)
    assert found.spectrum[0, 1] == pytest.approx(1)
    assert found.spectrum[1, 3] == pytest.approx(1)
    assert (found.label, found.site, found.n_positions) == ("planted", "table", 32)


def test_states_of_a_table_added_to_constant_tokens_are_the_table(tmp_path):
    model = build(DecoderConfig(position="learned", n_heads=2, d_model=16, n_ctx=32))
    with torch.no_grad():
        model.pos_embed.weight.copy_(planted(32, 16))
        model.embed.weight.zero_()
    model.tokenizer = None
    save(model, tmp_path / "planted")
    report = manifold(
        str(tmp_path / "planted"),
        source="states",
        site=("blocks.0.hook_resid_pre",),
        corpus="random-tokens",
        documents=4,
        draws=2,
    )
    (found,) = report.result.manifolds
    assert found.top2 == pytest.approx(1)
    assert "4 documents" in found.note


def test_rows_that_training_never_reached_are_left_out(tmp_path):
    model = build(DecoderConfig(position="learned", n_heads=2, d_model=16, n_ctx=32))
    with torch.no_grad():
        model.pos_embed.weight[20:] = 1e3
    save(model, tmp_path / "short", provenance={"longest_document": 20})
    (found,) = manifold(str(tmp_path / "short"), draws=2).result.manifolds
    assert found.n_positions == 20
    assert np.abs(found.scores).max() < 1
    assert "rows from 20 on were never trained" in found.note


def test_tables_and_states_of_several_checkpoints_in_one_result(tmp_path):
    dstg, nope = save_encoder(tmp_path / "dstg"), save_decoder(tmp_path / "nope")
    result = manifold(str(dstg), str(nope), documents=3, draws=2).result
    sites = [(m.label, m.site) for m in result.manifolds]
    assert sites == [
        ("dstg", "table"),
        ("nope", "blocks.0.hook_resid_post"),
        ("nope", "blocks.1.hook_resid_post"),
    ]
    both = manifold(str(dstg), str(nope), source="states", documents=3, draws=2)
    assert [tokens.special_ids for tokens in both.provenance.tokens] == [(96,), ()]
    streams = manifold(str(dstg), source="states", documents=3, draws=2).result.manifolds
    assert {m.site.rsplit("_", 1)[1] for m in streams} == {"ap", "sem"}


def test_only_documents_that_reach_every_position_count(tmp_path):
    nope = save_decoder(tmp_path / "nope")
    (tmp_path / "text.txt").write_text("short\n===\n" + "a longer document " * 3)
    options = {"source": "states", "corpus": str(tmp_path / "text.txt"), "draws": 2}
    notes = [m.note for m in manifold(str(nope), positions=30, **options).result.manifolds]
    assert all("1 documents" in note and "1 end before position 29" in note for note in notes)
    with pytest.raises(UserError, match="none of 2 documents reaches"):
        manifold(str(nope), positions=64, **options)


LIGHT = """
import sys
from pathlib import Path
import posprobe
posprobe.manifold({ref!r}).save(Path({out!r}))
print(*[name for name in ("torch", "transformers", "transformer_lens") if name in sys.modules])
"""


def test_a_table_is_measured_and_its_page_made_without_torch(dstg, tmp_path):
    code = LIGHT.format(ref=str(dstg), out=str(tmp_path))
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []
    assert (tmp_path / "manifold.html").exists()
