"""A transformers model behind TransformerLens's bridge."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from posprobe.loaders.attention_listener import SITES as HEARD
from posprobe.loaders.attention_listener import listening
from posprobe.loaders.recorder import Recorder
from posprobe.loaders.wrapped_model import LOGITS, WrappedModel

# Our site, and the hook of the bridge that means the same in every architecture. The
# bridge's own aliases do not: its `hook_attn_out` of BERT comes after the norm, and its
# `hook_resid_mid` of BERT after the MLP.
_HOOKS = {
    "hook_embed": "embed.hook_out",
    "hook_pos_embed": "pos_embed.hook_out",
    "blocks.{i}.hook_resid_pre": "blocks.{i}.hook_in",
    "blocks.{i}.attn.hook_q": "blocks.{i}.attn.q.hook_out",
    "blocks.{i}.attn.hook_k": "blocks.{i}.attn.k.hook_out",
    "blocks.{i}.attn.hook_v": "blocks.{i}.attn.v.hook_out",
    "blocks.{i}.attn.hook_z": "blocks.{i}.attn.o.hook_in",
    "blocks.{i}.hook_attn_out": "blocks.{i}.attn.o.hook_out",
    "blocks.{i}.hook_mlp_out": "blocks.{i}.mlp.out.hook_out",
    "blocks.{i}.hook_resid_post": "blocks.{i}.hook_out",
}
_FINAL = {"ln_final.hook_normalized": "ln_final.hook_out"}
_MIDDLE = {"plain": "blocks.{i}.ln2.hook_in", "post-norm": "blocks.{i}.ln1.hook_out"}

Hooks = list[tuple[str, Callable[..., Tensor]]]


class BridgeModel(WrappedModel):
    """A causal or masked language model that TransformerLens knows.

    The bridge gives the states. Its scores come after the mask or even after the softmax,
    depending on the architecture, so `hook_attn_scores` is made here from queries and keys.
    """

    def __init__(self, network: Any, *args: Any, **facts: Any) -> None:
        super().__init__(network, *args, **facts)
        # 4.3 has no public way to bridge a model in memory without fetching a tokenizer.
        from transformer_lens.model_bridge.sources._bridge_builder import build_bridge_from_module

        self._bridge: Any = build_bridge_from_module(
            network, type(network).__name__, hf_config=network.config
        )
        self._bridge.eval()
        self._names = self._find_names()

    def sites(self) -> tuple[str, ...]:
        """Return the names of the activations this model can give."""
        heard = (site.format(i=layer) for layer in self._layers.values() for site in HEARD)
        return (*self._names, *heard, LOGITS)

    def _find_names(self) -> dict[str, str]:
        known, hooks = _HOOKS, set(self._bridge.hook_dict)
        if self.info.residual in _MIDDLE:
            known = known | {"blocks.{i}.hook_resid_mid": _MIDDLE[self.info.residual]}
        if self.info.residual != "post-norm":  # A `ln_final` there belongs to the head.
            known = known | _FINAL
        names = {
            site.format(i=layer): hook.format(i=layer)
            for layer in range(self.info.n_layers)
            for site, hook in known.items()
        }
        return {site: hook for site, hook in names.items() if hook in hooks}

    def _forward(self, inputs: dict[str, Tensor], recorder: Recorder) -> None:
        hooks: Hooks = [
            (hook, lambda x, hook, site=site: recorder.see(site, x))
            for site, hook in self._names.items()
            if site in recorder.touched
        ]
        if self._family and self._family.scores != "delegated":
            for layer in self._layers.values():
                hooks += self._attention_hooks(layer, recorder)
        rest = {name: value for name, value in inputs.items() if name != "input_ids"}
        with listening(recorder, self._layers):
            logits = self._bridge.run_with_hooks(inputs["input_ids"], fwd_hooks=hooks, **rest)
        recorder.see(LOGITS, logits)

    def _attention_hooks(self, layer: int, recorder: Recorder) -> Hooks:
        """Hooks that make one layer's scores from its queries and keys."""
        scores_site, pattern_site = (site.format(i=layer) for site in HEARD)
        at = f"blocks.{layer}.attn."
        hooks: Hooks = []
        if pattern_site in recorder.touched:
            hooks.append((at + "hook_pattern", lambda x, hook: recorder.see(pattern_site, x)))
        if scores_site not in recorder.touched:
            return hooks
        seen: dict[str, Tensor] = {}

        def keep(x: Tensor, hook: Any, name: str) -> Tensor:
            seen[name] = x
            return x

        def show(masked: Tensor, hook: Any) -> Tensor:
            scores = self._scores(seen, layer)
            wanted = recorder.see(scores_site, scores)
            # The difference leaves masked places masked, whatever the mask was made of.
            return masked if wanted is scores else masked + (wanted - scores)

        parts = {"q": "q.hook_out", "k": "k.hook_out"}
        if self._family and self._family.scores == "rotary":
            parts |= {"cos": "hook_cos", "sin": "hook_sin"}
        hooks += [
            (at + hook, lambda x, hook, name=name: keep(x, hook, name))
            for name, hook in parts.items()
        ]
        return [*hooks, (at + "hook_attn_scores", show)]

    def _scores(self, seen: dict[str, Tensor], layer: int) -> Tensor:
        q, k = (seen[name].transpose(1, 2) for name in "qk")
        if "cos" in seen:
            q, k = (_rotate(x, seen["cos"][:, None], seen["sin"][:, None]) for x in (q, k))
        k = k.repeat_interleave(q.shape[1] // k.shape[1], dim=1)
        scale = q.shape[-1] ** -0.5
        if getattr(self._config, "scale_attn_by_inverse_layer_idx", False):
            scale /= layer + 1
        return torch.matmul(q, k.mT) * scale


def _rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn the leading dimensions that `cos` covers, the first half against the second."""
    turned, kept = x[..., : cos.shape[-1]], x[..., cos.shape[-1] :]
    first, second = turned.chunk(2, dim=-1)
    turned = turned * cos + torch.cat([-second, first], dim=-1) * sin
    return torch.cat([turned, kept], dim=-1)
