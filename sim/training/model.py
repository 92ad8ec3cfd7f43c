"""The pose network in PyTorch: the same layers, names and order of inputs as core/pose/network.ts.

Shapes: tokens [batch, time, token, value], mask [batch, time, token], tracks [batch, time, value].
"""
import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

JOINTS = 17
ACTIVITIES = 5
TOKEN_WIDTH = 128
HEADS = 4
QUERIES = 4
BODY_WIDTH = 192
OUTPUTS = 5 * JOINTS + ACTIVITIES


def activate(x: Tensor) -> Tensor:
    return gelu(x, approximate="tanh")


class PoseNetwork(nn.Module):
    def __init__(self, token_size: int, track_size: int, dropout: float = 0.0):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        width = TOKEN_WIDTH
        self.token = nn.ModuleList([nn.Linear(token_size, width), nn.Linear(width, width)])
        self.exchange = nn.Linear(2 * width, width)
        self.keys = nn.Linear(width, width)
        self.values = nn.Linear(width, width)
        self.queries = nn.Parameter(torch.randn(QUERIES, HEADS, width // HEADS))
        self.body = nn.Linear(QUERIES * width + track_size, BODY_WIDTH)
        self.memory = nn.GRU(BODY_WIDTH, BODY_WIDTH, batch_first=True)
        self.head = nn.ModuleList([nn.Linear(2 * BODY_WIDTH, BODY_WIDTH), nn.Linear(BODY_WIDTH, OUTPUTS)])

    def forward(self, tokens: Tensor, mask: Tensor, tracks: Tensor, memory: Tensor | None = None):
        """Answers the outputs [batch, time, OUTPUTS] and the memory after the last moment [1, batch, BODY_WIDTH]."""
        present = mask.unsqueeze(-1)
        z = self.drop(activate(self.token[1](activate(self.token[0](tokens)))))
        mean = (z * present).sum(-2, keepdim=True) / present.sum(-2, keepdim=True).clamp(min=1)
        z = z + activate(self.exchange(torch.cat([z, mean.expand_as(z)], -1)))
        pooled = self.pool(self.keys(z), self.values(z), mask)
        body = self.drop(activate(self.body(torch.cat([pooled, tracks], -1))))
        remembered, last = self.memory(body, memory)
        return self.head[1](activate(self.head[0](self.drop(torch.cat([body, remembered], -1))))), last

    def pool(self, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
        shape = (*keys.shape[:-1], HEADS, TOKEN_WIDTH // HEADS)
        scores = torch.einsum("qhw,btlhw->btqhl", self.queries, keys.view(shape)) / (TOKEN_WIDTH // HEADS) ** 0.5
        absent = (mask == 0)[:, :, None, None, :]
        # A moment without any token pools to zeros.
        weights = scores.masked_fill(absent, -1e9).softmax(-1) * ~absent
        return torch.einsum("btqhl,btlhw->btqhw", weights, values.view(shape)).flatten(2)


# What the service calls the parts of PyTorch's unit.
MEMORY_NAMES = {"memory.weight_ih_l0": "memory.input.weight", "memory.bias_ih_l0": "memory.input.bias",
                "memory.weight_hh_l0": "memory.hidden.weight", "memory.bias_hh_l0": "memory.hidden.bias"}


def exported(network: PoseNetwork) -> dict[str, Tensor]:
    """The weights under the names that core/pose/network.ts reads."""
    return {MEMORY_NAMES.get(name, name): value.detach().contiguous().float() for name, value in network.state_dict().items()}
