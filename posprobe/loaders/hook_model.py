"""Any transformers model, listened to through plain PyTorch hooks."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

from torch import Tensor, nn

from posprobe.loaders.attention_listener import SITES as HEARD
from posprobe.loaders.attention_listener import listening
from posprobe.loaders.discovery import discover
from posprobe.loaders.huggingface_tables import Tap
from posprobe.loaders.recorder import Recorder
from posprobe.loaders.wrapped_model import LOGITS, WrappedModel


class HookModel(WrappedModel):
    """A model that TransformerLens's bridge does not know, or whose head it would miss.

    Modules give the states; scores and patterns come from posprobe's attention function.
    """

    def __init__(self, network: Any, *args: Any, **facts: Any) -> None:
        super().__init__(network, *args, **facts)
        found = self._family.sites(self._config.to_dict()) if self._family else discover(network)
        self._taps = {
            site.format(i=layer): replace(tap, path=tap.path.format(i=layer))
            for layer in range(self.info.n_layers)
            for site, tap in found.items()
        }

    def sites(self) -> tuple[str, ...]:
        """Return the names of the activations this model can give."""
        heard = (site.format(i=layer) for layer in self._layers.values() for site in HEARD)
        return (*self._taps, *heard, *((LOGITS,) if self.info.has_head else ()))

    def _forward(self, inputs: dict[str, Tensor], recorder: Recorder) -> None:
        batch = inputs["input_ids"].shape[0]
        places = [
            (site, self._taps[site], self._base.get_submodule(self._taps[site].path))
            for site in self._taps
            if site in recorder.touched
        ]
        with ExitStack() as stack:
            for site, tap, module in places:
                hook = _Hook(site, tap, recorder, batch=batch, d_head=self.info.d_head)
                stack.enter_context(hook.attached(module))
            stack.enter_context(listening(recorder, self._layers))
            if LOGITS in recorder.touched:
                output = self._network(**inputs)
                recorder.see(LOGITS, _logits(output))
            else:
                self._base(**inputs)


def _logits(output: Any) -> Tensor:
    # Models with two heads call the one over tokens by another name.
    return output.logits if "logits" in output else output.prediction_logits


class _Hook:
    """One site on one module, for one run."""

    def __init__(self, site: str, tap: Tap, recorder: Recorder, *, batch: int, d_head: int) -> None:
        self._site, self._tap, self._recorder = site, tap, recorder
        self._batch, self._d_head = batch, d_head

    @contextmanager
    def attached(self, module: nn.Module) -> Iterator[None]:
        if self._tap.side == "in":
            handle = module.register_forward_pre_hook(self._before, with_kwargs=True)
        else:
            handle = module.register_forward_hook(self._after)
        try:
            yield
        finally:
            handle.remove()

    def _before(self, _: nn.Module, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        if args:
            return (self._pass(args[0]), *args[1:]), kwargs
        return args, kwargs | {"hidden_states": self._pass(kwargs["hidden_states"])}

    def _after(self, _: nn.Module, args: tuple, output: Any) -> Any:
        if isinstance(output, tuple):
            return (self._pass(output[0]), *output[1:])
        return self._pass(output)

    def _pass(self, activation: Tensor) -> Tensor:
        """Show the activation in the site's own axes, and put it back in the module's."""
        whole = activation
        if whole.ndim == 2:  # Some MLPs see all tokens of the batch in one row.
            whole = whole.unflatten(0, (self._batch, -1))
        parted = _divide(whole, self._tap, self._d_head)
        seen = self._recorder.see(self._site, parted)
        if seen is parted:
            return activation
        changed = whole.clone()
        _divide(changed, self._tap, self._d_head).copy_(seen)
        return changed.view(activation.shape)


def _divide(x: Tensor, tap: Tap, d_head: int) -> Tensor:
    """Return a view of the last axis as heads, or of one of its parts."""
    match tap.layout:
        case "heads":
            return x.unflatten(-1, (-1, d_head))
        case "part head d_head":
            return x.unflatten(-1, (3, -1, d_head)).select(-3, tap.part)
        case "head part d_head":
            return x.unflatten(-1, (-1, 3, d_head)).select(-2, tap.part)
    return x
