"""Limbs that are not observed: the posture at rest, at which they are drawn, and the condition under which a part counts as observed.

Mirrors core/pose/evidence.ts and core/pose/leg-swing.ts. A limb without evidence is drawn at rest in the frame of the estimated trunk: the
mean limb of the activity, plus the slow mean of the person's own difference from it.
"""
import torch
from torch import Tensor
from torch.nn.functional import avg_pool1d, normalize

JOINTS = 17
HEAD, TRUNK, LEFT_ARM, RIGHT_ARM, LEFT_LEG, RIGHT_LEG = range(6)
# The parts of a body, with their joints, in the order of the network's outputs; the last four are limbs.
PARTS = [[0, 1, 2, 3, 4], [5, 6, 11, 12], [7, 9], [8, 10], [13, 15], [14, 16]]
LIMBS = PARTS[LEFT_ARM:]
# A limb is observed if less than this share of its deviation from the rest remains as error. An estimate that correlates by 0.6 with
# the truth leaves sqrt(1 - 0.6^2).
REMAINS = 0.8
# Errors are compared over two seconds, because a limb that swings passes its rest.
WINDOW_MOMENTS = 21
# Probability at which a limb is at rest, and the one from which it is drawn wholly as estimated.
OF_DRAWN = (0.5, 0.7)
# The same for the swing of a walker's ankles, as a share of what the speed requires.
OF_SWING = (0.4, 0.55)
# Speeds between which a person begins to walk, m/s.
OF_WALKING = (0.25, 0.35)
# Standard deviation of one ankle ahead of the other, m, at a speed of 1 m/s; it grows with the root of the speed.
SWING_M = 0.44
SPEED_MIN_MPS = 0.05
# Share of a moment in the lasting evidence: a mean over two seconds, two steps of a walker.
EVIDENCE_SHARE = 0.05
# Share of a moment in a person's own difference from the mean posture: a mean over four seconds, in which a swing vanishes.
HABIT_SHARE = 0.025


def hips(points: Tensor) -> Tensor:
    """The middle of the hips [..., 1, 3]."""
    return points[..., 11:13, :].mean(-2, keepdim=True)


def trunk_frame(points: Tensor) -> tuple[Tensor, Tensor]:
    """The directions front, left, up of a trunk as rows [..., 3, 3], and its length [..., 1, 1]."""
    along = points[..., 5:7, :].mean(-2) - points[..., 11:13, :].mean(-2)
    up = normalize(along, dim=-1, eps=1e-4)
    across = points[..., 5, :] - points[..., 6, :] + points[..., 11, :] - points[..., 12, :]
    left = normalize(across - (across * up).sum(-1, keepdim=True) * up, dim=-1, eps=1e-4)
    return torch.stack([torch.linalg.cross(left, up), left, up], -2), along.norm(dim=-1)[..., None, None]


def rests_of(keypoints: Tensor, activities: Tensor, kinds: int) -> Tensor:
    """The mean joints of each activity [kinds, JOINTS, 3] in the frame of the trunk, in units of its length; left and right are mirrored."""
    frame, length = trunk_frame(keypoints)
    own = (keypoints - hips(keypoints)) @ frame.transpose(-1, -2) / length.clamp(min=0.1)
    means = torch.stack([own[activities == kind].mean(0) if (activities == kind).any() else own.mean(0) for kind in range(kinds)])
    swapped = means[:, [0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15]] * torch.tensor([1.0, -1.0, 1.0], device=means.device)
    return 0.5 * (means + swapped)


def slow_mean(values: Tensor, share: float, first: float) -> Tensor:
    """The recursive means m[t] = m[t-1] + share (v[t] - m[t-1]) of [batch, time, ...], with m[0] = first v[0]."""
    age = torch.arange(values.shape[1], device=values.device)
    age = age[:, None] - age
    weights = torch.where(age < 0, 0.0, (1 - share) ** age.clamp(min=0))
    weights[:, 1:] *= share
    weights[:, 0] *= first
    return torch.einsum("ts,bs...->bt...", weights, values)


def at_rest(predicted: Tensor, probabilities: Tensor, rests: Tensor) -> Tensor:
    """The joints at rest about the estimated trunk [batch, time, JOINTS, 3], for the probabilities of the activities."""
    frame, length = trunk_frame(predicted)
    length = length.clamp(min=0.1)
    mean = torch.einsum("...a,ajx->...jx", probabilities, rests)
    differences = (predicted - hips(predicted)) @ frame.transpose(-1, -2) / length - mean
    habits = slow_mean(differences, HABIT_SHARE, HABIT_SHARE)
    return hips(predicted) + length * ((mean + habits) @ frame)


def lasting(evidence: Tensor) -> Tensor:
    """The logits of the parts [batch, time, part], each with those before it."""
    return slow_mean(evidence, EVIDENCE_SHARE, 1.0)


def ramp(values: Tensor, ends: tuple[float, float]) -> Tensor:
    """0 up to the first end, 1 from the second on, and linear between them."""
    return ((values - ends[0]) / (ends[1] - ends[0])).clamp(0, 1)


def walking(predicted: Tensor, speeds: Tensor) -> tuple[Tensor, Tensor]:
    """Degrees, 0..1, to which a person walks, and to which the estimated legs swing as that walk requires [batch, time, 1]."""
    front = trunk_frame(predicted)[0][..., 0, :]
    ahead = ((predicted[..., 15, :] - predicted[..., 16, :]) * front).sum(-1)
    mean, square, speed = slow_mean(torch.stack([ahead, ahead.square(), speeds], -1), EVIDENCE_SHARE, 1.0).unbind(-1)
    swing = (square - mean.square()).clamp(min=0).sqrt() / (SWING_M * speed.clamp(min=SPEED_MIN_MPS).sqrt())
    return ramp(speed, OF_WALKING).unsqueeze(-1), ramp(swing, OF_SWING).unsqueeze(-1)


def drawn(predicted: Tensor, rest: Tensor, evidence: Tensor, speeds: Tensor) -> Tensor:
    """The joints as they are shown: limbs without evidence at rest.

    `evidence` are lasting logits of the parts [batch, time, part], `speeds` those of the track [batch, time], m/s.
    """
    of_staying = ramp(evidence.sigmoid(), OF_DRAWN)
    walks, swings = walking(predicted, speeds)
    share = torch.lerp(of_staying, torch.minimum(of_staying, swings), walks)
    weight = torch.ones_like(predicted[..., 0])
    for part, joints in enumerate(PARTS):
        if joints in LIMBS:
            weight[..., joints] = share[..., part:part + 1]
    return rest + weight.unsqueeze(-1) * (predicted - rest)


def smoothed(values: Tensor) -> Tensor:
    """The means over a window of time of [batch, time, ...]."""
    flat = values.flatten(2).transpose(1, 2)
    mean = avg_pool1d(flat, WINDOW_MOMENTS, 1, WINDOW_MOMENTS // 2, count_include_pad=False)
    return mean.transpose(1, 2).reshape(values.shape)


def observed(predicted: Tensor, rest: Tensor, truth: Tensor) -> Tensor:
    """Whether each part is observed [batch, time, part]: its estimate is clearly nearer to the truth than one without its evidence.

    Without evidence, a limb and the head are at rest about the trunk, and the trunk is upright and faces no direction.
    """
    about = truth - hips(truth)
    upright = torch.zeros(JOINTS, 3, device=truth.device)
    upright[5:7, 2] = 0.5
    unknown = rest - hips(rest)
    unknown[..., PARTS[TRUNK], :] = upright[PARTS[TRUNK]]
    squares = [(points - about).square().sum(-1) for points in (predicted - hips(predicted), unknown)]
    estimated, unseen = (smoothed(torch.stack([square[..., joints].mean(-1) for joints in PARTS], -1)) for square in squares)
    return (estimated < REMAINS ** 2 * unseen).float()
