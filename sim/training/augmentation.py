"""Batches as tensors, and their augmentation."""
import torch
from data import TURN
from torch import Tensor

MIRRORED = [0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15]


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
