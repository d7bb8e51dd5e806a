"""The transformers posprobe builds itself, and what it asks of any model."""
