"""Draw the README's picture from a run: how often a landlord wins, by what it was dealt.

ddzsim run --games 200000 --seed 7 --bots hard --force-landlord rotate --out runs/forced
python docs/img/big_cards.py runs/forced
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import ddzsim as dz
from ddzsim.stats import wilson

LEAST_ROUNDS = 200
"""Hands rarer than this are left out: their intervals span the picture."""

STYLES = {"no bomb": ("#0072B2", "o"), "a bomb or more": ("#D55E00", "s")}
"""Blue and vermilion, told apart by every kind of colour vision, and by the marker in print."""


def of_landlord(rounds: pd.DataFrame, name: str) -> np.ndarray:
    """A column that is there by seat, as it is for the landlord."""
    by_seat = rounds[[f"{name}_0", f"{name}_1", f"{name}_2"]].to_numpy()
    return by_seat[np.arange(len(rounds)), rounds["landlord"]]


def shares(rounds: pd.DataFrame) -> pd.DataFrame:
    """Rounds, wins and the interval of the share, by the landlord's big cards and bombs."""
    bombs = np.where(of_landlord(rounds, "fours") > 0, "a bomb or more", "no bomb")
    won = (rounds["side"] == "landlord").groupby([bombs, of_landlord(rounds, "big")])
    table = won.agg(["size", "sum", "mean"])
    table = table[table["size"] >= LEAST_ROUNDS]
    ends = [wilson(wins, count) for count, wins in zip(table["size"], table["sum"], strict=True)]
    table["low"], table["high"] = zip(*ends, strict=True)
    return 100 * table[["mean", "low", "high"]]


def draw(table: pd.DataFrame, count: int, target: Path) -> None:
    """Draw the shares with their intervals."""
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    axes.axhline(50, color="0.6", linewidth=1)
    for label, (colour, marker) in STYLES.items():
        line = table.loc[label]
        reach = [line["mean"] - line["low"], line["high"] - line["mean"]]
        axes.errorbar(
            line.index, line["mean"], reach, color=colour, marker=marker, capsize=3, label=label
        )
    axes.set_title("Two big cards, or one and a bomb, and the landlord wins more than half")
    axes.set_xlabel("big cards (jokers and 2s) among the landlord's 17, before the kitty")
    axes.set_ylabel("rounds won by the landlord, %")
    axes.set_ylim(0, 100)
    axes.legend(title=f"{count:,} rounds, bars of 95 %", frameon=False, loc="lower right")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(target, dpi=120)


if __name__ == "__main__":
    played = dz.read_run(sys.argv[1]).pandas()
    draw(shares(played), len(played), Path(__file__).with_suffix(".png"))
