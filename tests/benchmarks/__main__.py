"""Run all benchmarks, or those named: `python -m tests.benchmarks [TOPIC...] [--json DIR]`."""

import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path

TOPICS = ("adjacency", "extraction", "probes", "networks", "training", "start")


def main() -> int:
    """Run each in a process of its own; say by the status whether a figure was missed."""
    parser = ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument("topics", nargs="*", metavar="TOPIC")
    parser.add_argument("--json", type=Path, metavar="DIR", help="write DIR/TOPIC.json")
    chosen = parser.parse_args()
    missed = 0
    for topic in chosen.topics or TOPICS:
        words = [sys.executable, "-m", f"tests.benchmarks.{topic}"]
        if chosen.json is not None:
            chosen.json.mkdir(parents=True, exist_ok=True)
            words += ["--json", str(chosen.json / f"{topic}.json")]
        missed |= subprocess.run(words, check=False).returncode
    return missed


if __name__ == "__main__":
    sys.exit(main())
