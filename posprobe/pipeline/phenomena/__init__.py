"""How `holmes` examines a model on one phenomenon after the other."""
