"""How `reproduce` tests what the two papers claim."""
