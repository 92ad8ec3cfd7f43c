"""The channels of a clip from the positions of joints; `clip.ts` states their order."""

import numpy as np
from readers import SIDES
from rotations import matrix


def unit(vectors):
    return vectors / np.maximum(1e-9, np.linalg.norm(vectors, axis=-1, keepdims=True))


def dot(a, b):
    return np.sum(a * b, -1)


def frame_of(left, up):
    """Axes as columns (forward, left, up): `left` is kept, `up` is made square to it."""
    left = unit(left)
    up = unit(up - dot(up, left)[:, None] * left)
    return np.stack([np.cross(left, up), left, up], -1)


def swing_and_twist(turn):
    """(lean forward, lean left, twist) of a rotation: a lean, then a twist about its own up axis; as in `limbs.ts`."""
    c = np.clip(turn[:, 2, 2], -1, 1)
    angle = np.arccos(c)
    direction = np.arctan2(turn[:, 1, 2], turn[:, 0, 2])
    lean = lean_matrix(angle, direction)
    rest = np.swapaxes(lean, 1, 2) @ turn
    return angle * np.cos(direction), angle * np.sin(direction), np.arctan2(rest[:, 1, 0], rest[:, 0, 0])


def lean_matrix(angle, direction):
    return matrix("z", direction) @ matrix("y", angle) @ matrix("z", -direction)


def yaw_and_lean(turn):
    """(yaw, lean forward, lean left) of a rotation: a yaw, then a lean without a twist."""
    forward, left, twist = swing_and_twist(turn)
    # A lean followed by a twist is the twist followed by the lean in the direction less the twist.
    angle, direction = np.hypot(forward, left), np.arctan2(left, forward) - twist
    return np.unwrap(twist), angle * np.cos(direction), angle * np.sin(direction)


def arm_angles(upper, fore, chest, sign):
    """Flexion, abduction, rotation inwards and bend of the elbow over time; as in `limbs.ts`."""
    u = unit(np.einsum("tji,tj->ti", chest, upper))
    f = unit(np.einsum("tji,tj->ti", chest, fore))
    bend = np.arccos(np.clip(dot(u, f), -1, 1))
    across = f - dot(f, u)[:, None] * u
    out = np.zeros((len(u), 4))
    before = np.array([0, 0.1, 0.3, 0.2])
    for t in range(len(u)):
        abduct = np.arcsin(np.clip(sign * u[t, 1], -1, 1))
        flex = np.arctan2(u[t, 0], -u[t, 2])
        choices = [(flex, abduct), (flex + np.pi, np.pi - abduct)]
        near = [(a + 2 * np.pi * np.round((before[0] - a) / (2 * np.pi)), b + 2 * np.pi * np.round((before[1] - b) / (2 * np.pi)))
                for a, b in choices]
        flex, abduct = min(near, key=lambda c: abs(c[0] - before[0]) + abs(c[1] - before[1]))
        cf, sf, ca, sa = np.cos(flex), np.sin(flex), np.cos(abduct), sign * np.sin(abduct)
        turn = -sign * np.arctan2(across[t] @ [-sf * sa, ca, cf * sa], across[t] @ [cf, 0, sf])
        turn += 2 * np.pi * np.round((before[2] - turn) / (2 * np.pi))
        # A straight elbow shows no rotation.
        weight = min(1, np.sin(bend[t]) / 0.25)
        before = np.array([flex, abduct, before[2] + weight * (turn - before[2]), bend[t]])
        out[t] = before
    return out.T


def leg_channels(hip, knee, ankle, hips_left, sign):
    """The ankle from the hip, and the rotation of the knee about the line between them; as in `limbs.ts`."""
    way = ankle - hip
    along = unit(way)
    normal = unit(np.cross(along, hips_left))
    aside = -sign * np.cross(along, normal)
    bend = (knee - hip) - dot(knee - hip, along)[:, None] * along
    out = np.arctan2(dot(bend, aside), dot(bend, normal))
    size = np.linalg.norm(bend, axis=-1) / np.linalg.norm(knee - hip, axis=-1)
    for t in range(len(out)):
        before = out[t - 1] if t > 0 else 0
        turned = out[t] + 2 * np.pi * np.round((before - out[t]) / (2 * np.pi))
        out[t] = before + min(1, size[t] / 0.2) * (turned - before)
    return way, out


def foot_yaw(toes):
    """Direction of the toes over the floor; a foot that points straight down or up keeps its last one."""
    out = np.arctan2(toes[:, 1], toes[:, 0])
    share = np.hypot(*toes[:, :2].T) / np.linalg.norm(toes, axis=-1)
    for t in range(1, len(out)):
        turned = out[t] + 2 * np.pi * np.round((out[t - 1] - out[t]) / (2 * np.pi))
        out[t] = out[t - 1] + min(1, share[t] / 0.4) * (turned - out[t - 1])
    return out


def channels_of(joints, level):
    """Channels in the order of `clip.ts` [T][30]; lengths relative to a leg. `level`: how far forward a head leans that looks ahead."""
    j = joints
    leg = np.median([np.linalg.norm(j[f"{s} hip"] - j[f"{s} knee"], axis=-1) + np.linalg.norm(j[f"{s} knee"] - j[f"{s} ankle"], axis=-1)
                     for s in SIDES])
    floor = min(np.percentile(j[f"{s} ankle"][:, 2], 4) for s in SIDES)
    pelvis = (j["left hip"] + j["right hip"]) / 2
    neck = (j["left shoulder"] + j["right shoulder"]) / 2
    hips = frame_of(j["left hip"] - j["right hip"], neck - pelvis)
    # The trunk goes from the hips to the neck; the shoulders only turn it.
    up = unit(neck - pelvis)
    across = j["left shoulder"] - j["right shoulder"]
    left = unit(across - dot(across, up)[:, None] * up)
    chest = np.stack([np.cross(left, up), left, up], -1)
    yaw, tilt_forward, tilt_left = yaw_and_lean(hips)
    spine = swing_and_twist(np.swapaxes(hips, 1, 2) @ chest)
    yaw -= 2 * np.pi * np.round(yaw[0] / (2 * np.pi))
    start = matrix("z", np.full(len(yaw), -yaw[0]))
    turned = lambda v: np.einsum("tij,tj->ti", start, v)
    place = turned((pelvis - [*pelvis[0, :2], floor]) / leg)
    head = np.einsum("tji,tj->ti", chest, unit(j["head"] - neck)) if "head" in j else np.tile([0.0, 0, 1], (len(yaw), 1))
    columns = [*place.T, yaw - yaw[0], tilt_forward, tilt_left, *spine, np.clip(np.arctan2(head[:, 0], head[:, 2]), -0.6, 0.9) - level]
    legs = {s: leg_channels(j[f"{s} hip"], j[f"{s} knee"], j[f"{s} ankle"], hips[:, :, 1], 1 if s == "left" else -1) for s in SIDES}
    for s in SIDES:
        columns += [*turned(legs[s][0] / leg).T]
    columns += [legs[s][1] for s in SIDES]
    # A take without toes has feet along the hips.
    toes = {s: turned(j.get(f"{s} toe", j[f"{s} ankle"] + leg * (0.15 * hips[:, :, 0] - 0.05 * hips[:, :, 2])) - j[f"{s} ankle"])
            for s in SIDES}
    columns += [foot_yaw(toes[s]) for s in SIDES]
    pitch = {s: np.arctan2(-toes[s][:, 2], np.hypot(*toes[s][:, :2].T)) for s in SIDES}
    columns += [np.clip(pitch[s] - np.percentile(pitch[s], 30), -1.3, 1.3) for s in SIDES]
    for s in SIDES:
        columns += [*arm_angles(j[f"{s} elbow"] - j[f"{s} shoulder"], j[f"{s} wrist"] - j[f"{s} elbow"], chest, 1 if s == "left" else -1)]
    return np.stack(columns, -1)
