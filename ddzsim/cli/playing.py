"""What `run` and `session` share: options, the plan they make of them, and carrying it out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ddzsim.cli.interrupts import Stop, Stopped, stoppable
from ddzsim.cli.options import (
    BOTS_HELP,
    RULES_HELP,
    SET_HELP,
    F,
    json_option,
    overrides_of,
    print_json,
)
from ddzsim.cli.progress import RoundsProgress, compiling, load_kernels
from ddzsim.cli.settings import load_file, source_of
from ddzsim.errors import ConfigError, RunError

if TYPE_CHECKING:
    from ddzsim.engine.config import RunConfig
    from ddzsim.engine.run import Options
    from ddzsim.engine.stores import Store
    from ddzsim.stats import Tally

BROKEN_OFF = 1

SHARED = ("seed", "first", "bots", "rules", "overrides", "log")
"""The parameters of both commands that decide the result."""

CARRIED = ("workers", "dask", "out", "note")
"""Those that do not, and whose source `run.json` names too."""

FIELDS = {"sessions": "games", "deals": "games"}
"""The parameters that the configuration has by another name."""

IN_DEALS = ("games", "first")
"""The fields that are counted in deals where each is played several times."""

TERMS = ("hands", "chips", "stake", "quit_rate", "mirror")
"""The parameters that say what a session is."""


def setting(*names: str, variable: str, **about: Any) -> Callable[[F], F]:
    """An option that the environment may give too."""
    return click.option(*names, envvar=f"DDZSIM_{variable}", show_envvar=True, **about)


def shared_options(noun: str, rules: str) -> Callable[[F], F]:
    """The options of both commands; `noun`: what is played; `rules`: by which rules if not said."""
    options = (
        setting(
            "-s",
            "--seed",
            variable="SEED",
            type=int,
            help="Decides every card; drawn and recorded if not given.",
        ),
        setting(
            "--first",
            variable="FIRST",
            type=int,
            default=0,
            show_default=True,
            help=f"Number of the first {noun}, to split the {noun}s of a seed over machines.",
        ),
        setting(
            "-j",
            "--workers",
            variable="WORKERS",
            type=int,
            default=0,
            show_default=True,
            help="Worker processes; 0: one for each core, negative: leave that many cores free.",
        ),
        setting(
            "--dask",
            variable="DASK",
            metavar="ADDRESS",
            default="",
            help="Play on a Dask cluster: tcp://host:8786, a scheduler's .json file, or local:4.",
        ),
        setting(
            "-o",
            "--out",
            variable="OUT",
            metavar="PLACE",
            help="Run directory: a path, s3://bucket/run or gs://bucket/run.  "
            "[default: runs/<run id>]",
        ),
        click.option(
            "--resume",
            is_flag=True,
            help="Play what is missing of the run in --out, as its run.json has it.",
        ),
        click.option("--overwrite", is_flag=True, help="Replace the run in --out."),
        setting(
            "--bots",
            variable="BOTS",
            metavar="SEATS",
            default="normal",
            show_default=True,
            help=BOTS_HELP,
        ),
        setting(
            "--rules",
            variable="RULES",
            metavar="NAME",
            default=rules,
            show_default=True,
            help=RULES_HELP,
        ),
        setting(
            "--set",
            "overrides",
            variable="SET",
            metavar="FIELD=VALUE",
            multiple=True,
            help=SET_HELP,
        ),
        setting(
            "--log",
            variable="LOG",
            metavar="rounds|plays",
            default="rounds",
            show_default=True,
            help="Log a row for each round, or for each turn too.",
        ),
        setting("--note", variable="NOTE", default="", help="A text of yours for run.json."),
        setting(
            "--config",
            variable="CONFIG",
            type=click.Path(path_type=Path),
            is_eager=True,
            expose_value=False,
            callback=load_file,
            help="TOML file with values for the options above, by long name; flag and environment "
            "win.",
        ),
        click.option(
            "--dry-run",
            is_flag=True,
            help="Print what would be played, and play and write nothing.",
        ),
        json_option,
    )

    def add(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return add


@dataclass(frozen=True, slots=True)
class Kind:
    """Which command plays, and what it asks for."""

    command: str
    noun: str
    """What it plays: rounds or sessions."""
    configured: tuple[str, ...]
    """The parameters that decide the result."""


ROUNDS = Kind("run", "round", ("games", *SHARED, "force_landlord"))
DEALS = Kind("counterfactual", "round", ("deals", *SHARED))
SESSIONS = Kind("session", "session", ("sessions", *TERMS, *SHARED))


def carried_out(context: click.Context, kind: Kind, given: dict[str, Any]) -> None:
    """Play what a command line asks for, or say what it would be, and leave with its exit code."""
    dry_run, as_json = given.pop("dry_run"), given.pop("as_json")
    plan = _planned(context, kind, given)
    if dry_run:
        _print_plan(plan, as_json)
        return
    with stoppable() as stop:
        code = _carry_out(plan, stop, as_json)
    context.exit(code)


@dataclass(frozen=True, slots=True)
class Plan:
    """A run that is fully determined: what, where and how."""

    config: RunConfig
    options: Options
    store: Store
    kind: Kind
    resumed: bool

    def workers(self, parts: int) -> int:
        """How many workers play so many parts; 0 where a Dask cluster does."""
        from ddzsim.engine.executors import worker_count

        if self.options.dask:
            return 0
        return max(1, min(worker_count(self.options.workers), parts))

    @property
    def resume_line(self) -> str:
        """The command that goes on with it."""
        from ddzsim.summary import resume_command

        return resume_command(str(self.store), self.config)


def _planned(context: click.Context, kind: Kind, given: dict[str, Any]) -> Plan:
    """The run that the options, the environment, the file and the directory ask for."""
    load_kernels()
    from ddzsim.engine.config import draw_seed
    from ddzsim.engine.run import Options, default_place
    from ddzsim.engine.stores import store_at

    sources = {name: source_of(context, name) for name in (*kind.configured, *CARRIED)}
    values = {name: given[name] for name in kind.configured} | {
        "overrides": overrides_of(given["overrides"])
    }
    if given["dask"] and sources["workers"] != "default":
        raise ConfigError("--dask and --workers: one or the other")
    out = given["out"]
    resumed = given["resume"] and out is not None and _holds_run(out)
    if resumed:
        config = _resumed_config(out, kind, values, sources, given["note"])
    else:
        if values["seed"] is None:
            if given["resume"]:
                raise ConfigError(_nothing_to_resume(out))
            values["seed"] = draw_seed()
            sources["seed"] = "drawn"
        config = _new_config(values)
    options = Options(
        workers=given["workers"],
        dask=given["dask"],
        resume=given["resume"],
        overwrite=given["overwrite"],
        note=given["note"],
        sources=tuple(sources.items()),
        command=("ddzsim", *(context.obj or ())),
    )
    place = default_place(config) if out is None else out
    return Plan(config, options, store_at(place), kind, resumed)


def _new_config(values: dict[str, Any]) -> RunConfig:
    """The configuration of these parameters."""
    from ddzsim.engine.config import EACH, RunConfig, SessionTerms
    from ddzsim.rules import ruleset

    fields = {FIELDS.get(name, name): value for name, value in values.items() if name not in TERMS}
    if "sessions" in values:
        fields["session"] = SessionTerms(**{name: values[name] for name in TERMS})
    if "deals" in values:
        players = ruleset(fields["rules"]).override(dict(fields["overrides"])).players
        fields |= {name: players * fields[name] for name in IN_DEALS} | {"force_landlord": EACH}
    return RunConfig(**fields)


def _changed(config: RunConfig, name: str, value: Any) -> tuple[Any, RunConfig]:
    """What a configuration has for a parameter, and the one that has this value instead."""
    if name in TERMS:
        assert config.session is not None
        terms = replace(config.session, **{name: value})
        return getattr(config.session, name), replace(config, session=terms)
    from ddzsim.engine.config import EACH

    field = FIELDS.get(name, name)
    if config.force_landlord == EACH and field in IN_DEALS:
        held = getattr(config, field) // config.group
        return held, replace(config, **{field: config.group * value})
    return getattr(config, field), replace(config, **{field: value})


def _holds_run(out: str) -> bool:
    """Whether a place holds a run."""
    from ddzsim.engine.dataset import MANIFEST
    from ddzsim.engine.stores import store_at

    return MANIFEST in store_at(out).entries()


def _nothing_to_resume(out: str | None) -> str:
    if out is None:
        return "--resume: name the run's directory with --out, or its --seed"
    return f"{out} holds no run to resume; to start one there, give its --seed"


def _resumed_config(
    place: str, kind: Kind, values: dict[str, Any], sources: dict[str, str], note: str
) -> RunConfig:
    """The configuration of the run in a directory; what is given besides must agree with it."""
    from ddzsim.engine.dataset import read_run
    from ddzsim.summary import command_of, resume_command

    there = read_run(place)
    if (command := command_of(there.config)) != kind.command:
        raise ConfigError(
            f"{place} holds a run of `ddzsim {command}`; to go on: "
            f"{resume_command(place, there.config)}"
        )
    for name in kind.configured:
        if sources[name] == "default":
            continue
        held, changed = _changed(there.config, name, values[name])
        if changed.run_id != there.config.run_id:
            option = "--" + {"overrides": "set"}.get(name, name).replace("_", "-")
            raise ConfigError(
                f"{option} {_as_text(values[name])} ({sources[name]}): the run in {place} "
                f"has {_as_text(held)}; leave it out, or name another --out"
            )
    if sources["note"] != "default" and note != there.manifest.get("note"):
        raise ConfigError(f"--note {note!r}: the run in {place} has its note; leave it out")
    return there.config


def _as_text(value: Any) -> str:
    """An option's value as it is typed."""
    if isinstance(value, tuple):
        return " ".join(f"{name}={text}" for name, text in value) or "none"
    return str(value)


def _print_plan(plan: Plan, as_json: bool) -> None:
    """Say what would be played."""
    from ddzsim.engine.run import expected_bytes, parts_to_play
    from ddzsim.summary import facts_of_plan, plan_text

    parts = parts_to_play(plan.store, plan.config, plan.options)
    about = facts_of_plan(plan.config) | {
        "parts_to_play": len(parts),
        "workers": plan.workers(len(parts)),
        "expected_bytes": expected_bytes(plan.config),
        "out": str(plan.store),
        "sources": dict(plan.options.sources),
    }
    if as_json:
        print_json(about)
    else:
        click.echo(plan_text(plan.config, about))


def _carry_out(plan: Plan, stop: Stop, as_json: bool) -> int:
    """Play the run, and print what came out; the exit code."""
    from ddzsim.engine.run import play, taken_up, tally_on_disk
    from ddzsim.engine.warm import kernels_of, warm_up

    config, store = plan.config, plan.store
    with taken_up(store, config, plan.options) as parts:
        try:
            before = tally_on_disk(store, config, without=parts)
            workers = plan.workers(len(parts))
            _announce(plan, before.games, workers)
            if parts and plan.options.plays_here:
                with compiling(kernels_of(config)):
                    warm_up(config)
            with RoundsProgress(config.games, before.games, plan.kind.noun) as progress:

                def finished(rounds: int) -> None:
                    progress(rounds)
                    stop.check()

                stop.in_flight, stop.restarted = True, bool(plan.options.dask)
                tally = before + play(store, config, parts, plan.options, finished)
                seconds = progress.seconds
                stop.in_flight = False
        except (Stopped, RunError) as error:
            return _broken_off(plan, stop, error)
    _print_summary(plan, tally, tally.rounds - before.rounds, seconds, workers, as_json)
    return 0


def _announce(plan: Plan, games_before: int, workers: int) -> None:
    """Say on stderr what begins."""
    from ddzsim.summary import plural

    noun = plan.kind.noun
    if games_before == plan.config.games:
        click.echo(f"All {plural(games_before, noun)} are in {plan.store}", err=True)
        return
    seed = f"seed {plan.config.seed}" + " (drawn)" * (dict(plan.options.sources)["seed"] == "drawn")
    there = f", {games_before:,} of them are there" if plan.resumed else ""
    games = f"{plural(plan.config.games, noun)}{there}"
    where = f"--dask {plan.options.dask}" if plan.options.dask else plural(workers, "worker")
    click.echo(f"Playing {games}, {seed}, on {where} into {plan.store}", err=True)


def _broken_off(plan: Plan, stop: Stop, error: BaseException) -> int:
    """Say what is on disk and how to go on; the exit code."""
    from ddzsim.engine.run import games_on_disk

    config = plan.config
    try:
        games = games_on_disk(plan.store, config)
        there = f"{games:,} of {config.games:,} {plan.kind.noun}s are on disk"
    except RunError:
        there = "what is on disk cannot be read now"
    # A signal to the whole group ends workers too: that is the stop that was asked for.
    stopped = isinstance(error, Stopped) or stop.signal is not None
    cause = "Stopped" if stopped else f"Error: {error}"
    click.echo(f"{cause}; {there}, to go on: {plan.resume_line}", err=True)
    return stop.exit_code if stopped else BROKEN_OFF


def _print_summary(
    plan: Plan, tally: Tally, played: int, seconds: float, workers: int, as_json: bool
) -> None:
    """Print what came out of the whole run."""
    from ddzsim.summary import facts, how_to_read, speed_line, summarise

    if as_json:
        speed = played / seconds if played else None
        where = {"run": plan.config.run_id, "out": str(plan.store)}
        print_json(
            where | facts(tally, plan.config) | {"rounds_per_second": speed, "played_now": played}
        )
        return
    click.echo(summarise(tally, plan.config))
    click.echo(speed_line(played, seconds, workers))
    click.echo()
    click.echo(how_to_read(str(plan.store), plan.config))
