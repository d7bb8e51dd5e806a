"""Recipes and the loop: how the checkpoints that ship were made."""
