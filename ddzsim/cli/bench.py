"""`ddzsim bench`: how fast each bot is here, and whether it plays here as elsewhere."""

from __future__ import annotations

import click

from ddzsim.cli.options import json_option, print_json
from ddzsim.cli.progress import compiling, load_kernels


@click.command(short_help="Measure how fast each bot plays.")
@click.argument("bots", nargs=-1, metavar="[BOT]...")
@json_option
def bench(bots: tuple[str, ...], as_json: bool) -> None:
    """Measure the speed of bots, and sign their choices; all bots if none is named.

    Speed is rounds a CPU second, in one compiled process, the median of five. The signature is the
    same on every machine.

    \b
    Example:
        ddzsim bench normal hard
    """
    load_kernels()
    from ddzsim.bench import measure, signature
    from ddzsim.bots.seats import BOTS, Seat

    names = bots or tuple(BOTS)
    seats = [Seat.parse(name) for name in names]
    results = []
    for name, seat in zip(names, seats, strict=True):
        with compiling(seat.bot.name):
            choices = signature(name)
        speed = measure(name)
        results.append(
            {"bot": name, "rounds_per_cpu_second": round(speed, 1), "signature": choices}
        )
        if not as_json:
            click.echo(f"{name:<12}  {speed:>10,.0f} rounds a CPU second  choices {choices}")
    if as_json:
        print_json(results)
