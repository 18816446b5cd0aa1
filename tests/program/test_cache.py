"""What a device's compiler made is kept on disk, and nothing that is wrong with it matters."""

import stat

KEPT = "(lift kept (N) ((array-type int N)) (lambda (xs) (map (lambda (x) (* x 2)) xs)))\n"


def test_entries_are_made_used_and_replaced(lift):
    lift.file("kept.lift", KEPT)
    folder = lift.folder / "cache"

    def run(text="[1,2]"):
        return lift.succeeds("run", "--device", "opencl", "kept.lift", text, LIFT_CACHE=str(folder))

    assert run() == "2\n4\n"
    (entry,) = folder.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700 and stat.S_IMODE(entry.stat().st_mode) == 0o600
    made = entry.read_bytes()
    assert run("[3]") == "6\n"
    assert entry.read_bytes() == made, "the second run takes what is there"
    for damaged in (b"", b"liftbin1", made[: len(made) // 2], made[:-1] + bytes([made[-1] ^ 1]), b"x" * 100):
        entry.write_bytes(damaged)
        assert run() == "2\n4\n"
        # Not compared byte for byte: compilers write times and addresses into their output.
        anew = entry.read_bytes()
        assert anew != damaged and anew[:8] == made[:8], "a damaged entry is made anew"
        assert run("[3]") == "6\n"
        assert entry.read_bytes() == anew, "and taken by the next run"


def test_it_can_be_turned_off_or_have_no_place(lift):
    lift.file("kept.lift", KEPT)
    lift.file("taken", "")
    for cache in ("off", str(lift.folder / "taken" / "cache")):
        assert lift.succeeds("run", "--device", "opencl", "kept.lift", "[1]", LIFT_CACHE=cache) == "2\n"
    assert sorted(path.name for path in lift.folder.iterdir()) == ["kept.lift", "taken"]
