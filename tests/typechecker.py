"""How strictly types are checked while the tests run."""

from beartype import BeartypeConf, beartype

# A whole number is a fine float, as every type checker agrees.
check = beartype(conf=BeartypeConf(is_pep484_tower=True))
