"""Readers of takes of motion capture, one for each format.

Each reads a file and returns (joints, rate in frames per second). `joints` maps "left hip" and so on, and "head" where it is known, to
positions [T][3]: x forward, y left, z up, in any unit.
"""

import json

import numpy as np
from rotations import from_quaternion, kinematics, matrix

SIDES = ("left", "right")


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


READERS = {"deepmimic": read_deepmimic, "bvh": read_bvh, "amc": read_amc, "opencap": read_opencap, "poselib": read_poselib}
