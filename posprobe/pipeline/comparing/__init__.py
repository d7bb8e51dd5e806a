"""How `compare` sets the results of two checkpoints side by side."""
