"""Trains the pose network on data from the simulator and exports its weights.

    python sim/training/train.py DATA_FOLDER OUT_FOLDER [--minutes 60] [--threads 1] [--device cuda --batch 96] [--no-geometry] [--from WEIGHTS]

Training uses only seeds of the training range, and checkpoints are selected on seeds of the validation range. The ranges are those
of sim/evaluation/seed-ranges.ts; layout.json in the data folder has them. A stopped run continues from OUT_FOLDER/checkpoint.pt, and
training also reads files that are added to the data folder meanwhile.
"""
import argparse
import copy
import json
import math
import time
from pathlib import Path

import numpy as np
import torch
from data import TURN, Folder
from model import ACTIVITIES, JOINTS, PoseNetwork, exported, split
from posture import at_rest, drawn, hips, lasting, observed, rests_of
from reference import imported
from safetensors.torch import save_file
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

WARM_UP_MOMENTS = 10
VALIDATION_SEQUENCES = 96
VALIDATE_EVERY_S = 60
TOLERANCE_M = 0.3
WALKING = 0
STRIDE_M = 0.2
EVIDENCE_RATE = 8
STRIDE_SHARE = 0.3
# The value of a track that is its speed.
SPEED = 2
MIRRORED = [0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15]
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


def to_tensors(batch, geometry: bool, layout):
    tokens, mask, tracks, keypoints, activities = batch
    tokens = tokens.float()
    if not geometry:
        tokens[..., layout["directionsAt"]:layout["distancesEnd"]] = 0
    return tokens, mask.float(), tracks, keypoints, activities.long()


def augment(tokens: Tensor, mask: Tensor, tracks: Tensor, keypoints: Tensor, layout, noise: float):
    """Rotates each scene by a small angle against its heading, mirrors half of the scenes, drops links, and adds noise."""
    batch, device = len(tokens), tokens.device
    angle = 0.35 * torch.randn(batch, device=device)
    c, s = angle.cos(), angle.sin()
    turn = torch.stack([torch.stack([c, -s], -1), torch.stack([s, c], -1)], -2)
    first, count = layout["directionsAt"], layout["directions"]
    vectors = tokens[..., first:first + 3 * count].unflatten(-1, (count, 3))
    vectors[..., :2] = torch.einsum("bij,btlvj->btlvi", turn, vectors[..., :2].clone())
    tracks[..., :2] = torch.einsum("bij,btj->bti", turn, tracks[..., :2].clone())
    keypoints[..., :2] = torch.einsum("bij,btkj->btki", turn, keypoints[..., :2].clone())
    # A link measures the same in a mirrored room; left and right joints swap.
    mirrored = torch.rand(batch, device=device) < 0.5
    vectors[mirrored, ..., 1] *= -1
    # The velocity to the left, and the sine of how far the heading turned.
    tracks[mirrored, ..., 1] *= -1
    tracks[mirrored, ..., TURN + 1] *= -1
    swapped = keypoints[..., MIRRORED, :]
    swapped[..., 1] *= -1
    keypoints = torch.where(mirrored[:, None, None, None], swapped, keypoints)
    share = 0.05 + 0.35 * torch.rand(batch, 1, 1, device=device)
    kept = torch.rand(batch, 1, mask.shape[-1], device=device) > share
    tokens = tokens + noise * torch.randn_like(tokens)
    return tokens, mask * kept, tracks, keypoints


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


@torch.no_grad()
def follow(average: PoseNetwork, network: PoseNetwork, steps: int, decay: float) -> None:
    """One step of the moving average of the weights, over fewer steps at the beginning."""
    share = 1 - min(decay, steps / (steps + 20))
    for mean, value in zip(average.parameters(), network.parameters()):
        mean.lerp_(value, share)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--from", dest="start", help="weights of a network, to be trained further")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-geometry", action="store_true")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--version", default="wavepose-1")
    parser.add_argument("--threads", type=int, default=1, help="at most the number of free cores; more are slower")
    parser.add_argument("--device", default="cpu", help="cpu, or cuda with a larger --batch")
    parser.add_argument("--batch", type=int, default=12, help="segments per step")
    parser.add_argument("--segment", type=int, nargs="+", default=[150],
                        help="moments per segment: the time span that the memory learns to keep; of several, each epoch draws one")
    parser.add_argument("--average", type=float, default=0.0, help="decay of the moving average of the weights, which is what is validated and written")
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--noise", type=float, default=0.0, help="standard deviation of the noise on every value of a token")
    parser.add_argument("--decay", type=float, default=0.02)
    options = parser.parse_args()
    geometry = not options.no_geometry
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    random = np.random.default_rng(options.seed)
    layout = json.loads((options.data / "layout.json").read_text())
    device = torch.device(options.device)
    torch.set_float32_matmul_precision("high")
    training = Folder(options.data, *layout["trainingSeeds"], device)
    validation = Folder(options.data, *layout["validationSeeds"], device, VALIDATION_SEQUENCES)
    frequencies = torch.bincount(training.arrays["activities"].long(), minlength=ACTIVITIES).float()
    weights = (frequencies.clamp(min=1) / frequencies.sum()) ** -0.5
    weights /= weights.mean()
    mean = training.arrays["keypoints"].mean(0)
    print(f"{len(training.lengths)} training sequences of {training.moments} moments, "
          f"{len(validation.lengths)} for validation; activities {frequencies.tolist()}", flush=True)
    network = PoseNetwork(layout["tokenSize"], layout["trackSize"], options.dropout).to(device)
    with torch.no_grad():
        network.head[1].bias[:3 * JOINTS] = mean.reshape(-1)
        network.head[1].bias[3 * JOINTS:4 * JOINTS] = math.log(0.15)
        if options.start is not None:
            network.load_state_dict(imported(options.start, options.dropout).state_dict())
        # Weights without evidence get a new layer for it.
        if network.evidence.weight.count_nonzero() == 0:
            network.evidence.bias[:JOINTS] = math.log(0.08)
        network.rest.copy_(rests_of(training.arrays["keypoints"], training.arrays["activities"], ACTIVITIES))
    # In further training, a new evidence layer has a higher rate than the trained layers.
    ahead = EVIDENCE_RATE if options.start is not None and network.evidence.weight.count_nonzero() == 0 else 1
    parts = [[value for name, value in network.named_parameters() if name.startswith("evidence.") == new] for new in (False, True)]
    optimizer = torch.optim.AdamW([{"params": parts[0], "ahead": 1}, {"params": parts[1], "ahead": ahead}], options.rate, weight_decay=options.decay)
    average = copy.deepcopy(network)
    options.out.mkdir(parents=True, exist_ok=True)
    checkpoint = options.out / "checkpoint.pt"
    spent, epoch, steps, best = 0.0, 0, 0, math.inf
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True, map_location=device)
        network.load_state_dict(state["network"])
        average.load_state_dict(state["average"])
        optimizer.load_state_dict(state["optimizer"])
        spent, epoch, steps, best = state["spent"], state["epoch"], state["steps"], state["best"]
        print(f"continuing after epoch {epoch}, {spent / 60:.0f} minutes", flush=True)
    budget = 60 * options.minutes
    validated = -math.inf
    while spent < budget:
        epoch += 1
        total, batches = 0.0, 0
        training.read_new()
        # In some epochs moments are left out, as the service leaves out hops when it lacks processor time.
        stride = int(random.integers(2, 5)) if random.uniform() < STRIDE_SHARE else 1
        length = int(random.choice(options.segment))
        # The same number of moments in a batch.
        segments = options.batch * max(options.segment) // length
        for batch in training.segments(length // stride, segments, random, stride):
            began = time.monotonic()
            # One cycle over the training time: a rise for a twentieth of it, then a cosine decay.
            part = min(1.0, spent / budget)
            rate = options.rate * min(1.0, part / 0.05 + 0.05) * (0.5 + 0.5 * math.cos(math.pi * part))
            for group in optimizer.param_groups:
                group["lr"] = max(rate, 1e-5) * group["ahead"]
            tokens, mask, tracks, keypoints, activities = to_tensors(batch, geometry, layout)
            tokens, mask, tracks, keypoints = augment(tokens, mask, tracks, keypoints, layout, options.noise)
            outputs, _, walker = network.moments(tokens, mask, tracks)
            loss = losses(outputs, walker, keypoints, activities, tracks[..., SPEED], weights, network.rest)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            steps += 1
            follow(average, network, steps, options.average)
            total, batches = total + loss.item(), batches + 1  # also waits for the device
            spent += time.monotonic() - began
            if batches % 50 == 0 and device.type == "cpu":
                print(f"  epoch {epoch} batch {batches} loss {total / batches:.4f} {spent / 60:.1f} min", flush=True)
            if spent >= budget:
                break
        if batches == 0:
            raise SystemExit(f"{options.data} has fewer than {segments} segments of {length} moments; add data or reduce --batch or --segment.")
        if spent < min(budget, validated + VALIDATE_EVERY_S):
            continue
        validated = spent
        figures = validate(average, validation, geometry, layout)
        print(f"epoch {epoch} {spent / 60:.1f} min, {training.moments} moments, loss {total / batches:.4f} "
              + " ".join(f"{name} {value:.3g}" for name, value in sorted(figures.items())), flush=True)
        if figures["mpjpe_pelvis_aligned_mm"] < best:
            best = figures["mpjpe_pelvis_aligned_mm"]
            metadata = {"model_version": options.version, "geometry": str(geometry).lower(),
                        "validation": json.dumps(figures), "seed": str(options.seed)}
            save_file(exported(calibrated(average, validation, geometry, layout)), str(options.out / f"{options.version}.safetensors"), metadata)
        torch.save({"network": network.state_dict(), "average": average.state_dict(), "optimizer": optimizer.state_dict(),
                    "spent": spent, "epoch": epoch, "steps": steps, "best": best}, checkpoint)


if __name__ == "__main__":
    main()
