"""What came out of a run, from its tally: as numbers, and as a page of text."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from typing import Any

from ddzsim.deals import deal_codes
from ddzsim.engine.config import EACH, RunConfig
from ddzsim.engine.dataset import read_run
from ddzsim.sessions import estimate, sessions_facts, sessions_lines, spread
from ddzsim.stats import BIDS, LEGS, Tally, wilson

FREQUENCIES = ("bombs", "rockets", "springs", "anti_springs")
"""What the summary counts in 100 rounds."""

LABEL_WIDTH = 18

DEFAULT_BOT, DEFAULT_RULES = "normal", "classic"
"""What `replay` plays unless it is told otherwise."""


def facts(tally: Tally, config: RunConfig) -> dict[str, Any]:
    """The numbers of a run, as JSON values.

    Shares are of the rounds that had a landlord; frequencies, turns and points are of all rounds,
    the passed-out ones included. Intervals are of 95 %; None where there are too few rounds.
    """
    sessions = sessions_facts(tally.sessions, config)
    independent = config.group == 1
    return sessions | {
        "rounds": tally.rounds,
        "seats": [str(seat) for seat in config.seats],
        "rules": config.ruleset.name,
        "seed": config.seed,
        "first": config.first,
        "force_landlord": config.force_landlord,
        "passed_out": tally.passed_out,
        "redeals": tally.redeals,
        "landlord": _share(int(tally.landlord_wins.sum()), tally.played, independent),
        "by_bid": {
            str(bid): _share(int(tally.wins_by_bid[bid]), int(tally.by_bid[bid]), independent)
            for bid in range(1, BIDS)
        },
        "legs": _legs(tally) if config.ruleset.doubling else None,
        "multiplier": _ratio(tally.multipliers, tally.played),
        "per_100_rounds": {
            name: _ratio(100 * getattr(tally, name), tally.rounds) for name in FREQUENCIES
        },
        "turns": _ratio(tally.turns, tally.rounds),
        "points": []
        if config.session or config.group > 1
        else [_points(tally, seat) for seat in range(config.ruleset.players)],
        "faults": tally.faults,
    }


def summarise(tally: Tally, config: RunConfig) -> str:
    """The summary of a run, for people."""
    numbers = facts(tally, config)
    counts = numbers["per_100_rounds"]
    lines = [
        heading(config),
        _line("Seats", _seats_text(numbers["seats"])),
        "",
        *(_line(label, text) for label, text in sessions_lines(numbers)),
        _line("Landlord wins", _share_text(numbers["landlord"])),
        *_bid_lines(numbers, config),
        *_leg_lines(numbers["legs"]),
        _line(
            "Passed out",
            f"{tally.passed_out:,} of {tally.rounds:,} rounds; {tally.redeals:,} redeals",
        ),
        _line(
            "Multiplier",
            "none" if numbers["multiplier"] is None else f"{numbers['multiplier']:.2f} on average",
        ),
        _line(
            "In 100 rounds",
            ", ".join(f"{counts[name]:.1f} {name.replace('_', '-')}" for name in FREQUENCIES),
        ),
        _line("Turns a round", f"{numbers['turns']:.1f}, passes counted"),
        *_point_lines(numbers),
        _line(
            "Faults",
            f"{tally.faults:,} answers of bots that the rules do not allow"
            if tally.faults
            else "none",
        ),
    ]
    return "\n".join(lines)


def speed_line(rounds: int, seconds: float, workers: int) -> str:
    """How fast the rounds that were played now went by, on so many workers or a cluster (0)."""
    if not rounds:
        return _line("Speed", "no round was left to play")
    rate = rounds / max(seconds, 1e-9)
    where = plural(workers, "worker") if workers else "a Dask cluster"
    return _line("Speed", f"{rate:,.0f} rounds a second ({seconds:.1f} s, {where})")


def unfinished(tally: Tally, config: RunConfig, place: str) -> str:
    """How much of a run is there, and how to go on with it."""
    there = f"{tally.games:,} of {config.games:,} {noun_of(config)}s are there"
    return _line("Unfinished", f"{there}, to go on: {resume_command(place, config)}")


def resume_command(place: str, config: RunConfig) -> str:
    """What goes on with a run."""
    return f"ddzsim {command_of(config)} --resume --out {shlex.quote(place)}"


def command_of(config: RunConfig) -> str:
    """The command that plays such a run."""
    if config.session:
        return "session"
    return "counterfactual" if config.force_landlord == EACH else "run"


def noun_of(config: RunConfig) -> str:
    """What a run consists of."""
    return "session" if config.session else "round"


def how_to_read(place: str, config: RunConfig) -> str:
    """Where a run is, and what to do with it next."""
    quoted = shlex.quote(place)
    run = read_run(place)
    columns = ["deal", "deal_high"]
    low, high = (next(run.tables(columns=columns))[name][:1].to_numpy() for name in columns)
    return "\n".join(
        [
            _line("Run", f"{place}  (id {config.run_id})"),
            _line("Check it", f"ddzsim verify {quoted}"),
            _line(
                "Its first round",
                f"ddzsim replay {deal_codes(low, high)[0]}{_replay_options(config)}",
            ),
            _line("In a notebook", f"ddzsim.read_run({place!r}).pandas()"),
        ]
    )


def facts_of_plan(config: RunConfig) -> dict[str, Any]:
    """What a run will be, as JSON values."""
    return {
        "run": config.run_id,
        f"{noun_of(config)}s": config.games,
        "seats": [str(seat) for seat in config.seats],
        "rules": config.ruleset.name,
        "seed": config.seed,
        "first": config.first,
        "force_landlord": config.force_landlord,
        "log": config.log,
        "parts": config.parts,
        "part_rounds": config.part_rounds,
    } | ({"terms": asdict(config.session)} if config.session else {})


def plan_text(config: RunConfig, plan: dict[str, Any]) -> str:
    """What a run will be, for people; `plan` has what remains to be played, where and how large."""
    megabytes = plan["expected_bytes"] / 1e6
    tables = " and ".join(config.tables)
    parts = f"{plural(plan['parts_to_play'], 'part')} to play of {plan['parts']}"
    sources = (
        f"{name} {source}" for name, source in plan["sources"].items() if source != "default"
    )
    return "\n".join(
        [
            heading(config),
            _line("Seats", _seats_text(plan["seats"])),
            _line(
                "Parts",
                f"{parts}, {config.part_games:,} {noun_of(config)}s each, "
                f"on {plural(plan['workers'], 'worker') if plan['workers'] else 'a Dask cluster'}",
            ),
            _line("Log", f"{tables}, about {megabytes:,.1f} MB"),
            _line("Run", f"{plan['out']}  (id {config.run_id})"),
            _line("Not by default", ", ".join(sources) or "nothing"),
            "Nothing was played or written.",
        ]
    )


def heading(config: RunConfig) -> str:
    """What is played, in one line."""
    noun = noun_of(config)
    start = f" from {noun} {config.first:,}" if config.first else ""
    each = f" of {plural(config.session.hands, 'hand')}" if config.session else ""
    games = f"{plural(config.games, noun)}{each}{start}"
    return f"{games} · rules {config.ruleset} · seed {config.seed} · {_landlord_by(config)}"


def plural(count: int, noun: str) -> str:
    """A count with its noun: `1 round`, `2,000 rounds`.

    >>> plural(1, "round"), plural(2000, "round")
    ('1 round', '2,000 rounds')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _landlord_by(config: RunConfig) -> str:
    """How the landlord is found."""
    if config.force_landlord == "rotate":
        return "the seats are landlord in turn"
    if config.force_landlord == EACH:
        return "each deal once for each seat as the landlord"
    if config.force_landlord != "off":
        return f"seat {config.force_landlord} is always landlord"
    if config.ruleset.auction == "none":
        return "the first seat is landlord, no auction"
    return "landlord by auction"


def _seats_text(seats: list[str]) -> str:
    return ", ".join(f"{seat} {name}" for seat, name in enumerate(seats))


def _replay_options(config: RunConfig) -> str:
    """The options with which `replay` plays the first round of a run."""
    options = ""
    if len(set(config.seats)) > 1 or str(config.seats[0]) != DEFAULT_BOT:
        options += f" --bots {shlex.quote(config.bots)}"
    if config.rules != DEFAULT_RULES:
        options += f" --rules {config.rules}"
    options += "".join(
        f" --set {shlex.quote(f'{name}={value}')}" for name, value in config.overrides
    )
    landlord = config.landlord_of(config.first)
    return options if landlord is None else f"{options} --force-landlord {landlord}"


def _bid_lines(numbers: dict[str, Any], config: RunConfig) -> list[str]:
    """The landlord's share by bid; nothing where there is no auction."""
    if config.force_landlord != "off" or config.ruleset.auction == "none":
        return []
    return [
        _line(f"  at a bid of {bid}", _share_text(share))
        for bid, share in numbers["by_bid"].items()
    ]


def _legs(tally: Tally) -> dict[str, Any]:
    """What came of the peasants' legs, by what they multiply the stake by (R3.5)."""
    total = int(tally.legs.sum())
    return {
        str(leg): {
            "legs": int(tally.legs[leg]),
            "share": _ratio(int(tally.legs[leg]), total),
            "peasants_win": _ratio(int(tally.legs_won[leg]), int(tally.legs[leg])),
            "peasants_points": _ratio(int(tally.leg_points[leg]), int(tally.legs[leg])),
        }
        for leg in LEGS
    }


def _leg_lines(legs: dict[str, Any] | None) -> list[str]:
    """The peasants' legs, a line for each factor; nothing where the rules have no doubling."""
    lines = []
    for leg, numbers in (legs or {}).items():
        text = "no such leg"
        if numbers["legs"]:
            text = (
                f"{100 * numbers['share']:.1f} % of legs, {100 * numbers['peasants_win']:.1f} % "
                f"won by peasants, {numbers['peasants_points']:+.2f} points each"
            )
        lines.append(_line(f"Legs at × {leg}", text))
    return lines


def _point_lines(numbers: dict[str, Any]) -> list[str]:
    """The points of each seat."""
    lines = []
    for seat, (name, points) in enumerate(zip(numbers["seats"], numbers["points"], strict=False)):
        mean = f"{points['mean']:+.2f}{spread(points['half_width'], 2)}"
        label = "Points a round" if seat == 0 else ""
        lines.append(_line(label, f"seat {seat}  {mean}  {name}"))
    return lines


def _line(label: str, text: str) -> str:
    return f"{label:<{LABEL_WIDTH}}{text}"


def _share(wins: int, rounds: int, independent: bool) -> dict[str, Any]:
    """A share of rounds won, with its interval; none where several rounds have one deal."""
    low, high = wilson(wins, rounds)
    interval = [low, high] if rounds and independent else None
    return {"rounds": rounds, "wins": wins, "share": _ratio(wins, rounds), "interval": interval}


def _share_text(share: dict[str, Any]) -> str:
    if not share["rounds"]:
        return "no such round"
    won = f"{100 * share['share']:.1f} %"
    if share["interval"] is not None:
        low, high = (f"{100 * end:.1f}" for end in share["interval"])
        won += f" ({low} to {high})"
    return f"{won:<24}of {plural(share['rounds'], 'round')}"


def _points(tally: Tally, seat: int) -> dict[str, Any]:
    """A seat's points a round."""
    return estimate(float(tally.score[seat]), float(tally.score_squares[seat]), tally.rounds)


def _ratio(total: int, count: int) -> float | None:
    return total / count if count else None
