"""Fits the evidence of a trained network, whose other weights do not change: which parts of a body it observes, and its sigmas about the pelvis.

    python sim/training/evidence.py WEIGHTS.safetensors OUT.safetensors --version wavepose-9 DATA_FOLDER...

The evidence is linear in the last hidden layer of the head, so it is a regression over data that pass the network once. The scenes should
contain limbs that move independently of the trunk, captured motion and both radio models; the network need not have been trained on them. Only
training seeds are used.
"""
import argparse
import json
import math
from pathlib import Path

import torch
from augmentation import augment
from data import SPEED, Sequence, read_sequence
from losses import likelihood
from model import ACTIVITIES, JOINTS, PoseNetwork, activate, exported, split
from posture import PARTS, at_rest, drawn, hips, lasting, observed, rests_of
from reference import imported
from safetensors.torch import save_file
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits
from validation import WARM_UP_MOMENTS

COPIES = 2
NOISE = 0.05
STEPS, BATCH = 400, 4096


def shared(network: PoseNetwork, tokens: Tensor, mask: Tensor, tracks: Tensor) -> Tensor:
    """The input of the last layers [batch, time, BODY_WIDTH]."""
    found = []
    hook = network.head[0].register_forward_hook(lambda _, __, output: found.append(activate(output)))
    network(tokens, mask, tracks)
    hook.remove()
    return found[0]


def seen(network: PoseNetwork, sequence: Sequence, layout) -> list[tuple[Tensor, Tensor, Tensor, Tensor]]:
    """The last hidden layer, the true keypoints, the activities and the speeds [1, time, ...], for each augmented copy of a sequence."""
    found = []
    for _ in range(COPIES):
        tokens, mask, tracks, keypoints = augment(
            torch.from_numpy(sequence.tokens.copy()).float()[None], torch.from_numpy(sequence.mask.copy()).float()[None],
            torch.from_numpy(sequence.tracks.copy())[None], torch.from_numpy(sequence.keypoints.copy())[None], layout, NOISE)
        activities = torch.from_numpy(sequence.activities.copy()).long()[None]
        found.append((shared(network, tokens, mask, tracks), keypoints, activities, tracks[..., SPEED]))
    return found


def fitted(inputs: Tensor, outputs: int, bias: float, loss, rate: float, decay: float) -> tuple[Tensor, Tensor]:
    """Weights and biases of a linear layer that minimises the mean of `loss(values, moments)` over the moments."""
    mean, spread = inputs.mean(0), inputs.std(0) + 1e-2
    weight, offset = torch.zeros(outputs, inputs.shape[1], requires_grad=True), torch.full((outputs,), bias, requires_grad=True)
    optimizer = torch.optim.Adam([weight, offset], rate)
    for step in range(STEPS):
        moments = torch.randint(0, len(inputs), (BATCH,))
        value = loss(((inputs[moments] - mean) / spread) @ weight.T + offset, moments).mean() + decay * weight.square().sum() / outputs
        for group in optimizer.param_groups:
            group["lr"] = rate * (0.5 + 0.5 * math.cos(math.pi * step / STEPS))
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
    scaled = weight.detach() / spread
    return scaled, offset.detach() - scaled @ mean


@torch.no_grad()
def estimates(network: PoseNetwork, shares: Tensor) -> tuple[Tensor, Tensor]:
    """The estimated keypoints and the joints at rest [1, time, JOINTS, 3]."""
    predicted, _, _, logits, _, _ = split(torch.cat([network.head[1](shares), network.evidence(shares)], -1))
    return predicted, at_rest(predicted, logits.softmax(-1), network.rest)


def fit(network: PoseNetwork, scenes: list[tuple[Tensor, Tensor, Tensor, Tensor]]) -> None:
    """Fits the evidence, and then the sigmas of what is drawn by it."""
    after = slice(WARM_UP_MOMENTS, None)
    network.rest.copy_(rests_of(torch.cat([one[1][0] for one in scenes]), torch.cat([one[2][0] for one in scenes]), ACTIVITIES))
    known = [estimates(network, shares) for shares, *_ in scenes]
    # The lasting evidence is a mean of logits, which are linear in the inputs. So the weights are fitted to the mean of the inputs.
    inputs = torch.cat([lasting(shares)[0, after] for shares, *_ in scenes])
    targets = torch.cat([observed(*both, truth)[0, after] for both, (_, truth, *_) in zip(known, scenes)])
    weight, bias = fitted(inputs, len(PARTS), 0.0, lambda values, at: binary_cross_entropy_with_logits(values, targets[at]), 2e-2, 3e-3)
    network.evidence.weight[JOINTS:], network.evidence.bias[JOINTS:] = weight, bias
    spreads = []
    for (predicted, rest), (shares, truth, _, speeds) in zip(known, scenes):
        shown = drawn(predicted, rest, lasting(shares @ weight.T + bias), speeds)
        spreads.append((shown - hips(shown) - truth + hips(truth)).norm(dim=-1)[0, after])
    errors = torch.cat(spreads)
    inputs = torch.cat([shares[0, after] for shares, *_ in scenes])
    sigmas = fitted(inputs, JOINTS, math.log(0.08), lambda values, at: likelihood(values.clamp(-5, 1), errors[at]), 1e-2, 1e-3)
    network.evidence.weight[:JOINTS], network.evidence.bias[:JOINTS] = sigmas
    print(f"{len(inputs)} moments; observed {targets.mean(0).tolist()}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weights")
    parser.add_argument("out")
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    network = imported(options.weights)
    for value in network.parameters():
        value.requires_grad_(False)
    layout = json.loads((options.data[0] / "layout.json").read_text())
    first, last = layout["trainingSeeds"]
    paths = [path for folder in options.data for path in sorted(folder.glob("*.seq")) if first <= int(path.name.split("-")[0]) <= last]
    with torch.no_grad():
        scenes = [one for path in paths for one in seen(network, read_sequence(path), layout)]
    fit(network, scenes)
    save_file(exported(network), options.out, metadata={"model_version": options.version, "geometry": "true"})


if __name__ == "__main__":
    main()
