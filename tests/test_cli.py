"""The shell: help, errors and exit codes, where options come from, stopping and resuming."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pyarrow.parquet as pq
import pytest
from shell import complaint, ddzsim, done, is_running, parts_of, peak_memory, started, workers_of

import ddzsim as dz
from ddzsim.cli.main import main
from ddzsim.cli.options import LEVELS
from ddzsim.cli.rules import field_docs
from ddzsim.cli.settings import KEYS
from ddzsim.core.jit import COMPILED
from ddzsim.deals import code_from_index
from ddzsim.engine.config import RunConfig
from ddzsim.engine.dataset import missing_parts
from ddzsim.engine.run import tally_on_disk
from ddzsim.engine.stores import store_at

CODE = "DVA3-0FX3-CQ4P"
"""The code of round 0 of seed 3."""

LONG = ["--games", "120000", "--seed", "3", "--bots", "random", "--log", "plays", "--workers", "2"]
"""A run of twelve parts that lasts a few seconds, so that it can be stopped half-way."""

needs_speed = pytest.mark.skipif(not COMPILED, reason="120,000 rounds take compiled kernels")
needs_posix = pytest.mark.skipif(os.name != "posix", reason="sends signals")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 40 rounds of mixed seats, with its turns."""
    folder = tmp_path_factory.mktemp("cli") / "small"
    done("run", "-n", 40, "-s", 3, "--bots", "normal,easy,random", "--log", "plays", "-o", folder)
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The bytes of the long run, played without a stop."""
    folder = tmp_path_factory.mktemp("cli") / "whole"
    done("run", *LONG, "-o", folder)
    return parts_of(folder)


def commands(
    group: click.Group, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command, with its words."""
    for name, command in group.commands.items():
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


COMMANDS = dict(commands(main))


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_help_has_an_example_and_explains_every_option(words: tuple[str, ...]) -> None:
    text = done(*words, "--help")
    assert f"Example:\n      ddzsim {' '.join(words)}" in text
    assert done(*words, "-h") == text
    for parameter in COMMANDS[words].params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name
            assert all(name in text for name in parameter.opts), parameter.name


@pytest.mark.parametrize("words", [(), ("deal",), ("rules",)], ids=["ddzsim", "deal", "rules"])
def test_a_group_alone_prints_its_help(words: tuple[str, ...]) -> None:
    assert done(*words) == done(*words, "--help")


def test_version() -> None:
    assert done("--version") == f"ddzsim, version {dz.__version__}\n"


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from ddzsim.cli.main import main\n"
        "try: main(['run', '--help'])\n"
        "except SystemExit: print({'numba', 'numpy', 'pandas', 'pyarrow', 'tqdm'} & {*sys.modules})"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.endswith("\nset()\n")


def test_help_names_the_bots_there_are() -> None:
    assert tuple(dz.BOTS) == LEVELS


def test_help_names_the_settings_of_a_file() -> None:
    configured = ("run", "session", "counterfactual")
    params = [p for name in configured for p in COMMANDS[(name,)].params]
    not_in_files = {"resume", "overwrite", "dry_run", "as_json", "config"}
    assert {parameter for _, _, parameter in KEYS.values()} == {
        p.name for p in params
    } - not_in_files


RUN_PARAMETERS = {parameter.name for parameter in COMMANDS[("run",)].params}
RUN_KEYS = [key for key, (_, _, parameter) in KEYS.items() if parameter in RUN_PARAMETERS]

ALL_RANKS = "ranks are 3 4 5 6 7 8 9 T J Q K A 2 X D, and 10 for T (R1.2)"

BAD = [
    ("run --gmes 3", "No such option '--gmes'."),
    (
        "run -n many",
        "Invalid value for '-n' / '--games' (env var: 'DDZSIM_GAMES'): "
        "'many' is not a valid integer.",
    ),
    ("run -n 0", "games=0: a whole number from 1 to 1000000000000"),
    ("run -s -1", "seed=-1: a whole number from 0 to 9223372036854775807"),
    ("run --first -1", "first=-1: a whole number from 0 to 4611686018427387904"),
    ("run --bots nromal", "no bot 'nromal': one of random, easy, normal, hard"),
    ("run --bots easy,hard", "'easy,hard' names 2 seats: 1 or 3"),
    (
        "run --bots easy:bid=most",
        "'easy:bid=most': no advice 'most': one of default, points, decomposition, never, always3",
    ),
    ("run --log all", "log='all': one of rounds, plays"),
    ("run --force-landlord 3", "force-landlord='3': one of off, 0, 1, 2, rotate, each"),
    ("run --set base", "--set 'base': FIELD=VALUE, as in base=1"),
    ("run --set base=0", "base=0: a number from 1 to 1000"),
    ("run --set spring=maybe", "spring='maybe': true or false"),
    ("run --resume", "--resume: name the run's directory with --out, or its --seed"),
    (
        "run --resume -o nowhere",
        "nowhere holds no run to resume; to start one there, give its --seed",
    ),
    ("run -s 1 -o nowhere --resume --overwrite", "--resume and --overwrite: one or the other"),
    ("run --config nowhere.toml", "--config nowhere.toml: No such file or directory"),
    ("verify nowhere", "nowhere is no run directory: it has no run.json"),
    (
        "deal show DVA3-0FX3-CQ4Q",
        "'DVA3-0FX3-CQ4Q': mistyped, the check bits do not fit; "
        "look for a wrong character or two that are swapped (R2.2)",
    ),
    (
        "deal decode DVA3",
        "'DVA3': 4 characters, a deal code has 12, as in XXXX-XXXX-XXXX, "
        "or 24 with two decks (R2.2)",
    ),
    ("deal encode 3 4 5", "seat 0 holds 1 cards, each is dealt 17 (R2.1)"),
    ("deal random --seed -1", "seed=-1: a whole number from 0 to 9223372036854775807"),
    ("deal random --count 0", "Invalid value for '--count': 0 is not in the range x>=1."),
    (f"replay {CODE} --bots best", "no bot 'best': one of random, easy, normal, hard"),
    (
        f"replay {CODE} --force-landlord 3",
        "landlord=3: a seat from 0 to 2",
    ),
    ("replay", "Missing argument 'CODE'."),
    (
        "plays 33Z",
        f"'33Z': 'Z' at position 3 is no rank; {ALL_RANKS}",
    ),
    ("plays 33333", "'33333' holds 5 cards of rank 3, the deck holds 4 (R1.2)"),
    ("plays 333344445555666677778", "the hand holds 21 cards: from 1 to 20"),
    (
        "plays 334 --why Z",
        f"'Z': 'Z' at position 1 is no rank; {ALL_RANKS}",
    ),
    (
        "plays 334 --rules house",
        f"no rule set 'house': one of {', '.join(dz.RULESETS)}",
    ),
    ("advise 34567", "the hand holds 5 cards: 17 as dealt, or 20 with the kitty"),
    (
        "advise 3456889TJJKA22Q3X --advice best",
        "no advice 'best': one of default, points, decomposition, never, always3",
    ),
    (
        "rules diff classic house",
        f"no rule set 'house': one of {', '.join(dz.RULESETS)}",
    ),
    ("bench best", "no bot 'best': one of random, easy, normal, hard"),
    ("sit", "No such command 'sit'."),
    ("play --seat 3", "--seat 3: a seat from 0 to 2"),
    (
        "play 0000-0000-0000 --rules tabletop-4p",
        "deal 0000-0000-0000 is for 3 players, rules tabletop-4p have 4 (R2.1)",
    ),
    (
        "replay 0000-0000-0000-0000-0000-0000",
        "deal 0000-0000-0000-0000-0000-0000 is for 4 players, rules classic have 3 (R2.1)",
    ),
    ("play --seat -1", "Invalid value for '--seat': -1 is not in the range x>=0."),
    ("play --bots easy,hard,normal", "'easy,hard,normal' names 3 seats: 1 or 2"),
    ("play --rules house", f"no rule set 'house': one of {', '.join(dz.RULESETS)}"),
    (
        "play DVA3",
        "'DVA3': 4 characters, a deal code has 12, as in XXXX-XXXX-XXXX, "
        "or 24 with two decks (R2.2)",
    ),
]


@pytest.mark.parametrize(("line", "message"), BAD, ids=[line for line, _ in BAD])
def test_bad_input_is_one_line_and_writes_nothing(
    line: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # Hints such as "Did you mean" differ between versions of click.
    assert complaint(*line.split()).split(" (Did")[0] == message
    assert not list(tmp_path.iterdir())


def test_bad_input_ends_a_process_with_2_and_no_traceback(tmp_path: Path) -> None:
    with started("run", "--bots", "best", "-o", tmp_path / "run") as process:
        out, err = process.communicate()
        assert (process.returncode, out) == (2, "")
        assert err == "Error: no bot 'best': one of random, easy, normal, hard\n"


def test_a_directory_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    assert (
        complaint("run", "-n", 1, "-s", 1, "-o", tmp_path / "file")
        == f"{tmp_path}/file is a file: name a directory"
    )
    below = tmp_path / "file" / "run"
    assert (
        complaint("run", "-n", 1, "-s", 1, "-o", below)
        == f"{below} cannot be written: Not a directory"
    )


def test_an_existing_directory_is_kept_unless_told_otherwise(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run = ["run", "-n", 5, "--bots", "random", "-o", folder]
    done(*run, "-s", 1)
    before = parts_of(folder)
    wanted = f"{folder} exists: --resume to finish it, --overwrite to replace it, or another --out"
    assert complaint(*run, "-s", 2) == wanted
    assert parts_of(folder) == before
    done(*run, "-s", 2, "--overwrite")
    assert json.loads((folder / "run.json").read_text())["config"]["seed"] == 2
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "letter").write_text("dear")
    wanted = f"{mine} is not empty and is no run directory: it is not overwritten"
    assert complaint("run", "-n", 5, "-s", 2, "-o", mine, "--overwrite") == wanted
    assert (mine / "letter").read_text() == "dear"


def config_of(folder: Path) -> dict[str, Any]:
    """What run.json says, with the sources of the values."""
    manifest = json.loads((folder / "run.json").read_text())
    return dict(manifest["config"]) | {"sources": manifest["sources"], "note": manifest["note"]}


def test_flag_beats_environment_beats_file_beats_default(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text(
        'games = 4\nseed = 4\nbots = "easy"\nforce-landlord = "1"\nnote = "four"\n'
        "[set]\nspring = false\nbase = 2\n"
    )
    environment = {"DDZSIM_SEED": "5", "DDZSIM_BOTS": "random"}
    out = tmp_path / "run"
    done("run", "--config", file, "--bots", "normal", "-o", out, env=environment)
    found = config_of(out)
    assert (found["games"], found["sources"]["games"]) == (4, "file")
    assert (found["force_landlord"], found["note"]) == ("1", "four")
    assert (found["overrides"], found["sources"]["overrides"]) == (
        {"base": "2", "spring": "false"},
        "file",
    )
    assert (found["seed"], found["sources"]["seed"]) == (5, "environment")
    assert (found["bots"], found["sources"]["bots"]) == ("normal", "flag")
    assert (found["log"], found["sources"]["log"]) == ("rounds", "default")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gmes = 4", "no setting 'gmes': did you mean games?"),
        ("rule = true", "no setting 'rule': did you mean rules?"),
        ("zzz = 4", f"no setting 'zzz': one of {', '.join(RUN_KEYS)}"),
        ('games = "4"', "games = '4': a whole number"),
        ("games = true", "games = True: a whole number"),
        ("bots = 3", "bots = 3: a text"),
        ("set = 'base=1'", "set = 'base=1': a table of fields"),
        ("[set]\nbase = 1.5", "set.base = 1.5: true, false, a whole number or a text"),
    ],
)
def test_a_file_with_a_slip_is_refused(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text(text)
    assert complaint("run", "--config", file, "-o", tmp_path / "run") == f"{file}: {message}"
    assert not (tmp_path / "run").exists()


def test_a_file_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text("games: 4")
    assert complaint("run", "--config", file).startswith(f"--config {file} is no TOML: ")


def test_a_seed_that_is_not_given_is_drawn_said_and_recorded(tmp_path: Path) -> None:
    result = ddzsim("run", "-n", 5, "--bots", "random", "-o", tmp_path / "run")
    found = config_of(tmp_path / "run")
    assert found["sources"]["seed"] == "drawn"
    assert f"seed {found['seed']} (drawn)" in result.stderr
    assert f"seed {found['seed']} " in result.stdout


def test_the_summary_is_all_of_stdout(small: Path, tmp_path: Path) -> None:
    args = ["run", "-n", 40, "-s", 3, "--bots", "normal,easy,random", "-o", tmp_path / "run"]
    result = ddzsim(*args)
    lines = result.stdout.splitlines()
    assert lines[0] == "40 rounds · rules classic · seed 3 · landlord by auction"
    assert lines[1] == "Seats             0 normal, 1 easy, 2 random"
    assert lines[-1] == f"In a notebook     ddzsim.read_run({str(tmp_path / 'run')!r}).pandas()"
    assert f"replay {CODE} --bots normal,easy,random" in result.stdout
    assert "Playing 40 rounds, seed 3, on 1 worker into" in result.stderr
    assert "100 %: 40 of 40 rounds" in result.stderr


def test_the_summary_has_the_numbers_of_the_log(small: Path) -> None:
    numbers = json.loads(done("run", "--resume", "-o", small, "--json"))
    rows = dz.read_run(small).pandas()
    played = rows[rows["landlord"] >= 0]
    assert numbers["rounds"] == len(rows) == 40
    assert numbers["landlord"]["share"] == pytest.approx((played["side"] == "landlord").mean())
    assert numbers["landlord"]["interval"] == pytest.approx(list(dz_wilson(numbers["landlord"])))
    for bid in (1, 2, 3):
        at_bid = played[played["bid"] == bid]
        assert numbers["by_bid"][str(bid)]["rounds"] == len(at_bid)
        assert numbers["by_bid"][str(bid)]["wins"] == (at_bid["side"] == "landlord").sum()
    assert numbers["redeals"] == rows["redeals"].sum()
    assert numbers["multiplier"] == pytest.approx(played["multiplier"].mean())
    for name in ("bombs", "rockets"):
        assert numbers["per_100_rounds"][name] == pytest.approx(100 * rows[name].mean())
    assert numbers["per_100_rounds"]["springs"] == pytest.approx(100 * rows["spring"].mean())
    assert numbers["per_100_rounds"]["anti_springs"] == pytest.approx(
        100 * rows["anti_spring"].mean()
    )
    assert numbers["turns"] == pytest.approx(rows["turns"].mean())
    for seat in range(3):
        points = rows[f"score_{seat}"]
        assert numbers["points"][seat]["mean"] == pytest.approx(points.mean())
        half = 1.959964 * points.std(ddof=1) / 40**0.5
        assert numbers["points"][seat]["half_width"] == pytest.approx(half, rel=1e-6)


def dz_wilson(share: dict[str, Any]) -> tuple[float, float]:
    """Wilson's interval of a share, by scipy."""
    from scipy.stats import binomtest

    interval = binomtest(share["wins"], share["rounds"]).proportion_ci(method="wilson")
    return interval.low, interval.high


def test_a_run_without_a_landlord_has_a_summary(tmp_path: Path) -> None:
    # Under openspiel a deal that all pass is not dealt again: with `never` no round has a landlord.
    out = done(
        "run",
        "-n",
        5,
        "-s",
        1,
        "--bots",
        "random:bid=never",
        "--rules",
        "openspiel",
        "-o",
        tmp_path / "run",
    )
    assert "Landlord wins     no such round" in out
    assert "Passed out        5 of 5 rounds; 0 redeals" in out
    assert "Multiplier        none" in out


def test_a_dry_run_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = done("run", "-n", 25000, "-s", 1, "--bots", "easy,normal,hard", "--dry-run", "-j", 2)
    assert "Parts             3 parts to play of 3, 10,000 rounds each, on 2 workers" in text
    plan = json.loads(
        done("run", "-n", 25000, "-s", 1, "--bots", "easy,normal,hard", "--dry-run", "--json")
    )
    assert (plan["rounds"], plan["parts"], plan["seats"]) == (25000, 3, ["easy", "normal", "hard"])
    assert plan["out"] == f"runs/{plan['run']}"
    assert not list(tmp_path.iterdir())


@needs_speed
def test_the_size_that_a_dry_run_expects_is_about_right(tmp_path: Path) -> None:
    run = [
        "run",
        "-n",
        3000 if COMPILED else 300,
        "-s",
        1,
        "--log",
        "plays",
        "-o",
        tmp_path / "run",
    ]
    expected = json.loads(done(*run, "--dry-run", "--json"))["expected_bytes"]
    done(*run)
    assert sum(map(len, parts_of(tmp_path / "run").values())) == pytest.approx(expected, rel=0.5)


def test_a_dry_run_refuses_what_a_run_would_refuse(small: Path) -> None:
    before = parts_of(small)
    assert "exists" in complaint("run", "-n", 5, "-s", 1, "-o", small, "--dry-run")
    assert parts_of(small) == before


def test_resuming_takes_the_options_of_the_run(small: Path) -> None:
    part = small / "rounds" / "part-00000.parquet"
    before = part.read_bytes()
    part.write_bytes(before[:100])
    done("run", "--resume", "-o", small)
    assert part.read_bytes() == before
    done("run", "--resume", "-o", small, "-n", 40, "--bots", "normal,easy,random")


@pytest.mark.parametrize(
    ("option", "value", "held"),
    [
        ("--games", "41", "40"),
        ("--seed", "4", "3"),
        ("--bots", "normal", "normal,easy,random"),
        ("--rules", "kawu", "classic"),
        ("--set", "base=1", "none"),
        ("--log", "rounds", "plays"),
        ("--force-landlord", "0", "off"),
    ],
)
def test_resuming_refuses_an_option_that_does_not_agree(
    option: str, value: str, held: str, small: Path
) -> None:
    assert complaint("run", "--resume", "-o", small, option, value) == (
        f"{option} {value} (flag): the run in {small} has {held}; "
        "leave it out, or name another --out"
    )


def wait_for(process: subprocess.Popen[str], text: str) -> None:
    """Read what a process says on stderr up to a line with this text."""
    assert process.stderr is not None
    for line in process.stderr:
        if text in line:
            return
    pytest.fail(f"the process ended without saying {text!r}")


@needs_speed
@needs_posix
def test_a_run_that_was_killed_resumes_to_the_same_bytes(
    tmp_path: Path, whole: dict[str, bytes]
) -> None:
    out = tmp_path / "run"
    with started("run", *LONG, "-o", out) as process:
        wait_for(process, " %: ")
        process.kill()
        process.wait()
        assert 0 < len(parts_of(out)) < len(whole)
        text = done("run", "--resume", "-o", out, "-j", 2)
        assert "120,000 rounds ·" in text
        assert parts_of(out) == whole
        numbers = json.loads(done("run", "--resume", "-o", out, "--json"))
        assert (numbers["rounds"], numbers["played_now"]) == (120000, 0)


@needs_speed
@needs_posix
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "sigterm"]
)
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_signal_lets_the_parts_in_flight_finish(
    number: int, code: int, workers: str, tmp_path: Path, whole: dict[str, bytes]
) -> None:
    out = tmp_path / "run"
    # A session of its own, whose processes all get the signal, as from a terminal.
    with started("run", *LONG, "-j", workers, "-o", out, start_new_session=True) as process:
        wait_for(process, " %: ")
        os.killpg(process.pid, number) if number == signal.SIGINT else process.send_signal(number)
        stdout, stderr = process.communicate(timeout=60)
        assert process.returncode == code
        assert stdout == ""
        assert "Traceback" not in stderr
        there = dz.read_run(out)
        whole_parts = len(there.files())
        assert 0 < whole_parts < 12
        last = stderr.splitlines()[-1]
        assert last == (
            f"Stopped; {whole_parts * 10000:,} of 120,000 rounds are on disk, "
            f"to go on: ddzsim run --resume --out {out}"
        )
        assert all(whole[name] == found for name, found in parts_of(out).items())
        assert (
            tally_on_disk(there.store, there.config, missing(out, there.config)).rounds
            == whole_parts * 10000
        )


@needs_speed
@needs_posix
def test_a_signal_before_the_first_part_is_played_stops_too(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with started("run", *LONG, "-o", out, start_new_session=True) as process:
        wait_for(process, "Playing")
        os.killpg(process.pid, signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
        assert (process.returncode, stdout) == (130, "")
        assert stderr.splitlines()[-1].endswith(f"to go on: ddzsim run --resume --out {out}")
        assert "Traceback" not in stderr


@needs_speed
@needs_posix
def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with started("run", *LONG, "-o", out, start_new_session=True) as process:
        wait_for(process, " %: ")
        os.killpg(process.pid, signal.SIGINT)
        wait_for(process, "once more ends it at once")
        os.killpg(process.pid, signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
        assert (process.returncode, stdout) == (130, "")
        assert stderr.splitlines()[-1].endswith(f"to go on: ddzsim run --resume --out {out}")
        assert "Traceback" not in stderr


def missing(folder: Path, config: RunConfig) -> list[int]:
    """The parts that a run lacks."""
    return missing_parts(store_at(folder), config)


@needs_speed
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds workers in /proc")
def test_a_dead_worker_is_named_with_the_line_to_resume(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with started("run", *LONG, "-o", out) as process:
        wait_for(process, " %: ")
        os.kill(workers_of(process)[0], signal.SIGKILL)
        stdout, stderr = process.communicate(timeout=60)
        assert (process.returncode, stdout) == (1, "")
        last = stderr.splitlines()[-1]
        assert last.startswith("Error: a worker process died (killed, or out of memory); ")
        assert last.endswith(
            f" of 120,000 rounds are on disk, to go on: ddzsim run --resume --out {out}"
        )
        assert "Traceback" not in stderr


@needs_speed
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds workers in /proc")
def test_workers_do_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    with started("run", *LONG, "-o", tmp_path / "run") as process:
        wait_for(process, " %: ")
        workers = workers_of(process)
        process.kill()
        process.wait()
        # The workers hold the other end of stderr: it ends with the last of them.
        assert process.stderr is not None
        process.stderr.read()
        assert workers
        assert not any(
            Path(f"/proc/{worker}/cmdline").exists() and is_running(worker) for worker in workers
        )


@needs_posix
def test_a_reader_that_leaves_is_no_error() -> None:
    with started("rules", "show", "classic", "--json") as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""
        assert process.wait() == 1


@pytest.mark.parametrize(
    ("bots", "options"),
    [
        ("random", []),
        ("normal,easy,random", ["--rules", "tabletop"]),
        ("easy", ["--set", "spring=false", "--set", "base=3"]),
        ("random", ["--rules", "rlcard"]),
        ("random", ["--force-landlord", "1"]),
        ("random", ["--rules", "stakes"]),
    ],
)
def test_a_replay_is_the_row_of_the_log(bots: str, options: list[str], tmp_path: Path) -> None:
    done(
        "run", "-n", 4, "-s", 11, "--bots", bots, *options, "-o", tmp_path / "run", "--log", "plays"
    )
    run = dz.read_run(tmp_path / "run")
    turns = run.arrow("plays").to_pylist()
    for row in run.arrow().to_pylist():
        told = json.loads(
            done("replay", code_from_index(row["deal"]), "--bots", bots, *options, "--json")
        )
        for name in ("redeals", "landlord", "bid", "winner", "multiplier", "stake", "rules"):
            assert told[name] == row[name], name
        assert told["scores"] == [row[f"score_{seat}"] for seat in range(3)]
        assert (told["spring"], told["anti_spring"]) == (row["spring"], row["anti_spring"])
        assert told["hands"] == [str(dz.Hand(row[f"hand_{seat}"])) for seat in range(3)]
        played = [(turn["seat"], turn["kind"], turn["left"]) for turn in told["turns"]]
        mine = [turn for turn in turns if turn["round"] == row["round"]]
        assert played == [(turn["seat"], turn["kind"], turn["left"]) for turn in mine]
        last = told["auctions"][-1] if told["auctions"] else []
        assert "-".join(str(call["bid"]) for call in last) == row["auction"].split("-", 0)[0]


def test_a_replay_tells_the_story() -> None:
    text = done("replay", CODE, "--bots", "random")
    assert text == f"{dz.play(dz.Deal.from_code(CODE), ('random',) * 3)}\n"
    assert text.startswith(f"Deal {CODE} · classic\n")


def test_the_summary_names_a_replay_of_the_first_round(tmp_path: Path) -> None:
    options = ["--bots", "easy", "--set", "base=3", "--force-landlord", "rotate", "--first", "1"]
    text = done("run", "-n", 2, "-s", 5, *options, "-o", tmp_path / "run")
    line = next(line for line in text.splitlines() if line.startswith("Its first round"))
    told = json.loads(done(*line.split("ddzsim ")[1].split(), "--json"))
    row = dz.read_run(tmp_path / "run").arrow().slice(0, 1).to_pylist()[0]
    assert told["landlord"] == row["landlord"] == 1
    assert told["scores"] == [row[f"score_{seat}"] for seat in range(3)]


def test_deal_show_encode_decode_and_random_agree() -> None:
    codes = done("deal", "random", "--seed", 3, "--count", 3).split()
    assert codes[0] == CODE
    for code in codes:
        *hands, kitty, first = done("deal", "decode", code).split()
        assert done("deal", "encode", *hands, "--first", first) == f"{code}\n"
        about = json.loads(done("deal", "decode", code, "--json"))
        assert (about["hands"], about["kitty"], about["first_bidder"]) == (hands, kitty, int(first))
        assert code_from_index(about["index"]) == code
        assert done("deal", "show", code) == f"{dz.Deal.from_code(code)}\n"
    assert len(set(codes)) == 3
    assert len(done("deal", "random").strip()) == len(CODE)


def test_plays_lists_what_may_be_played_weakest_first() -> None:
    assert done("plays", "33344XD", "--over", "222+5") == "   1  XD  the rocket\n"
    assert done("plays", "334", "--over", "2") == "Nothing beats 2: pass\n"
    assert done("plays", "3345").splitlines() == [
        "   1  3   a single",
        "   2  4   a single",
        "   3  5   a single",
        "   4  33  a pair",
    ]
    found = json.loads(done("plays", "44XD", "--over", "33", "--json"))
    assert [(play["play"], play["kind"]) for play in found["plays"]] == [
        ("44", "pair"),
        ("XD", "rocket"),
    ]


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["--why", "333+4"], "playable: 333+4 is a trio with a single"),
        (
            ["--why", "333+4", "--over", "222+5"],
            "not playable: 333+4 over 222+5: the rank 3 is not higher than 2 (R6.1)",
        ),
        (["--why", "XD", "--over", "222+5"], "playable: XD is the rocket that beats 222+5"),
        (["--why", "5"], "not playable: 5 is not in the hand 33344XD, which lacks 5 (R7)"),
        (["--why", "pass"], "not playable: a leader must play, and cannot pass (R7.1)"),
        (["--why", "P", "--over", "3"], "playable: a follower may always pass (R7.1)"),
        (["--why", ""], "not playable: nothing is no combination: there are no cards (R4.3)"),
        (["--why", "3334XD"], "not playable: 34XD33 is no"),
    ],
)
def test_why_says_why_cards_may_or_may_not_be_played(args: list[str], text: str) -> None:
    said = done("plays", "33344XD", *args).rstrip("\n")
    if text.endswith("is no"):
        assert said.startswith("not playable: 3334XD is no combination: ")
    else:
        assert said == text
    reason = json.loads(done("plays", "33344XD", *args, "--json"))
    assert (reason["reason"], reason["playable"]) == (said, said.startswith("playable"))


def test_advise_prints_the_rating_line() -> None:
    rating = dz.rate("3456889TJJKA22Q3X")
    assert done("advise", "3456889TJJKA22Q3X") == f"{rating}\n"
    assert done("advise", "3456889TJJKA22Q3X").startswith("3 big cards, 0 bombs, about ")
    assert done("advise", "3456889TJJKA22Q3X", "--advice", "never").endswith(" → pass\n")
    found = json.loads(done("advise", "3456889TJJKA22Q3X", "--advice", "always3", "--json"))
    assert (found["big"], found["bombs"], found["bid"]) == (3, 0, 3)


def test_rules_are_listed_shown_and_compared() -> None:
    listed = done("rules", "list").splitlines()
    assert [line.split()[0] for line in listed] == list(dz.RULESETS)
    shown = done("rules", "show", "classic")
    for field, value in dz.ruleset("classic").settings().items():
        assert f"\n{field} " in f"\n{shown}"
        assert field_docs()[field].startswith("R"), f"{field} names no clause"
        assert json.loads(done("rules", "show", "classic", "--json"))[field] == value
    differing = [line.split()[0] for line in done("rules", "diff", "classic", "kawu").splitlines()]
    assert differing == ["airplane_equal_kickers", "four_equal_kickers", "base"]
    assert json.loads(done("rules", "diff", "classic", "stakes", "--json"))["base"] == {
        "classic": 10,
        "stakes": 1,
    }
    assert done("rules", "diff", "classic", "classic") == "classic and classic are the same rules\n"


@needs_speed
def test_bench_measures_and_signs() -> None:
    found = json.loads(done("bench", "random", "--json"))
    again = json.loads(done("bench", "random", "easy", "--json"))
    assert found[0]["bot"] == "random"
    assert found[0]["rounds_per_cpu_second"] > 100
    assert found[0]["signature"] == again[0]["signature"]
    assert len(again) == 2


def test_verify_tells_a_sound_run_from_a_changed_one(tmp_path: Path) -> None:
    out = tmp_path / "run"
    done("run", "-n", 30, "-s", 2, "--bots", "random", "-o", out)
    assert f"{out} is sound: 30 rows checked" in done("verify", out, "--sample", 5)
    verdict = json.loads(done("verify", out, "--sample", 5, "--json"))
    assert (verdict["problems"], verdict["checked_rows"]) == ([], 30)
    part = out / "rounds" / "part-00000.parquet"
    table = pq.read_table(part)
    pq.write_table(table.slice(0, 29), part)
    result = ddzsim("verify", out)
    assert result.exit_code == 1
    assert "NOT sound" in result.stdout


def test_a_summary_is_what_the_run_printed(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    printed = done("run", "-n", 40, "-s", 3, "--bots", "easy", "-o", out)
    kept = [line for line in printed.splitlines() if not line.startswith("Speed")]
    assert done("summary", out).splitlines() == kept
    as_json = json.loads(done("summary", small, "--json"))
    assert as_json["rounds"] == 40
    assert as_json["run"] == dz.read_run(small).config.run_id


def test_a_summary_of_an_unfinished_run_says_so(tmp_path: Path) -> None:
    out = tmp_path / "run"
    done("run", "-n", 10_040, "-s", 3, "--bots", "random", "-o", out)
    (out / "rounds" / "part-00000.parquet").unlink()
    lines = done("summary", out).splitlines()
    due = f"40 of 10,040 rounds are there, to go on: ddzsim run --resume --out {out}"
    assert f"Unfinished        {due}" in lines
    assert "Landlord wins" in lines[3]
    (out / "rounds" / "part-00001.parquet").unlink()
    assert complaint("summary", out) == (
        f"{out} has no rounds yet: ddzsim run --resume --out {out}"
    )


@needs_speed
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads /proc")
def test_a_summary_keeps_to_its_memory(tmp_path: Path) -> None:
    out = tmp_path / "run"
    done("run", "-n", 100_000, "-s", 3, "--bots", "random", "-o", out)
    limit = 400_000_000
    with started("summary", out, "--memory-limit", "400MB") as process:
        peak = 0
        while process.poll() is None:
            peak = peak_memory(process.pid) or peak
            time.sleep(0.01)
    assert process.returncode == 0
    assert 50_000_000 < peak < limit
    assert complaint("summary", out, "--memory-limit", "1MB").startswith(
        "a memory limit of 1,000,000 bytes: at least "
    )


@pytest.mark.parametrize("text", ["", "500", "MB", "-5MB", "1e9MB", "5 PB", "٥MB", "1" * 20 + "GB"])
def test_a_memory_limit_that_is_none_is_refused(text: str, small: Path) -> None:
    due = f"--memory-limit {text!r}: a number and a unit, as in 500MB or 2GiB"
    assert complaint("summary", small, "--memory-limit", text) == due
