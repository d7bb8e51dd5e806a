import json
import shutil

import pytest
import torch
from huggingface_hub.errors import LocalEntryNotFoundError

from posprobe import from_pretrained, push_to_hub, save
from posprobe.core.errors import CheckpointError, UserError
from posprobe.data.vocabulary import ascii_vocabulary
from posprobe.loaders import load, load_random, read_position_table
from posprobe.models.build import build
from posprobe.models.config import DecoderConfig, EncoderConfig

SMALL = {"n_layers": 2, "n_heads": 2, "d_model": 16, "n_ctx": 12, "d_vocab": 96}
CONFIGS = [
    EncoderConfig(**SMALL, d_pos=4, d_mlp=24, residual="normed"),
    EncoderConfig(**SMALL, position="ap", d_mlp=24),
    DecoderConfig(**SMALL),
    DecoderConfig(**SMALL, position="learned", tied=False, bias=True),
    DecoderConfig(**SMALL, position="sinusoidal"),
]


@pytest.mark.parametrize("cfg", CONFIGS, ids=lambda c: c.position)
def test_round_trip(tmp_path, cfg):
    model = build(cfg, seed=4)
    model.tokenizer = ascii_vocabulary()
    known = {"recipe": "none", "losses": [2.0, 1.0]}
    folder = save(model, tmp_path / "one", provenance=known)
    again = load(folder)
    assert again.cfg == cfg
    assert again.tokenizer.encode("rev(1)=") == model.tokenizer.encode("rev(1)=")
    assert again.source.trained == known
    ids = torch.arange(10)[None]
    for site in ("unembed.hook_out", "blocks.1.hook_resid_post"):
        assert torch.equal(again.run(ids, sites=[site])[site], model.run(ids, sites=[site])[site])


def test_saving_replaces_whole_folders_and_leaves_nothing_behind(tmp_path):
    for seed in (1, 2):
        save(build(CONFIGS[2], seed=seed), tmp_path / "one")
    assert [p.name for p in tmp_path.iterdir()] == ["one"]
    assert torch.equal(load(tmp_path / "one").embed.weight, build(CONFIGS[2], seed=2).embed.weight)


def test_failed_saving_keeps_the_old_checkpoint(tmp_path, monkeypatch):
    save(build(CONFIGS[2], seed=1), tmp_path / "one")

    def full(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr("posprobe.loaders.native.save_file", full)
    with pytest.raises(OSError, match="No space"):
        save(build(CONFIGS[2], seed=2), tmp_path / "one")
    assert torch.equal(load(tmp_path / "one").embed.weight, build(CONFIGS[2], seed=1).embed.weight)
    assert [p.name for p in tmp_path.iterdir()] == ["one"]


def test_table_is_read_alone_and_untrained_rows_are_known(tmp_path):
    model = build(CONFIGS[1])
    save(model, tmp_path / "one", provenance={"longest_document": 8})
    table, source = read_position_table(tmp_path / "one")
    assert (table.offset, table.trained, table.rows.shape) == (1, 8, (12, 16))
    assert source.format == "native"
    assert (table.rows == model.position_table().rows).all()


def test_a_table_that_does_not_fit_its_configuration_is_refused(tmp_path):
    folder = save(build(CONFIGS[1]), tmp_path / "one")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"n_ctx": 20}))
    with pytest.raises(CheckpointError, match="13 rows, the configuration says 21"):
        read_position_table(folder)


def test_missing_shapes_and_newer_versions_are_refused(tmp_path):
    folder = save(build(CONFIGS[2]), tmp_path / "one")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"n_layers": 3}))
    with pytest.raises(CheckpointError, match=r"missing.*blocks\.2"):
        load(folder)
    (folder / "config.json").write_text(json.dumps(config | {"format_version": 2}))
    with pytest.raises(CheckpointError, match="newer posprobe"):
        load(folder)
    (folder / "config.json").write_text(json.dumps(config | {"n_heads": 3}))
    with pytest.raises(UserError, match="n_heads=3"):
        load(folder)


def test_names(tmp_path, monkeypatch):
    monkeypatch.setenv("POSPROBE_CHECKPOINTS", str(tmp_path))
    save(build(CONFIGS[2]), tmp_path / "mine")
    assert load("mine").source.ref == "mine"
    with pytest.raises(CheckpointError, match=r"nanogpt-nope-paper.*--init"):
        load("nanogpt-nope-paper")
    with pytest.raises(CheckpointError, match=r"no-such: no such.*mine"):
        load("no-such")
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(CheckpointError, match="no checkpoint here"):
        load(empty)


def test_named_configuration_has_the_papers_size_and_a_vocabulary():
    model = load_random("nanogpt-nope-paper", seed=1)
    info = model.info
    assert (info.n_layers, info.n_heads, info.d_model, info.d_vocab) == (6, 6, 384, 96)
    assert info.position == "none"
    assert model.tokenizer.size == 96
    assert "random" in model.source.format
    assert not torch.equal(
        model.embed.weight, load_random("nanogpt-nope-paper", seed=2).embed.weight
    )


def test_unknown_device_is_one_line():
    with pytest.raises(UserError, match="there are: cpu"):
        load_random("nanogpt-nope-paper", device="cuda:7")


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """A Hub in a folder: what is uploaded there can be fetched again."""
    asked = []

    def upload_folder(*, repo_id, folder_path, commit_message):
        shutil.copytree(folder_path, tmp_path / repo_id)
        return type("Commit", (), {"commit_url": "address"})

    def snapshot_download(repo_id, *, revision, allow_patterns):
        asked.append((repo_id, revision))
        assert "*.safetensors" in allow_patterns
        if not (tmp_path / repo_id).is_dir():
            raise LocalEntryNotFoundError("no route to the Hub\nsecond line")
        return str(tmp_path / repo_id)

    monkeypatch.setattr("huggingface_hub.create_repo", lambda *_, **__: None)
    monkeypatch.setattr("huggingface_hub.upload_folder", upload_folder)
    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    monkeypatch.chdir(tmp_path.parent)
    return asked


def test_hub_round_trip(hub):
    model = build(CONFIGS[2], seed=3)
    assert push_to_hub(model, "me/mine") == "address"
    again = from_pretrained("me/mine", revision="v1")
    assert torch.equal(again.embed.weight, model.embed.weight)
    assert hub == [("me/mine", "v1")]
    assert load("me/mine").source.ref == "me/mine"


def test_unreachable_hub_is_one_line(hub):
    with pytest.raises(CheckpointError, match=r"me/other: no such file.*no route") as caught:
        load("me/other")
    assert "\n" not in str(caught.value)
