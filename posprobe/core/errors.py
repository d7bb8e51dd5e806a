"""The errors a user can mend."""


class UserError(ValueError):
    """A mistake that the user can mend: says what is wrong, where, and what to do.

    The command line prints its message as one line and exits with status 2.
    """


class CheckpointError(UserError):
    """A checkpoint that cannot be found, read or trusted."""


class CorpusError(UserError):
    """Text or tokens that a model cannot be run on."""


class NonFiniteError(UserError):
    """Activations with inf or NaN, which no statistic can digest."""
