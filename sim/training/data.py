"""Training data as `wavepose sim training-data` writes it: one file per person and scene.

A file is a line of JSON (the sizes below and the seed) and then, in this order, little-endian:
tokens f16 [moments, tokens, token_size], mask u8 [moments, tokens], tracks f32 [moments, track_size],
keypoints f32 [moments, 17, 3] in the person's frame, activities u8 [moments].
"""
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass
class Sequence:
    seed: int
    tokens: np.ndarray
    mask: np.ndarray
    tracks: np.ndarray
    keypoints: np.ndarray
    activities: np.ndarray

    @property
    def moments(self) -> int:
        return len(self.activities)


def read_sequence(path: Path) -> Sequence:
    raw = path.read_bytes()
    line = raw.index(b"\n")
    head = json.loads(raw[:line])
    at = line + 1
    moments, tokens = head["moments"], head["tokens"]

    def take(dtype: str, *shape: int) -> np.ndarray:
        nonlocal at
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        array = np.frombuffer(raw, dtype, count=int(np.prod(shape)), offset=at).reshape(shape)
        at += size
        return array

    return Sequence(
        head["seed"],
        take("<f2", moments, tokens, head["tokenSize"]),
        take("u1", moments, tokens),
        take("<f4", moments, head["trackSize"]),
        take("<f4", moments, 17, 3),
        take("u1", moments),
    )


def read_folder(folder: Path, first_seed: int, last_seed: int) -> list[Sequence]:
    """All sequences of a range of seeds, in the order of their files."""
    sequences = [read_sequence(path) for path in sorted(folder.glob("*.seq"))]
    return [sequence for sequence in sequences if first_seed <= sequence.seed <= last_seed]


def segments(sequences: list[Sequence], length: int, batch: int, random: np.random.Generator):
    """Batches of segments of `length` moments that cover every sequence about once, in random order."""
    cuts = []
    for index, sequence in enumerate(sequences):
        if sequence.moments < length:
            continue
        begin = int(random.integers(0, min(length, sequence.moments - length + 1)))
        cuts += [(index, at) for at in range(begin, sequence.moments - length + 1, length)]
    random.shuffle(cuts)
    for first in range(0, len(cuts) - batch + 1, batch):
        chosen = [(sequences[index], slice(at, at + length)) for index, at in cuts[first:first + batch]]
        yield tuple(
            np.stack([getattr(sequence, field)[part] for sequence, part in chosen])
            for field in ("tokens", "mask", "tracks", "keypoints", "activities")
        )
