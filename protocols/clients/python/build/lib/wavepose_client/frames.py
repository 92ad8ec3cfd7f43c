"""Pose frames as arrays and tables. Needs the extra `arrays` (numpy, pandas)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

KEYPOINTS = 17

Frame = Mapping[str, Any]


def _flat(frame: Frame) -> Frame:
    """A frame of REST or of the WebSocket, whose persons are in `data`."""
    return {**frame, **frame["data"]} if "data" in frame else frame


def _person_id(person: Mapping[str, Any]) -> int:
    return int(person["id"] if "id" in person else person["person_id"])


def keypoints(frame: Frame) -> NDArray[np.float64]:
    """Keypoints [person, joint, (x, y, confidence)] in the view, 0 to 1; NaN for a person without keypoints."""
    persons = _flat(frame)["persons"]
    out = np.full((len(persons), KEYPOINTS, 3), np.nan)
    for at, person in enumerate(persons):
        for joint, point in enumerate(person.get("keypoints", [])):
            out[at, joint] = point["x"], point["y"], point["confidence"]
    return out


def keypoints_3d(frame: Frame) -> NDArray[np.float64]:
    """Keypoints [person, joint, (x, y, z, confidence)] in metres in the world frame. Needs `include_3d`; else NaN."""
    persons = _flat(frame)["persons"]
    out = np.full((len(persons), KEYPOINTS, 4), np.nan)
    for at, person in enumerate(persons):
        for joint, point in enumerate(person.get("keypoints_3d", [])):
            out[at, joint] = point["x"], point["y"], point["z"], point["confidence"]
    return out


def frames_table(frames: Iterable[Frame]) -> pd.DataFrame:
    """One row per frame: time, environment, number of persons, presence, motion and breathing."""
    import pandas as pd

    rows = []
    for frame in map(_flat, frames):
        metadata = frame["metadata"]
        rows.append(
            {
                "timestamp": frame["timestamp"],
                "environment_id": frame.get("environment_id", metadata.get("environment_id")),
                "frame_id": frame["frame_id"],
                "persons": len(frame["persons"]),
                "present": metadata["presence"]["present"],
                "motion": metadata["motion"],
                "breathing_rate_bpm": metadata["vitals"]["breathing_rate_bpm"],
                "source": metadata["provenance"]["source"],
            }
        )
    table = pd.DataFrame(rows)
    if not table.empty:
        table["timestamp"] = pd.to_datetime(table["timestamp"], utc=True)
    return table


def persons_table(frames: Iterable[Frame]) -> pd.DataFrame:
    """One row per person and frame: place in metres, activity, confidence."""
    import pandas as pd

    rows = [
        {
            "timestamp": frame["timestamp"],
            "frame_id": frame["frame_id"],
            "person_id": _person_id(person),
            "x": person["location"]["x"],
            "y": person["location"]["y"],
            "activity": person["activity"],
            "confidence": person["confidence"],
        }
        for frame in map(_flat, frames)
        for person in frame["persons"]
    ]
    table = pd.DataFrame(rows)
    if not table.empty:
        table["timestamp"] = pd.to_datetime(table["timestamp"], utc=True)
    return table
