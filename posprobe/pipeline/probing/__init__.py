"""How `probe` goes about its work: corpus, sums, networks, scores."""
