"""zarr_look.py NAME DIR LAST: reads by zarr-python what a killed program has left.

NAME is the program (zarr_victims.cpp), DIR its directory, and LAST the round in which it was killed.
Each shard must be whole, and of one round: position + 10^6 * round. A program that saves has one
round in all shards. SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import sys

import numpy
import zarr

SHARD = 1000


def main(name, directory, last):
    array = zarr.open_array(directory / "run.zarr" / "u", mode="r")
    data = array[...]
    rounds = set()
    for row in data:
        for at in range(0, row.size, SHARD):
            part = row[at:at + SHARD]
            if (part == -1).all():
                assert name == "zarr_grows", f"the shard at {at} is empty"
                continue
            now = int(part[0] // 1e6)
            assert (part == numpy.arange(at, at + SHARD) + 1e6 * now).all(), f"the shard at {at}"
            assert 0 <= now <= last, f"a shard of round {now}"
            rounds.add(now)
    if name == "zarr_saves":
        assert len(rounds) == 1, f"shards of the rounds {rounds}"
    # Members as the group has them, consolidated or not.
    group = zarr.open_group(directory / "run.zarr", mode="r")
    shape = group["u"].shape
    assert shape == array.shape or (name == "zarr_grows" and shape[0] < array.shape[0]), shape
    assert numpy.array_equal(group["u"][...], data[:shape[0]])


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]))
