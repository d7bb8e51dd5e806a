"""Everything that runs a model: states, attention logits, interventions."""
