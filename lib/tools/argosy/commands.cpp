// The table of commands: their options, and the text of help and man page.
// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"

#include <array>

#include "command.hpp"

namespace argosy::tool {
namespace {

constexpr std::array info_options{
    option_info{"--check", "",
                "reads the blocks of checkpoints, too, and compares their checksums"},
    option_info{"--remove-parts", "",
                "removes what saves that did not end have left beside the files"},
};
constexpr std::array diff_options{
    option_info{"--tolerance", "ABS", "counts numbers as equal if they are at most ABS apart"},
    option_info{"--relative", "R", "or at most R times the larger absolute value"},
    option_info{"--from", "FORMAT", "of A, if it is not that of the file's content"},
    option_info{"--to", "FORMAT", "of B: npy, zarr, hdf5, checkpoint or raw"},
    option_info{"--type", "NAME", "elements of a raw file, as NumPy names them: '<f8'"},
    option_info{"--shape", "AxBxC", "the sizes of the array in a raw file"},
    option_info{"--order", "c|fortran", "its order (default: c)"},
    option_info{"--offset", "BYTES", "where it begins (default: 0)"},
    option_info{"--memory", "BYTES", "for the elements that are compared at a time (default: 64m)"},
};
constexpr std::array convert_options{
    option_info{"--from", "FORMAT", "of A, if it is not that of the file's content"},
    option_info{"--to", "FORMAT",
                "of B, if its name does not say it: npy, zarr, hdf5, "
                "checkpoint or raw"},
    option_info{"--force", "", "replaces B"},
    option_info{"--chunks", "AxBxC", "the elements of a chunk (Zarr, HDF5)"},
    option_info{"--shards", "AxBxC", "the elements of a shard (Zarr)"},
    option_info{"--codec", "LIST",
                "zstd[:LEVEL], gzip[:LEVEL], blosc[:COMPRESSOR[:LEVEL]], crc32c "
                "(Zarr)"},
    option_info{"--filter", "LIST", "shuffle, deflate[:LEVEL], zstd[:LEVEL], fletcher32 (HDF5)"},
    option_info{"--type", "NAME", "elements of A if it is a raw file, as NumPy names them: '<f8'"},
    option_info{"--shape", "AxBxC", "the sizes of the array in a raw file"},
    option_info{"--order", "c|fortran", "its order (default: c)"},
    option_info{"--offset", "BYTES", "where it begins (default: 0)"},
    option_info{"--memory", "BYTES", "of each rank for elements, or one shard (default: 64m)"},
};
constexpr std::array refs_options{
    option_info{"--output", "FILE", "where the references are written (default: standard output)"},
    option_info{"--from", "FORMAT", "of the files, if it is not that of their content"},
    option_info{"--type", "NAME", "elements of raw files, as NumPy names them: '<f8'"},
    option_info{"--shape", "AxBxC", "the sizes of the arrays in raw files"},
    option_info{"--order", "c|fortran", "their order (default: c)"},
    option_info{"--offset", "BYTES", "where they begin (default: 0)"},
};
constexpr std::array layout_options{
    option_info{"--rank", "N", "the process whose part of a darray it is (default: 0)"},
    option_info{"--pieces", "N", "how many pieces are listed (default: 8)"},
    option_info{"--svg", "FILE", "draws its bytes and pieces"},
};
constexpr std::array plan_options{
    option_info{"--array", "AxBxC", "the sizes of the array, in elements"},
    option_info{"--type", "NAME", "its elements (default: double)"},
    option_info{"--ranks", "N", "processes (default: 4)"},
    option_info{"--nodes", "N", "on so many nodes (default: 1)"},
    option_info{"--grid", "AxBxC",
                "how the ranks lie over the array (default: as square as possible)"},
    option_info{"--block", "", "a block of each dimension for each rank (default)"},
    option_info{"--cyclic", "K", "K indices of each dimension at a time, dealt in turn"},
    option_info{"--write", "", "plans write_all (default)"},
    option_info{"--read", "", "plans read_all"},
    option_info{"--hint", "NAME=VALUE", "a hint; may be given more than once", true},
    option_info{"--hints", "FILE", "hints from a file, as ARGOSY_HINTS names it"},
    option_info{"--block-bytes", "N", "block of the file system (default: 4096)"},
    option_info{"--svg", "FILE", "draws domains, rounds and the pieces of the ranks"},
    option_info{"--no-dry-run", "", "plans only"},
};
constexpr std::array trace_command_options{
    option_info{"--text", "", "prints a line for each event instead, file by file"},
    option_info{
        "--perfetto", "FILE",
        "writes one JSON for ui.perfetto.dev: a process for each rank, an arrow for each message"},
    option_info{"--svg", "FILE", "draws all calls, a row for each rank"},
    option_info{"--small", "BYTES", "calls below this are small (default: 4096)"},
};
constexpr std::array bench_options{
    option_info{"--bytes", "N", "of each rank (default: 4m)"},
    option_info{"--piece-bytes", "N", "of each piece (default: 2k)"},
    option_info{"--sync", "", "counts the time until written data is on the disk"},
};
constexpr std::array calibrate_options{
    option_info{"--output", "FILE", "where the hints are written (default: argosy.hints)"},
};

constexpr std::array table{
    command_info{"layout", "TYPE", 1, 1, "shows a datatype: its normal form, pieces and density",
                 "The type is text: a basic type such as double or int32; double[10]; bytes(24); "
                 "contiguous(10; double); "
                 "vector(COUNT,BLOCK,STRIDE; TYPE); indexed(LENGTHS; at PLACES; TYPE); "
                 "indexed_block(LENGTH; at PLACES; "
                 "TYPE); with h in front, strides and places are bytes; subarray(SIZES; SUBSIZES; "
                 "STARTS; TYPE); "
                 "darray(SIZES; RULES; grid AxB; TYPE), where rules are block, block(k), cyclic, "
                 "cyclic(k) or none; "
                 "resized(LOWER,EXTENT; TYPE); record(PLACE: TYPE; PLACE: TYPE). Lists are numbers "
                 "with commas. Behind the "
                 "type of an array may stand ; fortran.",
                 layout_options,
                 "layout 'darray(1024,1024; block,cyclic(8); grid 4x4; double)' --rank 5",
                 run_layout},
    command_info{"plan", "", 0, 0,
                 "says what a collective call on an array would do, without a file",
                 "Prints the plan that the library would carry out, why it was chosen, and what "
                 "other policies would do, "
                 "with the prices that are compared. Then the call is made on the virtual cluster, "
                 "once by each policy, "
                 "with messages and calls counted; prices are those of its disk, and without this "
                 "run those of local files. An "
                 "array that is too large for memory is halved until it fits, and the "
                 "output says so.",
                 plan_options,
                 "plan --ranks 64 --nodes 4 --array 1024x1024x1024 --type double --block --write "
                 "--svg plan.svg",
                 run_plan},
    command_info{"trace", "FILE...", 1, -1,
                 "merges the traces of ranks: what calls cost, and which are too small",
                 "Traces are written by programs under ARGOSY_TRACE=calls (or phases: also what "
                 "collective calls wait "
                 "for), as JSON; of one that crashes, ARGOSY_TRACE_WRITE=at_once loses "
                 "no lines. Shown are a table by call, the slowest ranks, who "
                 "makes many small calls, and what was read only to be written back. Ends with 1 "
                 "if a line could not be "
                 "read.",
                 trace_command_options, "trace /tmp/argosy-prog-*.json --perfetto run.json",
                 run_trace},
    command_info{
        "info", "FILE...", 1, -1, "tells what files of arrays hold",
        "Types, shapes and places of the arrays in .npy files, checkpoints of argosy, HDF5 "
        "files and Zarr stores (a directory, or a path into a zip file), by their headers. "
        "Beside them, files that end in .part: what killed jobs left of their saves, and "
        "what running ones write. "
        "Ends with 1 if a file is none of these, is shorter than its header says, or has "
        "a damaged block.",
        info_options, "info u.npy run.h5 state --check", run_info},
    command_info{
        "diff", "A B", 2, 2, "compares two arrays in files of any formats",
        "An array is a .npy file, a Zarr array (a directory, or a path into a zip file), a dataset "
        "of an HDF5 file or an array of a checkpoint as FILE:ARRAY, or a raw file. Shown are types "
        "and shapes, the number of elements that differ, the first of them, and the largest "
        "absolute and relative error of numbers. NaN is equal to NaN. Ends with 0 if the arrays "
        "are equal, 1 if they differ, and 2 if they cannot be compared.",
        diff_options, "diff u.npy run.h5:fields/u --tolerance 1e-9", run_diff},
    command_info{
        "convert", "A B", 2, 2, "copies an array to a file of another format",
        "A is an array as for argosy diff. The name of B says the format: .npy; .zarr; "
        ".h5:ARRAY, .hdf5:ARRAY, .he5:ARRAY or .nc:ARRAY; .checkpoint:ARRAY or .ckpt:ARRAY; .raw, "
        ".bin or .dat. Runs alone, or under mpiexec; then each rank copies parts. Numbers get the "
        "byte order of this machine. Attributes and names of dimensions are carried between Zarr "
        "and HDF5; what B has no place for is said. B has its name only when it is whole.",
        convert_options, "convert u.npy u.zarr --chunks 64x64 --codec zstd:3", run_convert},
    command_info{
        "refs", "FILE...", 1, -1, "lets zarr and xarray open arrays without a copy",
        "Writes Kerchunk references, version 1: a JSON object with the places of arrays in .npy "
        "files, checkpoints, HDF5 files and raw files, as a Zarr group. FILE:ARRAY is one array of "
        "a file, and FILE all of them. Datasets of HDF5 may have the filters shuffle, deflate, "
        "zstd and fletcher32. Checksums of checkpoints are not read.",
        refs_options, "refs state.checkpoint u.npy --output run.json", run_refs},
    command_info{
        "bench", "DIR", 1, 1,
        "measures the four levels of access in a directory, beside plain calls",
        "Level 0: a local call for each piece; 1: a collective call for each; 2: one local call on "
        "a view; 3: one "
        "collective call on it. Pieces of all ranks lie in the file in turn. What is read is "
        "compared with what "
        "was written. Runs alone, or under mpiexec. Takes some seconds; the file is removed.",
        bench_options, "bench /scratch", run_bench},
    command_info{
        "calibrate", "DIR", 1, 1,
        "measures the prices by which the library chooses, and writes them as hints",
        "Measured are calls, locks and bytes of files in the directory; with several ranks also "
        "messages. The "
        "library reads the file of hints that the environment variable ARGOSY_HINTS names.",
        calibrate_options, "calibrate /scratch --output scratch.hints", run_calibrate},
    command_info{"doctor",
                 "[DIR]",
                 0,
                 1,
                 "looks at MPI, memory, limits and a directory: what works, and what will be slow",
                 "The directory is the current one, unless it is given. Every line says ok, slow "
                 "or BROKEN, and why. Ends "
                 "with 1 if something is broken.",
                 {},
                 "doctor /scratch",
                 run_doctor},
};

}  // namespace

std::span<command_info const> all_commands() noexcept { return table; }

}  // namespace argosy::tool
