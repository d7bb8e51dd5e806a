"""The folder of one training: its log, its state, its checkpoints."""

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import torch

from posprobe.core.errors import CheckpointError
from posprobe.core.files import atomic_path, write_text
from posprobe.loaders.native import save_native
from posprobe.loaders.native_config import CONFIG, read_provenance
from posprobe.models.decoder import Decoder
from posprobe.models.encoder import Encoder
from posprobe.training.step_folder import save_step
from posprobe.training.writing import writing

LOG, STATE = "log.jsonl", "state/state.pt"


class RunFolder:
    """Reads and writes a training's folder; every write is whole or leaves what was there.

    Attributes:
        path: The folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with writing(self.path):
            path.mkdir(parents=True, exist_ok=True)

    @property
    def corpus(self) -> Path:
        """Where the training's token ids are."""
        return self.path / "state" / "corpus"

    def sweep(self) -> None:
        """Remove what a killed training left half written."""
        for pattern in (".final.*", ".step-*", f".{LOG}.*", "state/.*"):
            for leftover in self.path.glob(pattern):
                shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()

    def clear(self) -> None:
        """Remove a training, finished or not, and nothing else."""
        for name in (CONFIG, LOG):
            (self.path / name).unlink(missing_ok=True)
        for folder in (self.path / "state", *self.path.glob("step-*")):
            shutil.rmtree(folder, ignore_errors=True)

    def finished(self) -> dict[str, Any] | None:
        """Return the provenance of the finished model; None if there is none yet."""
        return read_provenance(self.path) if (self.path / CONFIG).is_file() else None

    def read_state(self) -> dict[str, Any] | None:
        """Return the last state; None if there is none.

        Raises:
            CheckpointError: If it cannot be read.
        """
        file = self.path / STATE
        if not file.is_file():
            return None
        try:
            return torch.load(file, map_location="cpu", weights_only=True)
        except Exception as error:
            raise CheckpointError(
                f"{file}: cannot be read ({type(error).__name__}); remove it to begin again"
            ) from error

    def save_state(self, state: dict[str, Any]) -> None:
        """Replace the state; the one before stays until this one is on the disk."""
        file = self.path / STATE
        with writing(self.path), atomic_path(file) as temporary, temporary.open("wb") as stream:
            torch.save(state, stream)
            stream.flush()
            os.fsync(stream.fileno())

    def read_log(self) -> list[dict[str, Any]]:
        """Return the lines of the log; one that a kill cut short is left out."""
        file, lines = self.path / LOG, []
        for text in file.read_text(encoding="utf-8").splitlines() if file.is_file() else ():
            try:
                lines.append(json.loads(text))
            except ValueError:
                break
        return lines

    def cut_log(self, step: int) -> None:
        """Drop the lines after a step, which will be written again."""
        kept = [json.dumps(line) + "\n" for line in self.read_log() if line["step"] <= step]
        with writing(self.path):
            write_text(self.path / LOG, "".join(kept))

    def log(self, **values: Any) -> None:
        """Append one line to the log."""
        with writing(self.path), (self.path / LOG).open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(values) + "\n")

    def save_step(
        self, model: Encoder | Decoder, step: int, provenance: dict[str, Any], *, small: bool
    ) -> None:
        """Write `step-000500/`, whole or with the small tensors only."""
        with writing(self.path):
            save_step(model, self.path / f"step-{step:06d}", provenance, small=small)

    def finish(self, model: Encoder | Decoder, provenance: dict[str, Any]) -> None:
        """Write the finished model, and drop the state, from which nothing goes on.

        The configuration comes last: a folder without it is no checkpoint.
        """
        with writing(self.path):
            with tempfile.TemporaryDirectory(prefix=".final.", dir=self.path) as parent:
                done = save_native(model, Path(parent) / "model", provenance=provenance)
                for file in sorted(done.iterdir(), key=lambda file: file.name == CONFIG):
                    file.replace(self.path / file.name)
            shutil.rmtree(self.path / "state", ignore_errors=True)
