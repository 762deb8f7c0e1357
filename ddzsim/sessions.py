"""What came out of sessions, from their tally: as numbers, and as lines of text."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ddzsim.engine.config import RunConfig
from ddzsim.schema import ENDINGS
from ddzsim.stats import SessionTally, mean_interval, wilson

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)

ENDING_TEXTS = {"hands": "after all hands", "ruin": "by ruin", "exit": "by an exit"}


def sessions_facts(tally: SessionTally, config: RunConfig) -> dict[str, Any]:
    """The numbers of the sessions of a run, as JSON values; empty in a run of single rounds.

    Players are the bots in the order they are named: seats, unless the run is mirrored, where they
    change places. Means and their intervals of 95 % are over blocks: the sessions that have the
    same deals. A tie counts as equal parts of a session won.
    """
    if config.session is None:
        return {}
    players = [_player(tally, config, player) for player in range(config.ruleset.players)]
    return {
        "sessions": tally.sessions,
        "blocks": tally.blocks,
        "mirror": config.session.mirror,
        "ended": dict(zip(ENDINGS, tally.ended.tolist(), strict=True)),
        "rounds_a_session": _mean(tally.lengths, 0, tally.blocks),
        "ties": tally.ties,
        "even_share": 1 / config.ruleset.players,
        "same_bots": len(set(config.seats)) == 1,
        "table_stakes": config.table_stakes,
        "players": players,
        "share_by_seat": [
            _mean(tally.seat_shares, seat, tally.blocks) for seat in range(config.ruleset.players)
        ],
    }


def _player(tally: SessionTally, config: RunConfig, player: int) -> dict[str, Any]:
    """What came out for a player."""
    ruins = int(tally.ruined[player])
    share = _mean(tally.ruins, player, tally.blocks)["mean"]
    # Sessions of a block have the same deals and are no trials of their own. A block's mean varies
    # no more than one trial does, so blocks in their place are on the safe side.
    interval = wilson(share * tally.blocks, tally.blocks)
    return {
        "bot": str(config.seats[player]),
        "share": _mean(tally.shares, player, tally.blocks),
        "won_alone": int(tally.alone[player]),
        "total": _mean(tally.points, player, tally.blocks)
        | {"quantiles": {str(share): tally.quantile(player, share) for share in QUANTILES}},
        "ruin": {"sessions": ruins, "share": share, "interval": list(interval)},
        "exits": int(tally.left[player]),
    }


def sessions_lines(numbers: dict[str, Any]) -> list[tuple[str, str]]:
    """The sessions of a run for people: labels and texts; none in a run of single rounds."""
    if "sessions" not in numbers:
        return []
    count, length = numbers["sessions"], numbers["rounds_a_session"]
    ended = (
        f"{ended:,} {ENDING_TEXTS[ending]}" for ending, ended in numbers["ended"].items() if ended
    )
    lines = [
        ("Sessions ended", ", ".join(ended)),
        ("Rounds a session", f"{length['mean']:.2f}{spread(length['half_width'], 2)} on average"),
    ]
    lines += _by_player("Sessions won", numbers, lambda player: _share_text(player["share"]))
    lines += [
        ("", f"ties are split: {numbers['ties']:,} of {count:,} sessions"),
        ("Equal players", _even_text(numbers)),
    ]
    if numbers["mirror"]:
        shares = (
            f"seat {seat} {_share_text(share)}"
            for seat, share in enumerate(numbers["share_by_seat"])
        )
        lines.append(("Won by place", ", ".join(shares)))
    lines += _by_player("Total", numbers, _total_text)
    lines.append(("", "in brackets: 5, 25, 50, 75 and 95 % of the sessions end at or below"))
    if numbers["table_stakes"]:
        lines += _by_player("Ruin", numbers, _ruin_text)
    if numbers["ended"]["exit"]:
        lines += _by_player("Exits", numbers, lambda player: f"{player['exits']:,}")
    return lines


def _by_player(label: str, numbers: dict[str, Any], text: Any) -> list[tuple[str, str]]:
    """A line for each player."""
    who = "player" if numbers["mirror"] else "seat"
    return [
        (label if number == 0 else "", f"{who} {number}  {text(player)}  {player['bot']}")
        for number, player in enumerate(numbers["players"])
    ]


def _even_text(numbers: dict[str, Any]) -> str:
    """What the shares are to be held against."""
    even = f"{100 * numbers['even_share']:.1f} %"
    if numbers["mirror"]:
        return f"{even} each: every player had every place on the same deals"
    if numbers["same_bots"]:
        return f"{even} each, but for what a place is worth"
    return f"{even} each, but for what a place is worth; --mirror takes that out"


def _share_text(share: dict[str, Any]) -> str:
    half = share["half_width"]
    return f"{100 * share['mean']:.1f}{spread(None if half is None else 100 * half, 1)} %"


def _total_text(player: dict[str, Any]) -> str:
    total = player["total"]
    quantiles = "  ".join(f"{value:+,g}" for value in total["quantiles"].values())
    return f"{total['mean']:+,.2f}{spread(total['half_width'], 2)}  [{quantiles}]"


def _ruin_text(player: dict[str, Any]) -> str:
    ruin = player["ruin"]
    low, high = (100 * end for end in ruin["interval"])
    return f"{100 * ruin['share']:.1f} % ({low:.1f} to {high:.1f})"


def spread(half: float | None, places: int) -> str:
    """The half width of an interval, where there is one."""
    return "" if half is None else f" ± {half:.{places}f}"


def estimate(total: float, squares: float, count: int) -> dict[str, Any]:
    """A mean and the half width of its interval, None with fewer than two, as JSON values."""
    mean, half = mean_interval(total, squares, count)
    return {"mean": mean, "half_width": half if count > 1 else None}


def _mean(moments: npt.NDArray[np.float64], column: int, blocks: int) -> dict[str, Any]:
    """The mean over blocks."""
    total, squares = moments[:, column].tolist()
    return estimate(total, squares, blocks)
