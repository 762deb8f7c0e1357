"""Runs: equal bytes whatever way they are played, resumed, split or compiled; ids; directories."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ddzsim import schema
from ddzsim.bots import seats
from ddzsim.core import rng
from ddzsim.core.jit import COMPILED
from ddzsim.engine import config as engine_config
from ddzsim.engine.config import RunConfig, draw_seed
from ddzsim.engine.dataset import (
    Run,
    arrow_table,
    missing_parts,
    part_name,
    read_manifest,
    read_run,
    rows_hash,
)
from ddzsim.engine.executors import processes, serial, worker_count
from ddzsim.engine.parts import play_part, write_played_part
from ddzsim.engine.run import Options, run
from ddzsim.engine.stores import store_at
from ddzsim.errors import ConfigError, DdzError, RunError
from ddzsim.stats import Tally

ROOT = Path(__file__).parent.parent
THREE_PARTS = RunConfig(seed=7, games=20_500, bots="random")


def files(folder: Path) -> dict[str, bytes]:
    """What a run directory holds but for its manifest, by name."""
    parts = sorted(path for path in folder.glob("*/*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in parts}


def rows_of(config: RunConfig) -> np.ndarray:
    """A run's rows, as kernels fill them."""
    return np.concatenate([play_part(config, part)[0] for part in range(config.parts)])


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A run of three parts, played in this process."""
    if not COMPILED:
        pytest.skip("20,500 rounds take too long uncompiled")
    folder = tmp_path_factory.mktemp("whole") / "run"
    run(folder, THREE_PARTS, Options(workers=1))
    return folder


@pytest.fixture
def copy(whole, tmp_path) -> Path:
    """A copy of that run to damage."""
    for path in [Path("run.json"), *map(Path, files(whole))]:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes((whole / path).read_bytes())
    return tmp_path


# Equal bytes


@pytest.mark.parametrize("workers", [2, 7])
def test_the_bytes_do_not_depend_on_the_workers(whole, tmp_path, workers):
    tally = run(tmp_path / "run", THREE_PARTS, Options(workers=workers))
    assert files(tmp_path / "run") == files(whole)
    assert tally.rounds == 20_500
    assert len(files(whole)) == 3


def test_a_part_does_not_depend_on_what_was_played_before(whole, tmp_path):
    # The parts share a table of remembered values within a process.
    for part in (2, 0, 2, 1):
        write_played_part(THREE_PARTS, part, tmp_path)
    assert files(tmp_path) == files(whole)


SCRIPT = """
import os, signal, sys
from pathlib import Path
from ddzsim.engine.config import RunConfig
from ddzsim.engine.run import Options, run
if __name__ == "__main__":
    seed, games, workers, parts = map(int, sys.argv[2:6])
    done = []
    def progress(rounds):
        done.append(rounds)
        if len(done) == parts:
            os.kill(os.getpid(), signal.SIGKILL)
    config = RunConfig(seed=seed, games=games, bots=sys.argv[6], log=sys.argv[7])
    run(Path(sys.argv[1]), config, Options(workers=workers), progress)
"""


def script(folder: Path, config: RunConfig, workers: int = 1, parts: int = 0, **environment: str):
    """Start a run in a process of its own; it kills itself after so many parts."""
    path = folder.parent / "script.py"
    path.write_text(SCRIPT)
    numbers = (config.seed, config.games, workers, parts)
    command = [sys.executable, path, folder, *map(str, numbers), config.bots, config.log]
    return subprocess.Popen(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": "."} | environment)


@pytest.mark.parametrize("after", [1, 2])
def test_case_r10_a_run_killed_after_parts_resumes_to_the_same_bytes(whole, tmp_path, after):
    # R10: resumed at another place, neither the generator nor the cursor starts from zero.
    folder = tmp_path / "run"
    assert script(folder, THREE_PARTS, parts=after).wait(300) == -signal.SIGKILL
    assert missing_parts(store_at(folder), THREE_PARTS) == list(range(after, 3))
    played: list[int] = []
    tally = run(folder, THREE_PARTS, Options(workers=1, resume=True), played.append)
    assert played == [10_000, 10_000, 500][after:]
    assert files(folder) == files(whole)
    assert tally.rounds == 20_500


@pytest.mark.skipif(not COMPILED, reason="120,000 rounds take too long uncompiled")
def test_a_run_killed_in_the_middle_with_workers_resumes_to_the_same_bytes(tmp_path):
    config = replace(THREE_PARTS, games=120_000)
    folder = tmp_path / "run"
    process = script(folder, config, workers=2)
    deadline = time.monotonic() + 300
    while len(list(folder.glob("rounds/part-*"))) < 2 and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    assert process.wait(60) == -signal.SIGKILL
    # Workers end with their parent; what one was about to write may still come.
    time.sleep(1)
    missing = missing_parts(store_at(folder), config)
    assert missing, "the run was over before it was killed: let it be longer"
    run(folder, config, Options(workers=1, resume=True))
    run(tmp_path / "other", config, Options(workers=1))
    assert files(folder) == files(tmp_path / "other")


def test_the_bytes_do_not_depend_on_compiling(tmp_path):
    config = RunConfig(seed=3, games=5, bots="random,normal,random", log="plays")
    process = script(tmp_path / "plain", config, NUMBA_DISABLE_JIT="1")
    assert process.wait(300) == 0
    run(tmp_path / "compiled", config, Options(workers=1))
    assert files(tmp_path / "plain") == files(tmp_path / "compiled")
    assert set(files(tmp_path / "plain")) == {
        "plays/part-00000.parquet",
        "rounds/part-00000.parquet",
    }


@pytest.mark.parametrize("rules", ["classic", "tabletop", "stakes", "rlcard"])
@pytest.mark.parametrize("forced", ["off", "rotate"])
def test_a_seeds_sequence_can_be_split_anywhere(rules, forced):
    config = RunConfig(seed=9, games=500, bots="random", rules=rules, force_landlord=forced)
    pieces = [(0, 1), (1, 249), (250, 250)]
    split = [rows_of(replace(config, first=first, games=games)) for first, games in pieces]
    assert np.array_equal(rows_of(config), np.concatenate(split))


def test_turns_do_not_depend_on_how_many_rounds_are_played_at_once():
    # Turns are played in blocks of 1000 rounds.
    config = RunConfig(seed=9, games=1200, bots="random", log="plays")
    turns = play_part(config, 0).plays
    before = play_part(replace(config, games=700), 0).plays
    after = play_part(replace(config, first=700, games=500), 0).plays
    assert np.array_equal(turns, np.concatenate([before, after]))


def test_logging_turns_does_not_change_the_rounds():
    config = RunConfig(seed=9, games=300, bots="random")
    assert np.array_equal(rows_of(config), rows_of(replace(config, log="plays")))


def test_the_last_rounds_of_a_sequence_can_be_played():
    last = RunConfig(seed=2**63 - 1, games=3, first=2**62, bots="random")
    assert rows_of(last)["round"].tolist() == [2**62, 2**62 + 1, 2**62 + 2]


# Different deals


def test_case_r01_workers_are_dealt_different_cards_and_the_same_as_one_worker(whole, tmp_path):
    # R01, R02: the seed of a round depends on the run's seed and the round's number only.
    run(tmp_path / "run", THREE_PARTS, Options(workers=3))
    deals = pq.read_table(tmp_path / "run" / "rounds", columns=["deal"])["deal"].to_numpy()
    assert len(np.unique(deals)) == 20_500
    alone = pq.read_table(whole / "rounds", columns=["deal"])["deal"].to_numpy()
    assert np.array_equal(deals, alone)


def test_case_r02_a_restart_repeats_no_deal(copy):
    (copy / "rounds" / "part-00001.parquet").unlink()
    run(copy, THREE_PARTS, Options(workers=1, resume=True))
    deals = pq.read_table(copy / "rounds", columns=["deal"])["deal"].to_numpy()
    assert len(np.unique(deals)) == 20_500


def test_case_r03_seeds_and_numbers_give_pairwise_different_deals():
    # Seeds 0, 1, 2 and numbers 0 to 99: a product or a sum of both would repeat.
    deals = [rows_of(RunConfig(seed=seed, games=100, bots="random"))["deal"] for seed in range(3)]
    assert len(np.unique(np.concatenate(deals))) == 300


# The run id


def test_the_run_id_does_not_depend_on_how_a_seat_is_written():
    assert THREE_PARTS.run_id == replace(THREE_PARTS, bots="random,random,random").run_id
    assert THREE_PARTS.run_id == replace(THREE_PARTS, bots="random:bid=default").run_id


def test_the_run_id_does_not_depend_on_paths_workers_or_notes(tmp_path):
    config = replace(THREE_PARTS, games=10)
    run(tmp_path / "a", config, Options(workers=1))
    run(tmp_path / "b", config, Options(workers=2, note="again", command=("ddzsim", "run")))
    ids = {read_manifest(store_at(tmp_path / name))["run_id"] for name in ("a", "b")}
    assert ids == {config.run_id}
    assert read_manifest(store_at(tmp_path / "b"))["note"] == "again"


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 8},
        {"games": 20_501},
        {"first": 1},
        {"bots": "random,random,easy"},
        {"bots": "random:bid=points"},
        {"rules": "kawu"},
        {"overrides": (("kitty_shown", "false"),)},
        {"log": "plays"},
        {"force_landlord": "0"},
    ],
    ids=str,
)
def test_the_run_id_changes_with_whatever_matters(change):
    assert replace(THREE_PARTS, **change).run_id != THREE_PARTS.run_id


def test_the_run_id_changes_with_versions(monkeypatch):
    before = THREE_PARTS.run_id
    newer = replace(seats.BOTS["random"], version=99)
    monkeypatch.setitem(seats.BOTS, "random", newer)
    after_bot = THREE_PARTS.run_id
    monkeypatch.setattr(rng, "VERSION", 99)
    assert len({before, after_bot, THREE_PARTS.run_id}) == 3
    monkeypatch.setattr(schema, "VERSION", 99)
    assert THREE_PARTS.run_id not in (before, after_bot)


def test_the_run_id_is_the_same_in_every_process():
    # hash() of a text differs from process to process; a digest does not (case R07).
    code = (
        "from ddzsim.engine.config import RunConfig;"
        "print(RunConfig(seed=7, games=20_500, bots='random').run_id)"
    )
    for seed in ("0", "1"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": "."}
        command = [sys.executable, "-c", code]
        made = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
        assert made.stdout.decode().strip() == THREE_PARTS.run_id


# The configuration


@pytest.mark.parametrize(
    "config",
    [
        THREE_PARTS,
        RunConfig(seed=0),
        RunConfig(
            seed=2**63 - 1,
            games=12_345_678,
            first=5,
            bots="hard,normal:bid=points,easy",
            rules="tabletop",
            overrides=(("base", "5"), ("kitty_shown", "true")),
            log="plays",
            force_landlord="rotate",
        ),
    ],
)
def test_a_configuration_goes_through_its_manifest(config):
    manifest = json.loads(json.dumps(config.manifest()))
    again = RunConfig.from_manifest(manifest)
    assert again == config
    assert again.run_id == manifest["run_id"]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"seed": -1}, "seed=-1: a whole number from 0 to 9223372036854775807"),
        ({"seed": "7"}, "seed='7': a whole number from 0 to 9223372036854775807"),
        ({"games": 0}, "games=0: a whole number from 1 to 1000000000000"),
        ({"first": -5}, "first=-5: a whole number from 0 to 4611686018427387904"),
        ({"games": True}, "games=True: a whole number from 1 to 1000000000000"),
        ({"log": "all"}, "log='all': one of rounds, plays"),
        ({"force_landlord": "3"}, "force-landlord='3': one of off, 0, 1, 2, rotate, each"),
        ({"bots": "random,random"}, "'random,random' names 2 seats: 1 or 3"),
    ],
    ids=str,
)
def test_a_wrong_value_is_named(change, text):
    with pytest.raises(DdzError) as caught:
        replace(THREE_PARTS, **change)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    "config", [{}, {"seed": 1}, {"seed": 1, "overrides": {}, "colour": "red"}, [], None]
)
def test_a_manifest_without_a_configuration_is_refused(config):
    with pytest.raises(ConfigError, match="the configuration does not read"):
        RunConfig.from_manifest({"config": config})


def test_parts_cover_every_round_once():
    for games in (1, 9_999, 10_000, 10_001, 9_999_999, 10_000_000, 12_345_678):
        config = RunConfig(seed=1, games=games, first=17, bots="random")
        ranges = [config.part_range(part) for part in range(config.parts)]
        assert ranges[0][0] == 17
        for (start, count), (following, _) in pairwise(ranges):
            assert start + count == following
        assert sum(count for _, count in ranges) == games
        assert all(1 <= count <= config.part_rounds for _, count in ranges)


def test_parts_stay_small_where_turns_are_logged():
    large = RunConfig(seed=1, games=10_000_000, bots="random")
    assert (large.part_rounds, large.parts) == (100_000, 100)
    with_turns = replace(large, log="plays")
    assert (with_turns.part_rounds, with_turns.parts) == (10_000, 1000)


def test_a_drawn_seed_is_a_valid_one():
    drawn = {draw_seed() for _ in range(50)}
    assert len(drawn) > 45
    assert all(RunConfig(seed=seed).seed == seed for seed in drawn)
    assert max(drawn) < engine_config.MAX_SEED


# Resuming, and directories that are not this run's


def stamps(folder: Path) -> dict[str, int]:
    """When each file was written."""
    return {path.name: path.stat().st_mtime_ns for path in (folder / "rounds").iterdir()}


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def take_a_foreign_part(path: Path) -> None:
    other = replace(THREE_PARTS, seed=8)
    write_played_part(other, 1, path.parent.parent)


def take_another_part(path: Path) -> None:
    path.write_bytes(path.with_name("part-00000.parquet").read_bytes())


@pytest.mark.parametrize(
    "damage", [Path.unlink, truncate, empty, take_a_foreign_part, take_another_part]
)
def test_resuming_plays_only_what_is_missing_or_does_not_read(whole, copy, damage):
    damage(copy / "rounds" / "part-00001.parquet")
    assert missing_parts(store_at(copy), THREE_PARTS) == [1]
    before = stamps(copy)
    played: list[int] = []
    run(copy, THREE_PARTS, Options(workers=1, resume=True), played.append)
    assert played == [10_000]
    assert files(copy) == files(whole)
    after = stamps(copy)
    for name in ("part-00000.parquet", "part-00002.parquet"):
        assert before[name] == after[name]


def test_resuming_a_finished_run_plays_nothing(copy):
    before = stamps(copy)
    played: list[int] = []
    run(copy, THREE_PARTS, Options(workers=2, resume=True), played.append)
    assert (played, stamps(copy)) == ([], before)


def test_resuming_plays_a_part_again_whose_turns_are_missing(tmp_path):
    config = RunConfig(seed=3, games=50, bots="random", log="plays")
    run(tmp_path, config, Options(workers=1))
    before = files(tmp_path)
    (tmp_path / "plays" / "part-00000.parquet").unlink()
    assert missing_parts(store_at(tmp_path), config) == [0]
    run(tmp_path, config, Options(workers=1, resume=True))
    assert files(tmp_path) == before


def test_a_directory_that_exists_is_refused(copy):
    before = files(copy)
    with pytest.raises(RunError, match="exists: --resume to finish it, --overwrite to replace it"):
        run(copy, THREE_PARTS, Options(workers=1))
    assert files(copy) == before


def test_another_run_is_refused(copy):
    before = files(copy)
    other = replace(THREE_PARTS, seed=8)
    due = f"holds run {THREE_PARTS.run_id}, this is run {other.run_id}: another --out"
    with pytest.raises(RunError, match=due):
        run(copy, other, Options(workers=1, resume=True))
    assert files(copy) == before


def test_a_directory_that_is_no_run_is_never_overwritten(tmp_path):
    (tmp_path / "letter.txt").write_text("keep me")
    with pytest.raises(RunError, match="no run directory"):
        run(tmp_path, THREE_PARTS, Options(workers=1, overwrite=True))
    assert (tmp_path / "letter.txt").read_text() == "keep me"


def test_overwriting_replaces_the_run(copy):
    config = replace(THREE_PARTS, games=10)
    run(copy, config, Options(workers=1, overwrite=True))
    assert list(files(copy)) == ["rounds/part-00000.parquet"]
    assert read_manifest(store_at(copy))["run_id"] == config.run_id


# Workers that fail


def fails(part: int) -> Tally:
    if part == 3:
        raise ValueError("no such card")
    return Tally(rounds=part)


def dies(part: int) -> Tally:
    if part == 3:
        os._exit(9)
    return Tally(rounds=part)


def test_a_worker_that_raises_is_an_error_that_names_the_part():
    with pytest.raises(RunError) as caught:
        list(processes(fails, range(50), 2))
    assert str(caught.value) == "part 3 failed in a worker: ValueError('no such card')"


def test_a_worker_that_dies_is_an_error_and_not_a_hang():
    with pytest.raises(RunError, match="a worker process died"):
        list(processes(dies, range(50), 2))


def test_what_a_worker_cannot_write_is_an_error_that_names_the_file(tmp_path):
    (tmp_path / "rounds").write_text("in the way")
    with pytest.raises(RunError, match=r"rounds/part-0000\d\.parquet cannot be written"):
        list(processes(WriteTo(tmp_path), range(2), 2))
    with pytest.raises(RunError, match=r"rounds/part-00000\.parquet cannot be written"):
        list(serial(WriteTo(tmp_path), range(2)))
    assert [path.name for path in tmp_path.iterdir()] == ["rounds"]


class WriteTo:
    """A task that writes parts to a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, part: int) -> Tally:
        return write_played_part(THREE_PARTS, part, self.folder)


def test_every_part_is_played_once_by_whatever_workers():
    for workers in (1, 3):
        finished = list(processes(fails_never, range(20), workers))
        assert sorted(part for part, _ in finished) == list(range(20))
        assert all(tally.rounds == part for part, tally in finished)


def fails_never(part: int) -> Tally:
    return Tally(rounds=part)


def test_negative_workers_leave_cores_free(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)))
    assert [worker_count(wanted) for wanted in (3, 0, -2, -20)] == [3, 8, 6, 1]
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    assert worker_count(0) == 4


COMPILES = """
import sys
from numba.core import event
with event.install_recorder("numba:compile") as compiled:
    from ddzsim.engine.config import RunConfig
    from ddzsim.engine.parts import play_part
    play_part(RunConfig(seed=1, games=2, bots=sys.argv[1], log="plays"), 0)
print(len([part for _, part in compiled.buffer if part.is_start]))
"""


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_a_process_that_starts_after_the_first_compiles_nothing():
    # What a worker does when it starts: import, and play. `processes` starts them after a warm-up.
    bots = "easy,normal,hard"
    command = [sys.executable, "-c", COMPILES, bots]
    environment = os.environ | {"PYTHONPATH": "."}
    counts = []
    for _ in range(2):
        made = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
        counts.append(int(made.stdout))
    assert counts[1] == 0, counts


# Reading


def test_a_run_reads_as_arrow_and_as_pandas(whole):
    held = read_run(whole)
    assert isinstance(held, Run)
    assert (held.config, len(held.files())) == (THREE_PARTS, 3)
    table = held.arrow()
    assert table["round"].to_pylist() == list(range(20_500))
    frame = held.pandas(columns=["side", "score_0", "auction"])
    assert frame.shape == (20_500, 3)
    assert frame["side"].dtype == "category"
    assert set(frame["side"].cat.categories) <= set(schema.SIDES)
    assert str(held) == f"{whole}: 20,500 rounds of random under classic"


def test_a_run_answers_sql_as_a_duckdb_relation(whole):
    held = read_run(whole)
    rounds = held.duckdb()
    assert rounds.columns == held.arrow().column_names
    by_side = dict(rounds.aggregate("side, count(*)", "side").fetchall())
    assert by_side == held.pandas()["side"].value_counts().loc[lambda n: n > 0].to_dict()


def test_what_a_run_does_not_hold_is_an_error(whole, copy):
    for read in (read_run(whole).arrow, read_run(whole).duckdb):
        with pytest.raises(RunError, match="has no plays: run with --log plays"):
            read("plays")
    truncate(copy / "rounds" / "part-00001.parquet")
    with pytest.raises(RunError, match=r"part-00001\.parquet does not read"):
        read_run(copy).arrow()
    with pytest.raises(RunError, match="does not read"):
        read_run(whole).arrow(columns=["colour"])


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (None, "is no run directory: it has no run.json"),
        ("{", "does not read"),
        ("[]", "does not read: it is no JSON object"),
        ("{}", "log version None, this ddzsim reads version 2"),
        ('{"schema": 99}', "log version 99, this ddzsim reads version 2"),
        ('{"schema": 1}', "log version 1, this ddzsim reads version 2"),
        ('{"schema": 2, "config": {"seed": 1, "bots": "x", "overrides": {}}}', "no bot 'x'"),
    ],
)
def test_a_directory_that_is_no_run_is_an_error(tmp_path, text, error):
    if text is not None:
        (tmp_path / "run.json").write_text(text)
    with pytest.raises(RunError, match=error):
        read_run(tmp_path)


def test_the_hash_of_rows_is_of_their_values_not_of_how_they_are_stored():
    config = replace(THREE_PARTS, games=100)
    table = arrow_table(play_part(config, 0)[0], schema.ROUNDS, config)
    due = rows_hash(table)
    side = table["side"].to_pylist()
    stored = pa.array(side).dictionary_encode()
    other = pa.DictionaryArray.from_arrays(
        pa.array([["unused", *schema.SIDES[::-1]].index(text) for text in side], pa.int32()),
        pa.array(["unused", *schema.SIDES[::-1]]),
    )
    at = table.column_names.index("side")
    for array in (stored, other):
        assert rows_hash(table.set_column(at, table.schema.field(at), array)) == due
    pieces = pa.concat_tables([table.slice(0, 30), table.slice(30)])
    assert rows_hash(pieces) == due
    assert rows_hash(table.slice(0, 99)) != due
    swapped = ["landlord" if text == "peasants" else "peasants" for text in side]
    changed = pa.array(swapped).dictionary_encode()
    assert rows_hash(table.set_column(at, table.schema.field(at), changed)) != due


def test_a_part_says_in_its_footer_what_it_is(whole):
    about = pq.read_schema(whole / part_name("rounds", 2)).metadata
    assert about[b"ddzsim.run"] == THREE_PARTS.run_id.encode()
    assert about[b"ddzsim.part"] == b"2"
    assert (
        about[b"ddzsim.rows_sha256"]
        == rows_hash(pq.read_table(whole / part_name("rounds", 2))).encode()
    )


def test_nothing_is_left_aside(whole):
    assert [path for path in whole.rglob(".*")] == []
