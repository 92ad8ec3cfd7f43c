"""Interpolates between the weights of a network and those after further training, which keeps more of the first network's accuracy.

    python sim/training/mix.py BEFORE.safetensors AFTER.safetensors OUT.safetensors DATA --share 0.7 --head 0.4 --version NAME

Sigmas and confidences are then calibrated on the validation seeds of the data folder.
"""
import argparse
import json
from pathlib import Path

import torch
from data import Folder
from model import exported
from reference import imported
from safetensors.torch import save_file
from validation import calibrated


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("out")
    parser.add_argument("data", type=Path)
    parser.add_argument("--share", type=float, default=0.7, help="share of the later weights")
    parser.add_argument("--head", type=float, default=0.4, help="their share in the last layers and the evidence")
    parser.add_argument("--version", required=True)
    options = parser.parse_args()
    network, later = imported(options.before), imported(options.after).state_dict()
    mixed = {name: torch.lerp(value, later[name], options.head if name.startswith(("head.", "evidence.")) else options.share)
             for name, value in network.state_dict().items()}
    network.load_state_dict(mixed)
    layout = json.loads((options.data / "layout.json").read_text())
    validation = Folder(options.data, *layout["validationSeeds"], torch.device("cpu"))
    save_file(exported(calibrated(network, validation, True, layout)), options.out, {"model_version": options.version, "geometry": "true"})


if __name__ == "__main__":
    main()
