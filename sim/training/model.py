"""The pose network in PyTorch: the same layers, names and order of inputs as core/pose/network.ts.

Shapes: tokens [batch, time, token, value], mask [batch, time, token], tracks [batch, time, value].
"""
import torch
from posture import PARTS
from torch import Tensor, nn
from torch.nn.functional import gelu

JOINTS = 17
ACTIVITIES = 5
TRACK_SIZE = 10
TOKEN_WIDTH = 128
HEADS = 4
QUERIES = 4
BODY_WIDTH = 192
GAIT_WIDTH = 96
MEMORY_SIZE = BODY_WIDTH + GAIT_WIDTH
OUTPUTS = 5 * JOINTS + ACTIVITIES
# Sigmas relative to the pelvis, and the parts of the body that may be observed.
EVIDENCE_OUTPUTS = JOINTS + len(PARTS)

# As in core/pose/velocity-agreement.ts: the first spectrum of a token, the position of its path shortening, and the candidate velocities.
BINS, STEP_MPS = 23, 0.38
SHORTENING_AT = 150
AGREEMENT_MEAN, AGREEMENT_SIGMA = 1.4, 0.45
VELOCITIES = torch.cartesian_prod(0.25 * torch.arange(-2, 3), 0.12 * torch.arange(-6, 7))


def activate(x: Tensor) -> Tensor:
    return gelu(x, approximate="tanh")


@torch.no_grad()
def velocity_agreement(tokens: Tensor, mask: Tensor, tracks: Tensor) -> Tensor:
    """Agreement of the links on velocities near the tracked one [batch, time, velocity]: core/pose/velocity-agreement.ts."""
    power = torch.exp(4 * (tokens[..., :BINS] - 1))
    level = torch.log1p(power / power.mean(-1, keepdim=True))
    shortening = tokens[..., SHORTENING_AT:SHORTENING_AT + 2]
    velocities = tracks[..., None, :2] + VELOCITIES.to(tracks)
    place = shortening @ velocities.transpose(-1, -2) / STEP_MPS + BINS // 2
    low = place.floor().clamp(0, BINS - 2)
    part = (place - low).clamp(0, 1)
    low = low.long()
    found = torch.gather(level, -1, low) * (1 - part) + torch.gather(level, -1, low + 1) * part
    present = mask.unsqueeze(-1)
    return ((found * present).sum(-2) / present.sum(-2).clamp(min=1) - AGREEMENT_MEAN) / AGREEMENT_SIGMA


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
        self.gait = nn.Linear(len(VELOCITIES) + track_size, GAIT_WIDTH)
        self.stride = nn.GRU(GAIT_WIDTH, GAIT_WIDTH, batch_first=True)
        self.head = nn.ModuleList([nn.Linear(BODY_WIDTH + MEMORY_SIZE, BODY_WIDTH), nn.Linear(BODY_WIDTH, OUTPUTS)])
        self.evidence = nn.Linear(BODY_WIDTH, EVIDENCE_OUTPUTS)
        nn.init.zeros_(self.evidence.weight)
        nn.init.zeros_(self.evidence.bias)
        # Joints of each activity about a trunk of length 1, from the training data.
        self.register_buffer("rest", torch.zeros(ACTIVITIES, JOINTS, 3))
        # Used in training only: the keypoints of a walker from the gait memory alone.
        self.walker = nn.Linear(GAIT_WIDTH, 3 * JOINTS)

    def forward(self, tokens: Tensor, mask: Tensor, tracks: Tensor, memory: Tensor | None = None):
        """Returns the outputs [batch, time, OUTPUTS + EVIDENCE_OUTPUTS] and the memory after the last moment [1, batch, MEMORY_SIZE]."""
        return self.moments(tokens, mask, tracks, memory)[:2]

    def moments(self, tokens: Tensor, mask: Tensor, tracks: Tensor, memory: Tensor | None = None):
        """The results of forward(), and the walker's keypoints from the gait memory [batch, time, JOINTS, 3], relative to the pelvis."""
        present = mask.unsqueeze(-1)
        z = self.drop(activate(self.token[1](activate(self.token[0](tokens)))))
        mean = (z * present).sum(-2, keepdim=True) / present.sum(-2, keepdim=True).clamp(min=1)
        z = z + activate(self.exchange(torch.cat([z, mean.expand_as(z)], -1)))
        pooled = self.pool(self.keys(z), self.values(z), mask)
        body = self.drop(activate(self.body(torch.cat([pooled, tracks], -1))))
        gait = self.drop(activate(self.gait(torch.cat([velocity_agreement(tokens, mask, tracks), tracks], -1))))
        before = (None, None) if memory is None else (m.contiguous() for m in memory.split([BODY_WIDTH, GAIT_WIDTH], -1))
        (remembered, last), (stride, last_stride) = (unit(x, m) for unit, x, m in zip((self.memory, self.stride), (body, gait), before))
        shared = activate(self.head[0](self.drop(torch.cat([body, remembered, stride], -1))))
        outputs = torch.cat([self.head[1](shared), self.evidence(shared)], -1)
        return outputs, torch.cat([last, last_stride], -1), self.walker(self.drop(stride)).unflatten(-1, (JOINTS, 3))

    def pool(self, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
        shape = (*keys.shape[:-1], HEADS, TOKEN_WIDTH // HEADS)
        scores = torch.einsum("qhw,btlhw->btqhl", self.queries, keys.view(shape)) / (TOKEN_WIDTH // HEADS) ** 0.5
        absent = (mask == 0)[:, :, None, None, :]
        # A moment without tokens pools to zeros.
        weights = scores.masked_fill(absent, -1e9).softmax(-1) * ~absent
        return torch.einsum("btqhl,btlhw->btqhw", weights, values.view(shape)).flatten(2)


# Names of PyTorch's recurrent weights in the service.
MEMORY_NAMES = {f"{unit}.{part}_{theirs}_l0": f"{unit}.{ours}.{part}" for unit in ("memory", "stride")
                for theirs, ours in (("ih", "input"), ("hh", "hidden")) for part in ("weight", "bias")}
# Weights that the service does not use.
TRAINING_ONLY = "walker."
# Weights that some files lack: those for training, and those of the evidence in files before wavepose-8.
NOT_IN_ALL = (TRAINING_ONLY, "evidence.", "rest")


def exported(network: PoseNetwork) -> dict[str, Tensor]:
    """The weights under the names that core/pose/network.ts reads."""
    return {MEMORY_NAMES.get(name, name): value.detach().contiguous().float()
            for name, value in network.state_dict().items() if not name.startswith(TRAINING_ONLY)}


def split(outputs: Tensor):
    """Keypoints, their log sigmas in the room, logits of confidence and activities, log sigmas about the pelvis, and logits of evidence."""
    keypoints = outputs[..., :3 * JOINTS].unflatten(-1, (JOINTS, 3))
    log_sigmas = outputs[..., 3 * JOINTS:4 * JOINTS].clamp(-5, 1)
    relative = outputs[..., OUTPUTS:OUTPUTS + JOINTS].clamp(-5, 1)
    return keypoints, log_sigmas, outputs[..., 4 * JOINTS:5 * JOINTS], outputs[..., 5 * JOINTS:OUTPUTS], relative, outputs[..., OUTPUTS + JOINTS:]
