"""Writes the network as ONNX, for one moment with any number of persons and tokens, to compare with other runtimes.

    python sim/training/export.py WEIGHTS.safetensors OUT.onnx

Inputs: tokens [person, token, value], mask [person, token], tracks [person, value], memory [person, value]; outputs:
values [person, OUTPUTS] and next_memory, as forward() of core/pose/network.ts has them.
"""
import sys

import torch
from model import MEMORY_SIZE, QUERIES, TOKEN_WIDTH
from reference import imported
from torch import Tensor, nn

# The first version with Gelu as one operator; with older ones a runtime has to recognise it in its parts.
OPSET = 20


class Moment(nn.Module):
    """The network without its time axis."""

    def __init__(self, network: nn.Module):
        super().__init__()
        self.network = network

    def forward(self, tokens: Tensor, mask: Tensor, tracks: Tensor, memory: Tensor):
        values, last = self.network(tokens.unsqueeze(1), mask.unsqueeze(1), tracks.unsqueeze(1), memory.unsqueeze(0))
        return values.squeeze(1), last.squeeze(0)


def main():
    network = imported(sys.argv[1])
    persons, tokens = 2, 3
    token_size, track_size = network.token[0].in_features, network.body.in_features - QUERIES * TOKEN_WIDTH
    example = (torch.randn(persons, tokens, token_size), torch.ones(persons, tokens), torch.randn(persons, track_size),
               torch.zeros(persons, MEMORY_SIZE))
    person, token = {0: "persons"}, {0: "persons", 1: "tokens"}
    # The newer exporter needs one more package and gives the same operators.
    torch.onnx.export(
        Moment(network).eval(), example, sys.argv[2], dynamo=False, opset_version=OPSET,
        input_names=["tokens", "mask", "tracks", "memory"], output_names=["values", "next_memory"],
        dynamic_axes={"tokens": token, "mask": token, "tracks": person, "memory": person, "values": person,
                      "next_memory": person})


if __name__ == "__main__":
    main()
