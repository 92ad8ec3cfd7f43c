"""The loss of the training."""
import torch
from model import JOINTS, split
from posture import at_rest, drawn, hips, lasting, observed
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

# A keypoint nearer to the truth than this is a hit.
TOLERANCE_M = 0.3
WALKING = 0
STRIDE_M = 0.2
BONES = [(5, 7), (7, 9), (6, 8), (8, 10), (11, 13), (13, 15), (12, 14), (14, 16), (5, 6), (11, 12), (5, 11), (6, 12)]


def likelihood(log_sigmas: Tensor, error: Tensor) -> Tensor:
    return 3 * log_sigmas + 0.5 * (error / log_sigmas.exp()) ** 2


def losses(outputs: Tensor, walker: Tensor, keypoints: Tensor, activities: Tensor, speeds: Tensor, class_weights: Tensor,
           rests: Tensor) -> Tensor:
    predicted, log_sigmas, visibility, logits, log_relative, evidence = split(outputs)
    evidence = lasting(evidence)
    error = (predicted - keypoints).norm(dim=-1)
    # The targets of sigmas, confidences and evidence have no gradient, so that joints which are hard to estimate keep their weight.
    with torch.no_grad():
        rest = at_rest(predicted, logits.softmax(-1), rests)
        shown = drawn(predicted, rest, evidence, speeds)
        spread = (shown - keypoints).norm(dim=-1)
        spread_about = (shown - hips(shown) - keypoints + hips(keypoints)).norm(dim=-1)
        seen = observed(predicted, rest, keypoints)
    pelvis = (hips(predicted) - hips(keypoints)).norm(dim=-1)
    about_pelvis = keypoints - hips(keypoints)
    relative = (predicted - hips(predicted) - about_pelvis).norm(dim=-1)
    # Squared: a small improvement of a poorly known step must still reduce the loss.
    walks = (activities == WALKING).unsqueeze(-1).unsqueeze(-1)
    stride = ((walker - about_pelvis) / STRIDE_M).square().mul(walks).sum() / (3 * JOINTS * walks.sum()).clamp(min=1)
    lengths = [(points[..., [a for a, _ in BONES], :] - points[..., [b for _, b in BONES], :]).norm(dim=-1)
               for points in (predicted, keypoints)]
    bones = (lengths[0] - lengths[1]).abs()
    hit = binary_cross_entropy_with_logits(visibility, (spread < TOLERANCE_M).float())
    supported = binary_cross_entropy_with_logits(evidence, seen)
    activity = cross_entropy(logits.flatten(0, -2), activities.flatten(), class_weights)
    return (0.5 * error.mean() + relative.mean() + 0.5 * pelvis.mean() + 0.2 * bones.mean()
            + 0.03 * likelihood(log_sigmas, spread).mean() + 0.02 * likelihood(log_relative, spread_about).mean()
            + 0.05 * hit + 0.1 * supported + 0.15 * activity + 0.03 * stride)
