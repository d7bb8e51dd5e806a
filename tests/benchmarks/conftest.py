"""Benchmarks are run by themselves: their times say nothing on a busy machine of tests."""

collect_ignore_glob = ["*.py"]
