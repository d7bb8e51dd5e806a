"""How `sweep` reads a grid and runs its cells, here or on a cluster."""
