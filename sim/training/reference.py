"""Writes PyTorch's outputs and drawn joints for fixed inputs, the reference for the test of the service's forward pass.

    python sim/training/reference.py WEIGHTS.safetensors OUT.safetensors
"""
import sys

import torch
from model import ACTIVITIES, JOINTS, MEMORY_NAMES, NOT_IN_ALL, QUERIES, TOKEN_WIDTH, TRACK_SIZE, PoseNetwork
from posture import PARTS, at_rest, drawn, lasting
from safetensors.torch import load_file, save_file
from torch.nn.functional import pad

PERSONS, MOMENTS, TOKENS = 2, 3, 6


def imported(path: str, dropout: float = 0.0) -> PoseNetwork:
    """The network with exported weights. Arrays that older files lack have initial values."""
    names = {ours: theirs for theirs, ours in MEMORY_NAMES.items()}
    weights = {names.get(name, name): value for name, value in load_file(path).items()}
    # Files before wavepose-9 do not use how far the heading turned.
    missing = TRACK_SIZE - (weights["body.weight"].shape[1] - QUERIES * TOKEN_WIDTH)
    for name in ("body.weight", "gait.weight"):
        weights[name] = pad(weights[name], (0, missing))
    network = PoseNetwork(weights["token.0.weight"].shape[1], TRACK_SIZE, dropout)
    network.load_state_dict({name: weights.get(name, value) if name.startswith(NOT_IN_ALL) else weights[name]
                             for name, value in network.state_dict().items()})
    return network.eval()


@torch.no_grad()
def main():
    network = imported(sys.argv[1])
    torch.manual_seed(1)
    token_size, track_size = network.token[0].in_features, network.body.in_features - QUERIES * TOKEN_WIDTH
    tokens = torch.randn(PERSONS, MOMENTS, TOKENS, token_size)
    mask = torch.ones(PERSONS, MOMENTS, TOKENS)
    mask[1, :, 4:] = 0
    mask[1, 2] = 0
    tracks = torch.randn(PERSONS, MOMENTS, track_size)
    outputs, memory = network(tokens, mask, tracks)
    # Random, because the weights of the file may state no evidence.
    joints, rests = torch.randn(1, MOMENTS, JOINTS, 3), torch.randn(ACTIVITIES, JOINTS, 3)
    activities, evidence = torch.randn(1, MOMENTS, ACTIVITIES), torch.randn(1, MOMENTS, len(PARTS))
    speeds = torch.tensor([[0.2, 0.5, 1.0]])
    shown = drawn(joints, at_rest(joints, activities.softmax(-1), rests), lasting(evidence), speeds)
    drawing = {"joints": joints, "rests": rests, "probabilities": activities.softmax(-1), "evidence": evidence, "speeds": speeds, "drawn": shown}
    save_file({**drawing, "tokens": tokens, "mask": mask, "tracks": tracks, "outputs": outputs.contiguous(),
               "memory": memory[0].contiguous()}, sys.argv[2])


if __name__ == "__main__":
    main()
