"""Which tokens a masked language model must fill, and what it sees in their place."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int

from posprobe.core.errors import CorpusError
from posprobe.data.subwords import SubwordTokenizer
from posprobe.training.hashing import keyed_uniform

_CHOICE, _KIND, _TOKEN = 0, 1, 2


@dataclass(frozen=True, kw_only=True, eq=False)
class Masking:
    """Dynamic masking, keyed by seed, document and epoch.

    A document's mask in an epoch is the same in any batch, on any process, at any time.

    Attributes:
        rate: Share of the text tokens to predict.
        as_mask: Share of those that the mask token replaces.
        as_random: Share of those that a random token replaces.
        mask_id: The mask token.
        random_ids: What random tokens are drawn from.
        seed: Seed of the training.
    """

    rate: float
    as_mask: float
    as_random: float
    mask_id: int
    random_ids: Int[np.ndarray, " component"]
    seed: int

    @classmethod
    def of(
        cls,
        tokenizer: SubwordTokenizer,
        *,
        rate: float,
        as_mask: float,
        as_random: float,
        seed: int,
    ) -> "Masking":
        """Mask with a tokenizer's own mask token.

        Raises:
            CorpusError: If it has none.
        """
        if tokenizer.mask_id is None:
            raise CorpusError(
                f"tokenizer {tokenizer.name}: has no [MASK] token to hide words with; give another "
                "by --set data.tokenizer=..."
            )
        return cls(
            rate=rate,
            as_mask=as_mask,
            as_random=as_random,
            mask_id=tokenizer.mask_id,
            random_ids=np.setdiff1d(np.arange(tokenizer.size), tokenizer.special_ids),
            seed=seed,
        )

    def apply(
        self,
        tokens: Int[np.ndarray, "batch pos"],
        text: Bool[np.ndarray, "batch pos"],
        documents: Int[np.ndarray, " batch"],
        epochs: Int[np.ndarray, " batch"],
    ) -> tuple[Int[np.ndarray, "batch pos"], Bool[np.ndarray, "batch pos"]]:
        """Return what the model sees, and where it must predict.

        Args:
            tokens: Token ids.
            text: True on tokens that may be hidden: no padding, nothing special.
            documents: Which document each row is.
            epochs: How often the document has been seen before; -1 in an evaluation.
        """
        # A position never reaches 2^16, an epoch never 2^16: one integer holds the three.
        rows = (documents.astype(np.int64) << 32) + ((epochs + 1) << 16)
        key = rows[:, None] + np.arange(tokens.shape[1])
        chosen = text & (keyed_uniform(key, seed=self.seed, stream=_CHOICE) < self.rate)
        return self._replace(tokens, chosen, key), chosen

    def _replace(self, tokens: np.ndarray, chosen: np.ndarray, key: np.ndarray) -> np.ndarray:
        if self.as_mask == 1.0:
            return np.where(chosen, self.mask_id, tokens)
        kind = keyed_uniform(key, seed=self.seed, stream=_KIND)
        draw = keyed_uniform(key, seed=self.seed, stream=_TOKEN)
        other = self.random_ids[(draw * len(self.random_ids)).astype(np.int64)]
        seen = np.where(chosen & (kind < self.as_mask), self.mask_id, tokens)
        swapped = chosen & (kind >= self.as_mask) & (kind < self.as_mask + self.as_random)
        return np.where(swapped, other, seen)
