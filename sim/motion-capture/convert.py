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

RATE_HZ = 30
STEPS_PER_UNIT = 4096
# Rest of a folded part at its turning point.
REST_S = 5
# Angle by which the head of each skeleton is in front of the shoulders when it looks ahead: from the rest pose, or for the figure of
# Character Creator, whose files have none, the median of the ordinary walks.
LEVEL_RAD = {"deepmimic": 0.15, "poselib": 0.15, "bvh": 0.13, "amc": 0.06, "opencap": 0, "character creator": 0.26}
SIDES = ("left", "right")
JOINTS = ("hip", "knee", "ankle", "toe", "shoulder", "elbow", "wrist")


# Rotations

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


# Readers: each returns (joints, rate); joints maps "left hip" and so on, "head" and "up" of the head to [T][3].

def y_up(points):
    """From x forward, y up, z right to x forward, y left, z up."""
    return np.stack([points[..., 0], -points[..., 2], points[..., 1]], -1)


def read_deepmimic(path):
    frames = np.array(json.loads(path.read_text())["Frames"])
    names = ["root", "chest", "neck", "right hip", "right knee", "right ankle", "right shoulder", "right elbow", "left hip",
             "left knee", "left ankle", "left shoulder", "left elbow", "right wrist", "left wrist", "right toe", "left toe", "head"]
    parents = [-1, 0, 1, 0, 3, 4, 1, 6, 0, 8, 9, 1, 11, 7, 12, 5, 10, 2]
    # From data/characters/humanoid3d.txt of DeepMimic.
    offsets = np.array([
        [0, 0, 0], [0, 0.236151, 0], [0, 0.223894, 0], [0, 0, 0.084887], [0, -0.421546, 0], [0, -0.40987, 0],
        [-0.02405, 0.2435, 0.18311], [0, -0.274788, 0], [0, 0, -0.084887], [0, -0.421546, 0], [0, -0.40987, 0],
        [-0.02405, 0.2435, -0.18311], [0, -0.274788, 0], [0, -0.258947, 0], [0, -0.258947, 0], [0.12, -0.04, 0],
        [0.12, -0.04, 0], [0, 0.175, 0],
    ])
    at = 4
    local = np.tile(np.eye(3), (len(frames), len(names), 1, 1))
    for j, name in enumerate(names[:13]):
        if name.endswith(("knee", "elbow")):
            local[:, j] = matrix("z", frames[:, at])
            at += 1
        else:
            local[:, j] = from_quaternion(*frames[:, at:at + 4].T)
            at += 4
    places, _ = kinematics(parents, offsets, local, frames[:, 1:4])
    return {name: y_up(places[:, j]) for j, name in enumerate(names)}, 1 / frames[0, 0]


BVH_NAMES = {
    "LeftHip": "left hip", "LeftKnee": "left knee", "LeftAnkle": "left ankle", "LeftToe": "left toe",
    "LeftUpLeg": "left hip", "LeftLeg": "left knee", "LeftFoot": "left ankle", "LeftToeBase": "left toe",
    "LeftShoulder": "left shoulder", "LeftElbow": "left elbow", "LeftWrist": "left wrist",
    "LeftArm": "left shoulder", "LeftForeArm": "left elbow", "LeftHand": "left wrist",
    "lShldr": "left shoulder", "lForeArm": "left elbow", "lHand": "left wrist",
    "lThigh": "left hip", "lShin": "left knee", "lFoot": "left ankle",
}
# The skeleton of Character Creator.
CC_NAMES = {
    "Thigh": "hip", "Calf": "knee", "Foot": "ankle", "ToeBase": "toe", "Upperarm": "shoulder", "Forearm": "elbow", "Hand": "wrist",
}


def bvh_names(nodes):
    """Our names of the nodes. Where a skeleton has arms, its shoulders are collar bones."""
    known = dict(BVH_NAMES)
    if "LeftArm" in nodes:
        del known["LeftShoulder"]
    known |= {k.replace("Left", "Right"): v.replace("left", "right") for k, v in known.items() if k.startswith("Left")}
    known |= {"r" + k[1:]: v.replace("left", "right") for k, v in known.items() if k[0] == "l" and k[1].isupper()}
    known |= {f"CC_Base_{side[0].upper()}_{theirs}": f"{side} {ours}" for side in SIDES for theirs, ours in CC_NAMES.items()}
    return known | {"Head": "head", "head": "head", "CC_Base_Head": "head"}


def read_bvh(path):
    head, motion = path.read_text().split("MOTION")
    nodes, parents, offsets, channels, stack = [], [], [], [], []
    for words in (line.split() for line in head.splitlines()):
        if words and words[0] in ("ROOT", "JOINT", "End"):
            nodes.append(words[1] if words[0] != "End" else nodes[stack[-1]] + " end")
            parents.append(stack[-1] if stack else -1)
            channels.append([])
            offsets.append(None)
            stack.append(len(nodes) - 1)
        elif words and words[0] == "OFFSET":
            offsets[stack[-1]] = [float(word) for word in words[1:]]
        elif words and words[0] == "CHANNELS":
            channels[stack[-1]] = words[2:]
        elif words and words[0] == "}":
            stack.pop()
    lines = motion.strip().splitlines()
    values = np.array([[float(word) for word in line.split()] for line in lines[2:] if line.strip()])
    # The first frame of these conversions is a pose with spread arms.
    values = values[1:]
    local = np.tile(np.eye(3), (len(values), len(nodes), 1, 1))
    root, at = np.zeros((len(values), 3)), 0
    for j, names in enumerate(channels):
        for name in names:
            if name.endswith("position"):
                if parents[j] < 0:
                    root[:, "XYZ".index(name[0])] = values[:, at]
            else:
                local[:, j] = local[:, j] @ matrix(name[0].lower(), np.radians(values[:, at]))
            at += 1
    places, _ = kinematics(parents, np.array(offsets), local, root)
    ours = bvh_names(nodes)
    # These takes have z forward and x left.
    turned = np.stack([places[..., 2], places[..., 0], places[..., 1]], -1)
    return {ours[node]: turned[:, j] for j, node in enumerate(nodes) if node in ours}, 1 / float(lines[1].split()[-1])


ASF_NAMES = {
    "hipjoint": "hip", "femur": "knee", "tibia": "ankle", "foot": "toe", "clavicle": "shoulder", "humerus": "elbow", "radius": "wrist",
}


def read_skeleton(path):
    """Bones of an ASF file in the order of its hierarchy: name, parent, offset of its end and axes in the rest pose, degrees of freedom."""
    head, tree = path.read_text().split(":bonedata")[1].split(":hierarchy")
    bones = {}
    for words in (part.split() for part in head.split("begin")[1:]):
        at = lambda name, count: [float(word) for word in words[words.index(name) + 1:words.index(name) + 1 + count]]
        dof = [word[1] for word in words[words.index("dof") + 1:words.index("limits")]] if "dof" in words else []
        x, y, z = (matrix(axis, np.radians([angle]))[0] for axis, angle in zip("xyz", at("axis", 3)))
        bones[words[words.index("name") + 1]] = (np.array(at("direction", 3)) * at("length", 1)[0], z @ y @ x, dof)
    lines = [line.split() for line in tree.split("begin")[1].split("end")[0].splitlines()]
    return [(name, words[0], *bones[name]) for words in lines for name in words[1:]]


def read_amc(path):
    """A take of CMU as ASF/AMC: 120 frames/s, y up, z forward; the skeleton is beside it."""
    bones = read_skeleton(path.with_name(path.name.split("_")[0] + ".asf"))
    frames, now = [], {}
    for words in (line.split() for line in path.read_text().splitlines()):
        if len(words) == 1 and words[0].isdigit():
            frames.append(now := {})
        elif frames and len(words) > 1:
            now[words[0]] = [float(word) for word in words[1:]]
    values = {name: np.array([frame[name] for frame in frames]) for name in frames[0]}

    def turn(axes, angles):
        out = np.tile(np.eye(3), (len(frames), 1, 1))
        for axis, column in zip(axes, angles.T):
            out = matrix(axis, np.radians(column)) @ out
        return out

    places, turns = {"root": values["root"][:, :3]}, {"root": turn("xyz", values["root"][:, 3:])}
    for name, parent, offset, axes, dof in bones:
        own = turn(dof, values[name]) if dof else np.eye(3)
        turns[name] = turns[parent] @ axes @ own @ axes.T
        places[name] = places[parent] + turns[name] @ offset
    named = {f"{side} {ours}": f"{side[0]}{theirs}" for side in SIDES for theirs, ours in ASF_NAMES.items()} | {"head": "head"}
    return {ours: places[theirs][:, [2, 0, 1]] for ours, theirs in named.items()}, 120


def read_opencap(path):
    take = json.loads(path.read_text())
    bodies = {"femur": "hip", "tibia": "knee", "talus": "ankle", "toes": "toe", "humerus": "shoulder", "ulna": "elbow", "hand": "wrist"}
    joints = {
        f"{side} {name}": y_up(np.array(take["bodies"][f"{body}_{side[0]}"]["translation"]))
        for side in SIDES for body, name in bodies.items()
    }
    return joints, 1 / (take["time"][1] - take["time"][0])


def read_poselib(path):
    take = np.load(path, allow_pickle=True).item()
    tree = take["skeleton_tree"]
    x, y, z, w = np.moveaxis(take["rotation"]["arr"], -1, 0)
    local = np.stack([from_quaternion(w[:, j], x[:, j], y[:, j], z[:, j]) for j in range(w.shape[1])], 1)
    places, turns = kinematics(tree["parent_indices"]["arr"], tree["local_translation"]["arr"], local, take["root_translation"]["arr"])
    parts = {"thigh": "hip", "shin": "knee", "foot": "ankle", "upper_arm": "shoulder", "lower_arm": "elbow", "hand": "wrist"}
    index = {name: j for j, name in enumerate(tree["node_names"])}
    joints = {f"{side} {ours}": places[:, index[f"{side}_{part}"]] for side in SIDES for part, ours in parts.items()}
    for side in SIDES:
        joints[f"{side} toe"] = joints[f"{side} ankle"] + turns[:, index[f"{side}_foot"]] @ np.array([0.12, 0, -0.04])
    # The node of the head is the neck; the head as in DeepMimic's figure.
    head = places[:, index["head"]] + turns[:, index["head"]] @ np.array([0, 0, 0.175])
    return joints | {"head": head}, float(take["fps"])


# From joints to channels

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


def resampled(joints, rate, start, end, fold):
    """A part of a take; folded: first in reverse, then its first moment for some seconds, then forwards."""
    first = next(iter(joints.values()))
    times = np.arange(start, min(end, (len(first) - 1) / rate), 1 / RATE_HZ)
    if fold:
        times = np.concatenate([times[::-1], np.full(REST_S * RATE_HZ, times[0]), times])
    at = np.arange(len(first)) / rate
    return {name: np.stack([np.interp(times, at, points[:, axis]) for axis in range(3)], -1) for name, points in joints.items()}


READERS = {"deepmimic": read_deepmimic, "bvh": read_bvh, "amc": read_amc, "opencap": read_opencap, "poselib": read_poselib}


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
