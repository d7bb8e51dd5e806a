"""The data sets of the Holmes benchmark: read, made and written."""
