"""Results as small figure descriptions, and the two renderers that draw them."""
