"""Data sets in the form of Flash-Holmes, small enough to probe in a moment."""

import csv

import numpy as np

SPLITS = ("train", "dev", "test")


def write_dataset(folder, rows):
    """Rows are (inputs, context, label); they are dealt out to the splits in turn."""
    folder.mkdir(parents=True)
    with (folder / "samples.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "inputs", "context", "label", "set-0"])
        for place, row in enumerate(rows):
            inputs, context, label = row
            writer.writerow(
                [place, repr(inputs), repr(context) if context else "", label, SPLITS[place % 3]]
            )
    return folder


def write_datasets(folder):
    """Three data sets: letters, words in context, pairs."""
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("ab" if i % 2 else "yz"), 8)) for i in range(90)]
    labels = [i % 2 for i in range(90)]
    write_dataset(
        folder / "blimp-wh_island", [([t], None, k) for t, k in zip(texts, labels, strict=True)]
    )
    write_dataset(
        folder / "pos",
        [([(t[2:5], 0, 2, 5)], [t], "XY"[k]) for t, k in zip(texts, labels, strict=True)],
    )
    write_dataset(
        folder / "mine",
        [([t, texts[0]], None, k + 0.5) for t, k in zip(texts, labels, strict=True)],
    )
    return folder
