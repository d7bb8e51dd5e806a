"""Documents, tasks, tokenizers and batches: all that goes into a model."""
