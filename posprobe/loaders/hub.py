"""Checkpoints on the Hugging Face Hub: the only place where posprobe uses the network."""

import tempfile
from pathlib import Path

from posprobe.core.errors import CheckpointError
from posprobe.loaders.native import save_native
from posprobe.models.decoder import Decoder
from posprobe.models.encoder import Encoder

_TEXT = ["*.json", "*.txt", "*.pkl"]
_WEIGHTS = ("*.safetensors", "*.bin", "*.pt")
"""Kinds of weight files, the safest first; no more than one kind is fetched."""


def download(repo_id: str, revision: str | None = None) -> Path:
    """Fetch a repository's configuration, weights and tokenizer; cached by huggingface_hub.

    Raises:
        CheckpointError: If the repository cannot be reached or does not exist.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        kinds = iter(_WEIGHTS)
        while kind := next(kinds, None):
            patterns = [*_TEXT, kind]
            folder = Path(snapshot_download(repo_id, revision=revision, allow_patterns=patterns))
            if any(folder.rglob(kind)):
                return folder
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise CheckpointError(
            f"{repo_id}: no such file or folder here, and not to be had from the Hub ({reason})"
        ) from error
    raise CheckpointError(f"{repo_id}: holds no weights ({', '.join(_WEIGHTS)})")


def push_to_hub(
    model: Encoder | Decoder, repo_id: str, *, private: bool = False, message: str = "Add weights"
) -> str:
    """Upload a model in posprobe's own format; `posprobe.load(repo_id)` opens it again.

    Args:
        model: An encoder or decoder built by posprobe.
        repo_id: `owner/name`; made if it does not exist.
        private: Whether a new repository is hidden from others.
        message: The commit's message.

    Returns:
        The address of the commit.
    """
    from huggingface_hub import create_repo, upload_folder

    create_repo(repo_id, private=private, exist_ok=True)
    with tempfile.TemporaryDirectory() as parent:
        folder = save_native(model, Path(parent) / "model")
        done = upload_folder(repo_id=repo_id, folder_path=folder, commit_message=message)
    return str(done.commit_url)
