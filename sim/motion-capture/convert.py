"""Converts takes of motion capture into the clips of this folder.

Every take becomes joint positions (metres or any other unit; x, y on the floor, z up), then the channels of `clip.ts`: angles, and
lengths relative to the leg of the subject, so that a clip fits any body. README.md lists the takes, their origin and licence.

    python convert.py FOLDER      reads the takes from FOLDER, writes clips/*.json beside this file
"""

import base64
import json
import sys
import zlib
from pathlib import Path

import numpy as np
from channels import channels_of
from readers import READERS

RATE_HZ = 30
STEPS_PER_UNIT = 4096
# Rest of a folded part at its turning point.
REST_S = 5
# Angle by which the head of each skeleton is in front of the shoulders when it looks ahead: from the rest pose, or for the figure of
# Character Creator, whose files have none, the median of the ordinary walks.
LEVEL_RAD = {"deepmimic": 0.15, "poselib": 0.15, "bvh": 0.13, "amc": 0.06, "opencap": 0, "character creator": 0.26}


def resampled(joints, rate, start, end, fold):
    """A part of a take; folded: first in reverse, then its first moment for some seconds, then forwards."""
    first = next(iter(joints.values()))
    times = np.arange(start, min(end, (len(first) - 1) / rate), 1 / RATE_HZ)
    if fold:
        times = np.concatenate([times[::-1], np.full(REST_S * RATE_HZ, times[0]), times])
    at = np.arange(len(first)) / rate
    return {name: np.stack([np.interp(times, at, points[:, axis]) for axis in range(3)], -1) for name, points in joints.items()}


def encode(channels):
    """Quantised differences over time, deflated, as text."""
    whole = np.round(channels * STEPS_PER_UNIT).astype(np.int64)
    steps = np.diff(whole, axis=0, prepend=0)
    assert np.abs(steps).max() < 2 ** 15
    return base64.b64encode(zlib.compress(steps.T.astype("<i2").tobytes(), 9)).decode()


def clip_of(folder, take):
    joints, rate = READERS[take["reader"]](folder / take["file"])
    # Some conversions state another rate than that of the capture.
    rate = take.get("rate", rate)
    # A lying head is on the floor.
    levels = [0 if part.get("low") == "lying" else LEVEL_RAD[take.get("skeleton", take["reader"])] for part in take["parts"]]
    parts = [channels_of(resampled(joints, rate, part["from"], part["to"], part.get("fold", False)), level)
             for part, level in zip(take["parts"], levels)]
    return [{
        "name": part["name"],
        "origin": take["origin"],
        "low": part.get("low", "standing"),
        "frames": len(channels),
        "channels": encode(channels),
    } for part, channels in zip(take["parts"], parts)]


def main():
    folder, here = Path(sys.argv[1]), Path(__file__).parent
    takes = json.loads((here / "takes.json").read_text())
    (here / "clips").mkdir(exist_ok=True)
    for family in ("training", "validation", "held-out"):
        clips = [clip for take in takes if take["family"] == family for clip in clip_of(folder, take)]
        (here / "clips" / f"{family}.json").write_text(json.dumps(clips, indent=2) + "\n")
        print(family, len(clips), "clips,", round(sum(clip["frames"] for clip in clips) / RATE_HZ), "s")


if __name__ == "__main__":
    main()
