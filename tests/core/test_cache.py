import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from posprobe.core.cache import Cache, user_cache

KEY = {"seed": 0, "options": {"corpus": None}}


@dataclass(frozen=True)
class Numbers:
    share: float
    names: tuple[str, ...]


def test_a_value_comes_back_under_its_key_alone(tmp_path):
    cache, value = Cache(tmp_path / "new" / "folder"), Numbers(0.1, ("a", "b"))
    assert cache.load(Numbers, "heads", KEY) is None
    cache.save("heads", KEY, value)
    assert cache.load(Numbers, "heads", KEY) == value
    assert cache.load(Numbers, "probe", KEY) is None
    assert cache.load(Numbers, "heads", KEY | {"seed": 1}) is None
    cache.save("heads", KEY | {"seed": 1}, Numbers(0.2, ()))
    assert cache.load(Numbers, "heads", KEY) == value


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:40],
        lambda text: "",
        lambda text: "[]",
        lambda text: text.replace("share", "shares"),
        lambda text: text.replace("0.1", '"much"'),
        lambda text: text.replace('"seed": 0', '"seed": 2'),
    ],
)
def test_a_damaged_file_is_no_value(tmp_path, damage):
    cache = Cache(tmp_path)
    cache.save("heads", KEY, Numbers(0.1, ()))
    (file,) = tmp_path.iterdir()
    file.write_text(damage(file.read_text()))
    assert cache.load(Numbers, "heads", KEY) is None
    cache.save("heads", KEY, Numbers(0.1, ()))
    assert cache.load(Numbers, "heads", KEY) == Numbers(0.1, ())


ARRAYS = {"sums": np.arange(3.0), "of/0/n": np.array(7)}


def test_arrays_come_back_under_their_key_and_part_alone(tmp_path):
    cache = Cache(tmp_path / "new")
    assert cache.load_arrays("heads", KEY, "sums-1-of-2") is None
    cache.save_arrays("heads", KEY, "sums-1-of-2", ARRAYS)
    found = cache.load_arrays("heads", KEY, "sums-1-of-2")
    assert found is not None
    assert {name: array.tolist() for name, array in found.items()} == {
        "sums": [0.0, 1.0, 2.0],
        "of/0/n": 7,
    }
    assert cache.load_arrays("heads", KEY, "sums-2-of-2") is None
    assert cache.load_arrays("heads", KEY | {"seed": 1}, "sums-1-of-2") is None
    cache.save("heads", KEY, Numbers(0.1, ()))
    cache.save_arrays("heads", KEY | {"seed": 1}, "sums-1-of-2", ARRAYS)
    cache.drop_arrays("heads", KEY)
    assert cache.load_arrays("heads", KEY, "sums-1-of-2") is None
    assert cache.load_arrays("heads", KEY | {"seed": 1}, "sums-1-of-2") is not None
    assert cache.load(Numbers, "heads", KEY) is not None


@pytest.mark.parametrize("damage", [lambda b: b[:-40], lambda b: b"", lambda b: b[:4], None])
def test_damaged_arrays_are_none(tmp_path, damage):
    cache = Cache(tmp_path)
    cache.save_arrays("heads", KEY, "sums", ARRAYS)
    (file,) = tmp_path.iterdir()
    if damage is None:
        np.savez(file, key=np.array("another"), sums=ARRAYS["sums"])
    else:
        file.write_bytes(damage(file.read_bytes()))
    assert cache.load_arrays("heads", KEY, "sums") is None


def test_arrays_that_would_have_to_be_unpickled_are_none(tmp_path):
    cache = Cache(tmp_path)
    cache.save_arrays("heads", KEY, "sums", {"sums": np.array([{"a": 1}], dtype=object)})
    assert cache.load_arrays("heads", KEY, "sums") is None


def test_a_failed_write_leaves_nothing(tmp_path, monkeypatch):
    def full(self, text, **_):
        with self.open("w") as stream:
            stream.write(text[:5])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="No space"):
        Cache(tmp_path).save("heads", KEY, Numbers(0.1, ()))
    assert not list(tmp_path.iterdir())


def test_the_folder_is_the_users_own(monkeypatch, tmp_path):
    monkeypatch.setenv("POSPROBE_CACHE", str(tmp_path))
    assert user_cache() == Cache(tmp_path)
    monkeypatch.setenv("POSPROBE_CACHE", "")
    assert user_cache() is None
    monkeypatch.delenv("POSPROBE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_cache() == Cache(tmp_path / "posprobe")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # which the standard says to ignore
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert user_cache() == Cache(tmp_path / "home" / ".cache" / "posprobe")


def test_tests_keep_away_from_the_users_cache():
    assert os.environ["POSPROBE_CACHE"] == ""
