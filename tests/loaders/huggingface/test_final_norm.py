"""The state after the last block, as transformers gives it out."""

import torch


def test_the_final_norm_is_the_last_hidden_state(name, network, model, tokens):
    reference, wrapped = network(name)[0], model(name)
    with torch.no_grad():
        expected = reference(tokens, output_hidden_states=True).hidden_states[-1]
    site = "ln_final.hook_normalized"
    # Without a final norm the last block gives it.
    assert (site in wrapped.sites()) == (wrapped.info.residual != "post-norm")
    if site not in wrapped.sites():
        site = f"blocks.{wrapped.info.n_layers - 1}.hook_resid_post"
    if name == "opt-post-norm":  # Its last hidden state is projected to the embedding's width.
        assert expected.shape[-1] != wrapped.info.d_model
        return
    seen = wrapped.run(tokens, None, [site])[site]
    torch.testing.assert_close(seen, expected, atol=1e-5, rtol=1e-5)
