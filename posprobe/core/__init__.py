"""What every room shares: errors, files, results, provenance, names of checkpoints."""
