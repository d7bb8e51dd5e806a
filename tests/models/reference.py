"""The DSTG encoder once more: plain float64 loops, written from the format's description."""

import math

import numpy as np


def rms_norm(x, gain, eps):
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + eps) * gain


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def silu(x):
    return x / (1 + np.exp(-x))


def bucket(offset):
    """T5's bidirectional bucket of key − query."""
    distance = abs(offset)
    side = 16 if offset > 0 else 0
    if distance < 8:
        return side + distance
    return side + min(15, 8 + int(math.log(distance / 8) / math.log(128 / 8) * 8))


def dstg_logits(state, cfg, tokens):
    """Return the token logits and the three addends of the last layer's attention logits.

    Args:
        state: The model's weights as float64 arrays.
        cfg: An `EncoderConfig` with position dstg.
        tokens: One unpadded sequence.
    """
    length, heads, total = len(tokens), cfg.n_heads, cfg.d_model
    width = total // heads
    ap = np.stack([state["pos_embed.weight"][cfg.pad_id + 1 + t] for t in range(length)])
    sem = np.stack([state["embed.weight"][token] for token in tokens])
    for layer in range(cfg.n_layers):
        w = {
            k.removeprefix(f"blocks.{layer}."): v
            for k, v in state.items()
            if f"blocks.{layer}." in k
        }
        n_ap = rms_norm(ap, w["ln1.norm.ap.weight"], cfg.eps)
        n_sem = rms_norm(sem, w["ln1.norm.sem.weight"], cfg.eps)
        p_ap, p_sem = n_ap @ w["attn.qkv.ap.weight"].T, n_sem @ w["attn.qkv.sem.weight"].T
        addends = np.zeros((3, heads, length, length))
        out_ap, out_sem = np.zeros_like(ap), np.zeros_like(sem)
        for h in range(heads):
            rows = slice(h * width, (h + 1) * width)
            keys = slice(total + h * width, total + (h + 1) * width)
            d_ap, d_sem = ap.shape[1] // heads, sem.shape[1] // heads
            v_ap = p_ap[:, 2 * total + h * d_ap : 2 * total + (h + 1) * d_ap]
            v_sem = p_sem[:, 2 * total + h * d_sem : 2 * total + (h + 1) * d_sem]
            for q in range(length):
                for k in range(length):
                    addends[0, h, q, k] = p_ap[q, rows] @ p_ap[k, keys] / math.sqrt(width)
                    addends[1, h, q, k] = p_sem[q, rows] @ p_sem[k, keys] / math.sqrt(width)
                    if {q, k}.isdisjoint({0, length - 1}):
                        addends[2, h, q, k] = w["attn.relative_bias.weight"][bucket(k - q), h]
                pattern = softmax(addends[:, h, q].sum(0))
                out_ap[q, h * d_ap : (h + 1) * d_ap] = pattern @ v_ap
                out_sem[q, h * d_sem : (h + 1) * d_sem] = pattern @ v_sem
        base_ap, base_sem = (n_ap, n_sem) if cfg.residual == "normed" else (ap, sem)
        ap = base_ap + out_ap @ w["attn.out.ap.weight"].T
        sem = base_sem + out_sem @ w["attn.out.sem.weight"].T
        m_ap = rms_norm(ap, w["ln2.norm.ap.weight"], cfg.eps)
        m_sem = rms_norm(sem, w["ln2.norm.sem.weight"], cfg.eps)
        gate, up = np.split(
            np.hstack([m_ap, m_sem]) @ w["mlp.part.all.gate_up.weight"].T, 2, axis=1
        )
        fed = (silu(gate) * up) @ w["mlp.part.all.down.weight"].T
        base_ap, base_sem = (m_ap, m_sem) if cfg.residual == "normed" else (ap, sem)
        ap, sem = base_ap + fed[:, : ap.shape[1]], base_sem + fed[:, ap.shape[1] :]
    final = rms_norm(sem, state["ln_final.norm.sem.weight"], cfg.eps)
    return final @ state["unembed.head.weight"].T + state["unembed.head.bias"], addends
