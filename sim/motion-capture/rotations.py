"""Rotation matrices over time, and the forward kinematics of a skeleton."""

import numpy as np


def matrix(axis, angle):
    """Rotation matrices about x, y or z by angles [T]."""
    c, s, one, zero = np.cos(angle), np.sin(angle), np.ones_like(angle), np.zeros_like(angle)
    rows = {
        "x": [[one, zero, zero], [zero, c, -s], [zero, s, c]],
        "y": [[c, zero, s], [zero, one, zero], [-s, zero, c]],
        "z": [[c, -s, zero], [s, c, zero], [zero, zero, one]],
    }[axis]
    return np.moveaxis(np.array(rows), -1, 0)


def from_quaternion(w, x, y, z):
    return np.moveaxis(np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]), -1, 0)


def kinematics(parents, offsets, local, root):
    """Positions and rotations of all joints from local rotations [T][joint][3][3] and the root's positions [T][3]."""
    frames, count = local.shape[:2]
    places, turns = np.zeros((frames, count, 3)), np.zeros((frames, count, 3, 3))
    for j, parent in enumerate(parents):
        if parent < 0:
            places[:, j], turns[:, j] = root, local[:, j]
            continue
        places[:, j] = places[:, parent] + turns[:, parent] @ offsets[j]
        turns[:, j] = turns[:, parent] @ local[:, j]
    return places, turns
