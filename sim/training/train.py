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
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from augmentation import augment, to_tensors
from data import SPEED, Folder
from losses import losses
from model import ACTIVITIES, JOINTS, PoseNetwork, exported
from posture import rests_of
from reference import imported
from safetensors.torch import save_file
from torch import Tensor
from validation import calibrated, validate

VALIDATION_SEQUENCES = 96
VALIDATE_EVERY_S = 60
EVIDENCE_RATE = 8
STRIDE_SHARE = 0.3


@dataclass
class Progress:
    """How far a run is: seconds of training, epochs, steps, and the best validation error in mm."""

    spent: float = 0.0
    epoch: int = 0
    steps: int = 0
    best: float = math.inf


@torch.no_grad()
def follow(average: PoseNetwork, network: PoseNetwork, steps: int, decay: float) -> None:
    """One step of the moving average of the weights, over fewer steps at the beginning."""
    share = 1 - min(decay, steps / (steps + 20))
    for mean, value in zip(average.parameters(), network.parameters()):
        mean.lerp_(value, share)


def parse_options():
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
    return parser.parse_args()


def class_weights_of(training: Folder) -> tuple[Tensor, Tensor]:
    """The moments of each activity, and the weights of their losses, so that rare ones count more."""
    frequencies = torch.bincount(training.arrays["activities"].long(), minlength=ACTIVITIES).float()
    weights = (frequencies.clamp(min=1) / frequencies.sum()) ** -0.5
    return frequencies, weights / weights.mean()


def begin_network(options, layout, training: Folder, device: torch.device) -> PoseNetwork:
    """A network whose first estimate is the mean body of the training, or the one to be trained further."""
    mean = training.arrays["keypoints"].mean(0)
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
    return network


def optimizer_of(network: PoseNetwork, options) -> torch.optim.Optimizer:
    # In further training, a new evidence layer has a higher rate than the trained layers.
    ahead = EVIDENCE_RATE if options.start is not None and network.evidence.weight.count_nonzero() == 0 else 1
    parts = [[value for name, value in network.named_parameters() if name.startswith("evidence.") == new] for new in (False, True)]
    return torch.optim.AdamW([{"params": parts[0], "ahead": 1}, {"params": parts[1], "ahead": ahead}], options.rate, weight_decay=options.decay)


class Run:
    """A run of the training: its data, networks and progress, which it saves and continues from."""

    def __init__(self, options):
        self.options = options
        self.geometry = not options.no_geometry
        self.layout = json.loads((options.data / "layout.json").read_text())
        self.device = torch.device(options.device)
        self.random = np.random.default_rng(options.seed)
        self.training = Folder(options.data, *self.layout["trainingSeeds"], self.device)
        self.validation = Folder(options.data, *self.layout["validationSeeds"], self.device, VALIDATION_SEQUENCES)
        frequencies, self.weights = class_weights_of(self.training)
        print(f"{len(self.training.lengths)} training sequences of {self.training.moments} moments, "
              f"{len(self.validation.lengths)} for validation; activities {frequencies.tolist()}", flush=True)
        self.network = begin_network(options, self.layout, self.training, self.device)
        self.optimizer = optimizer_of(self.network, options)
        self.average = copy.deepcopy(self.network)
        self.progress = Progress()
        self.budget = 60 * options.minutes
        options.out.mkdir(parents=True, exist_ok=True)
        self.checkpoint = options.out / "checkpoint.pt"

    def resume(self):
        if not self.checkpoint.exists():
            return
        state = torch.load(self.checkpoint, weights_only=True, map_location=self.device)
        for name in ("network", "average", "optimizer"):
            getattr(self, name).load_state_dict(state.pop(name))
        self.progress = Progress(**state)
        print(f"continuing after epoch {self.progress.epoch}, {self.progress.spent / 60:.0f} minutes", flush=True)

    def save(self):
        parts = {name: getattr(self, name).state_dict() for name in ("network", "average", "optimizer")}
        torch.save(parts | asdict(self.progress), self.checkpoint)

    def step(self, batch) -> float:
        """One step of the optimizer; returns the loss."""
        # One cycle over the training time: a rise for a twentieth of it, then a cosine decay.
        part = min(1.0, self.progress.spent / self.budget)
        rate = self.options.rate * min(1.0, part / 0.05 + 0.05) * (0.5 + 0.5 * math.cos(math.pi * part))
        for group in self.optimizer.param_groups:
            group["lr"] = max(rate, 1e-5) * group["ahead"]
        tokens, mask, tracks, keypoints, activities = to_tensors(batch, self.geometry, self.layout)
        tokens, mask, tracks, keypoints = augment(tokens, mask, tracks, keypoints, self.layout, self.options.noise)
        outputs, _, walker = self.network.moments(tokens, mask, tracks)
        loss = losses(outputs, walker, keypoints, activities, tracks[..., SPEED], self.weights, self.network.rest)
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        self.progress.steps += 1
        follow(self.average, self.network, self.progress.steps, self.options.average)
        return loss.item()  # also waits for the device

    def epoch(self) -> float:
        """One pass over the data, or what the time allows; returns the mean loss."""
        options, progress = self.options, self.progress
        progress.epoch += 1
        total, batches = 0.0, 0
        self.training.read_new()
        # In some epochs moments are left out, as the service leaves out hops when it lacks processor time.
        stride = int(self.random.integers(2, 5)) if self.random.uniform() < STRIDE_SHARE else 1
        length = int(self.random.choice(options.segment))
        # The same number of moments in a batch.
        segments = options.batch * max(options.segment) // length
        for batch in self.training.segments(length // stride, segments, self.random, stride):
            began = time.monotonic()
            total, batches = total + self.step(batch), batches + 1
            progress.spent += time.monotonic() - began
            if batches % 50 == 0 and self.device.type == "cpu":
                print(f"  epoch {progress.epoch} batch {batches} loss {total / batches:.4f} {progress.spent / 60:.1f} min", flush=True)
            if progress.spent >= self.budget:
                break
        if batches == 0:
            raise SystemExit(f"{options.data} has fewer than {segments} segments of {length} moments; add data or reduce --batch or --segment.")
        return total / batches

    def judge(self, loss: float):
        """Validates the average network, and writes it if it is the best so far."""
        options, progress = self.options, self.progress
        figures = validate(self.average, self.validation, self.geometry, self.layout)
        print(f"epoch {progress.epoch} {progress.spent / 60:.1f} min, {self.training.moments} moments, loss {loss:.4f} "
              + " ".join(f"{name} {value:.3g}" for name, value in sorted(figures.items())), flush=True)
        if figures["mpjpe_pelvis_aligned_mm"] < progress.best:
            progress.best = figures["mpjpe_pelvis_aligned_mm"]
            metadata = {"model_version": options.version, "geometry": str(self.geometry).lower(),
                        "validation": json.dumps(figures), "seed": str(options.seed)}
            network = calibrated(self.average, self.validation, self.geometry, self.layout)
            save_file(exported(network), str(options.out / f"{options.version}.safetensors"), metadata)
        self.save()

    def train(self):
        validated = -math.inf
        while self.progress.spent < self.budget:
            loss = self.epoch()
            if self.progress.spent < min(self.budget, validated + VALIDATE_EVERY_S):
                continue
            validated = self.progress.spent
            self.judge(loss)


def main():
    options = parse_options()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    torch.set_float32_matmul_precision("high")
    run = Run(options)
    run.resume()
    run.train()


if __name__ == "__main__":
    main()
