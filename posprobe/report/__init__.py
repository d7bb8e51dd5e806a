"""Results with their provenance as one page, one JSON file and one CSV file."""
