"""Training data as `wavepose sim training-data` writes it: one file per person and scene.

A file is a line of JSON (the sizes below and the seed) and then, in this order, little-endian:
tokens f16 [moments, tokens, token_size], mask u8 [moments, tokens], tracks f32 [moments, track_size],
keypoints f32 [moments, 17, 3] in the person's frame, activities u8 [moments].
"""
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

# Positions in the values of a track: the speed; the turn of the heading since the moment before, as its cosine less 1 and its sine.
SPEED, TURN = 2, 8
FIELDS = ("tokens", "mask", "tracks", "keypoints", "activities")


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


class Folder:
    """The sequences of a range of seeds in the memory of a device: arrays of all moments, one sequence after the other."""

    def __init__(self, folder: Path, first_seed: int, last_seed: int, device: torch.device, most: int | None = None):
        self.folder, self.seeds, self.device, self.most = folder, (first_seed, last_seed), device, most
        self.names: set[str] = set()
        self.lengths: list[int] = []
        self.arrays: dict[str, Tensor] = {}
        self.read_new()

    def read_new(self) -> None:
        """Reads new files since the last call; files that are still being written have another name."""
        paths = sorted(path for path in self.folder.glob("*.seq")
                       if path.name not in self.names and self.seeds[0] <= int(path.name.split("-")[0]) <= self.seeds[1])
        paths = paths[:None if self.most is None else self.most - len(self.names)]
        if not paths:
            return
        found = [read_sequence(path) for path in paths]
        self.names.update(path.name for path in paths)
        self.lengths += [one.moments for one in found]
        for field in FIELDS:
            new = torch.from_numpy(np.concatenate([getattr(one, field) for one in found])).to(self.device)
            self.arrays[field] = torch.cat([self.arrays[field], new]) if field in self.arrays else new
        tracks = self.arrays["tracks"]
        self.heading = torch.atan2(tracks[:, TURN + 1], 1 + tracks[:, TURN]).double().cumsum(0)

    @property
    def moments(self) -> int:
        return sum(self.lengths)

    def take(self, moments: Tensor) -> tuple[Tensor, ...]:
        """The fields at the given moments, which may have any shape."""
        moments = moments.to(self.device)
        return tuple(self.arrays[field][moments] for field in FIELDS)

    def whole(self):
        """Every sequence as a batch of one."""
        first = 0
        for length in self.lengths:
            yield self.take(torch.arange(first, first + length)[None])
            first += length

    def segments(self, length: int, batch: int, random: np.random.Generator, stride: int = 1):
        """Batches of segments of `length` moments that cover every sequence about once, in random order.

        A stride above 1 leaves out moments, as the service leaves out hops when it lacks processor time.
        """
        starts, first, span = [], 0, length * stride
        for moments in self.lengths:
            if moments >= span:
                begin = int(random.integers(0, min(span, moments - span + 1)))
                starts += range(first + begin, first + moments - span + 1, span)
            first += moments
        random.shuffle(starts)
        for at in range(0, len(starts) - batch + 1, batch):
            moments = (torch.tensor(starts[at:at + batch])[:, None] + stride * torch.arange(length)).to(self.device)
            tokens, mask, tracks, keypoints, activities = self.take(moments)
            turned = self.heading[moments].diff(dim=1, prepend=self.heading[moments[:, :1]])
            tracks[..., TURN], tracks[..., TURN + 1] = turned.cos() - 1, turned.sin()
            yield tokens, mask, tracks, keypoints, activities
