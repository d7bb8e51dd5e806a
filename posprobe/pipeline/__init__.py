"""The only place where stages meet: from a checkpoint's name to a report."""
