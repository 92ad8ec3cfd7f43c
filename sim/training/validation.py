"""Figures of a network on validation sequences, and the calibration of its sigmas and confidences on them."""
import copy

import numpy as np
import torch
from augmentation import to_tensors
from data import SPEED, Folder
from losses import TOLERANCE_M
from model import ACTIVITIES, JOINTS, PoseNetwork, split
from posture import at_rest, drawn, hips, lasting, observed
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

WARM_UP_MOMENTS = 10


def predictions(network: PoseNetwork, sequences: Folder, geometry: bool, layout):
    """The split outputs of a network for each sequence after the warm-up, with speeds, true keypoints and activities."""
    for sequence in sequences.whole():
        tokens, mask, tracks, truth, activities = to_tensors(sequence, geometry, layout)
        outputs, _ = network(tokens, mask, tracks)
        *estimates, evidence = split(outputs)
        after = [one[:, WARM_UP_MOMENTS:] for one in (*estimates, lasting(evidence), tracks[..., SPEED], truth, activities)]
        yield after[:-3], *after[-3:]


@torch.no_grad()
def validate(network: PoseNetwork, sequences: Folder, geometry: bool, layout) -> dict[str, float]:
    network.eval()
    sums, counts, confusion = {}, {}, np.zeros((ACTIVITIES, ACTIVITIES))

    def note(name: str, values: Tensor):
        sums[name] = sums.get(name, 0.0) + values.sum().item()
        counts[name] = counts.get(name, 0) + values.numel()

    for (predicted, _, _, logits, _, evidence), speeds, truth, activities in predictions(network, sequences, geometry, layout):
        rest = at_rest(predicted, logits.softmax(-1), network.rest)
        shown = drawn(predicted, rest, evidence, speeds)
        error, before = (1e3 * ((points - hips(points)) - (truth - hips(truth))).norm(dim=-1) for points in (shown, predicted))
        seen = observed(predicted, rest, truth)
        note("all_observed_mm", before)
        note("evidence_right", ((evidence > 0) == (seen > 0.5)).float())
        note("observed", (evidence > 0).float())
        note("mpjpe_pelvis_aligned_mm", error)
        note("pelvis_mm", 1e3 * (hips(predicted) - hips(truth)).norm(dim=-1))
        torso = 1e3 * (truth[..., 6, :] - truth[..., 11, :]).norm(dim=-1, keepdim=True)
        note("pck50", (error <= 0.5 * torso).float())
        for activity in range(ACTIVITIES):
            chosen = activities == activity
            if chosen.any():
                note(f"activity_{activity}_mm", error[chosen])
        np.add.at(confusion, (activities.flatten().cpu().numpy(), logits.argmax(-1).flatten().cpu().numpy()), 1)
    network.train()
    precision = confusion.diagonal() / np.maximum(confusion.sum(0), 1)
    recall = confusion.diagonal() / np.maximum(confusion.sum(1), 1)
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-9)
    result = {name: sums[name] / counts[name] for name in sums}
    result["activity_macro_f1"] = float(f1[confusion.sum(1) > 0].mean())
    return result


def calibrated(network: PoseNetwork, sequences: Folder, geometry: bool, layout) -> PoseNetwork:
    """A copy with sigmas and confidences calibrated on these sequences.

    A network learns its error estimates in the rooms of the training, where errors are smaller. One factor for all sigmas of a kind, and
    Platt's scale and offset for the logits of the confidences, are merged into the weights of the last layer.
    """
    network = copy.deepcopy(network).eval()
    found = []
    with torch.no_grad():
        for (predicted, log_sigma, visibility, activity, log_relative, evidence), speeds, truth, _ in predictions(network, sequences, geometry, layout):
            shown = drawn(predicted, at_rest(predicted, activity.softmax(-1), network.rest), evidence, speeds)
            about = (shown - hips(shown) - truth + hips(truth)).norm(dim=-1)
            found.append([one.flatten() for one in ((shown - truth).norm(dim=-1), log_sigma, visibility, about, log_relative)])
    error, log_sigma, logit, about, log_relative = (torch.cat(one) for one in zip(*found))
    hit = (error < TOLERANCE_M).float()
    platt = torch.tensor([1.0, 0.0], device=error.device, requires_grad=True)
    fit = torch.optim.LBFGS([platt], max_iter=50)

    def loss() -> Tensor:
        fit.zero_grad()
        value = binary_cross_entropy_with_logits(platt[0] * logit + platt[1], hit)
        value.backward()
        return value

    fit.step(loss)
    scale, offset = platt.detach()
    sigmas, confidences = slice(3 * JOINTS, 4 * JOINTS), slice(4 * JOINTS, 5 * JOINTS)
    with torch.no_grad():
        last = network.head[1]
        last.bias[sigmas] += 0.5 * (error.square().mean() / (3 * (2 * log_sigma).exp()).mean()).log()
        network.evidence.bias[:JOINTS] += 0.5 * (about.square().mean() / (3 * (2 * log_relative).exp()).mean()).log()
        last.weight[confidences] *= scale
        last.bias[confidences] = scale * last.bias[confidences] + offset
    return network
