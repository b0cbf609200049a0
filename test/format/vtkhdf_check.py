# Reads VTKHDF files for test_vtkhdf_mpi by VTK's own reader. Writes what it has found to FILE.seen:
# a line for each grid, list of points or cells, and array, of each step and partition.
#   python3 vtkhdf_check.py FILE...
# SPDX-License-Identifier: BSD-3-Clause
import resource
import sys

from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as pipeline
from vtkmodules.vtkIOHDF import vtkHDFReader


def show(numbers):
    return " ".join(f"{n:g}" for n in numbers)


def show_array(array):
    return show(array.GetComponent(i, c) for i in range(array.GetNumberOfTuples())
                for c in range(array.GetNumberOfComponents()))


def show_cells(cells, type_of=lambda k: ""):
    if cells.GetNumberOfCells() == 0:
        return ""
    offsets, corners = cells.GetOffsetsArray(), cells.GetConnectivityArray()
    at = [int(offsets.GetTuple1(k)) for k in range(offsets.GetNumberOfTuples())]
    return " ".join(type_of(k) + ",".join(f"{corners.GetTuple1(i):g}" for i in range(at[k], at[k + 1]))
                    for k in range(cells.GetNumberOfCells()))


def lines_of(data):
    if data.IsA("vtkImageData"):
        yield "grid " + show(data.GetExtent() + data.GetOrigin() + data.GetSpacing())
    elif data.GetNumberOfPoints() > 0:
        yield "points " + show_array(data.GetPoints().GetData())
    lists = {}
    if data.IsA("vtkUnstructuredGrid"):
        lists = {"cells": show_cells(data.GetCells(), lambda k: f"{data.GetCellType(k)}:")}
    if data.IsA("vtkPolyData"):
        lists = {"Vertices": show_cells(data.GetVerts()), "Lines": show_cells(data.GetLines()),
                 "Polygons": show_cells(data.GetPolys()), "Strips": show_cells(data.GetStrips())}
    yield from (f"{name} {cells}" for name, cells in lists.items() if cells)
    for place, arrays in (("point", data.GetPointData()), ("cell", data.GetCellData())):
        for k in range(arrays.GetNumberOfArrays()):
            # VTK marks cells under finer boxes by an array of its own.
            if arrays.GetArray(k).GetNumberOfTuples() > 0 and arrays.GetArrayName(k) != "vtkGhostType":
                yield f"{place} {arrays.GetArrayName(k)} {show_array(arrays.GetArray(k))}"


def see(path):
    reader = vtkHDFReader()
    assert reader.CanReadFile(path), path
    reader.SetFileName(path)
    reader.UpdateInformation()
    info = reader.GetOutputInformation(0)
    # VTK gives a file of one step no times.
    times = info.Get(pipeline.TIME_STEPS()) if info.Has(pipeline.TIME_STEPS()) else [None]
    with open(path + ".seen", "w") as out:
        for step, time in enumerate(times):
            reader.Update() if time is None else reader.UpdateTimeStep(time)
            if time is not None:
                print(f"step {step} time {time:g}", file=out)
            data = reader.GetOutputDataObject(0)
            fields = data.GetFieldData()
            for k in range(fields.GetNumberOfArrays()):
                # VTK adds "Time", and has no arrays without numbers in steps.
                if fields.GetArrayName(k) != "Time" and fields.GetArray(k).GetNumberOfTuples() > 0:
                    print(f"step {step} field {fields.GetArrayName(k)} {show_array(fields.GetArray(k))}",
                          file=out)
            if data.IsA("vtkOverlappingAMR"):
                for level in range(data.GetNumberOfLevels()):
                    for box in range(data.GetNumberOfBlocks(level)):
                        for line in lines_of(data.GetDataSetAsImageData(level, box)):
                            print(f"step {step} level {level} box {box} {line}", file=out)
                continue
            parts = [data]
            if data.IsA("vtkPartitionedDataSet"):
                parts = [data.GetPartitionAsDataObject(p) for p in range(data.GetNumberOfPartitions())]
                parts = [p for p in parts if p and p.GetNumberOfPoints() > 0]  # VTK may leave out others
            for p, part in enumerate(parts):
                for line in lines_of(part):
                    print(f"step {step} part {p} {line}", file=out)


resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))  # a fault of VTK may allocate all memory
for name in sys.argv[1:]:
    see(name)
