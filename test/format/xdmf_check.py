# Reads .xdmf files for test_xdmf. Prints each step: its time, its spacing or coordinates, and each
# field with its center and its values, x fastest.
#   python3 xdmf_check.py xml FILE     with Python's own XML parser, and its `struct` for the values
#   python3 xdmf_check.py vtk FILE     with ParaView's reader, which cmake/vtk.sh installs (Debian's
#                                      VTK lacks it)
# SPDX-License-Identifier: BSD-3-Clause
import os
import struct
import sys
import xml.etree.ElementTree

FORMATS = {("Float", 4): "f", ("Float", 8): "d", ("Char", 1): "b", ("UChar", 1): "B", ("Short", 2): "h", ("UShort", 2): "H",
           ("Int", 4): "i", ("UInt", 4): "I", ("Int", 8): "q", ("UInt", 8): "Q"}


def show(numbers):
    return " ".join(f"{n:g}" for n in numbers)


def xml_values(item, place):
    count = 1
    for n in item.get("Dimensions").split():
        count *= int(n)
    if item.get("Format") == "XML":
        values = [float(x) for x in item.text.split()]
        assert len(values) == count, (len(values), count)
        return values
    code = FORMATS[item.get("NumberType"), int(item.get("Precision"))]
    with open(os.path.join(place, item.text), "rb") as f:
        f.seek(int(item.get("Seek")))
        return struct.unpack(("<" if item.get("Endian") == "Little" else ">") + str(count) + code,
                             f.read(count * struct.calcsize(code)))


def xml_file(path):
    root = xml.etree.ElementTree.parse(path).getroot()
    assert root.tag == "Xdmf"
    for step in root.findall("./Domain/Grid[@CollectionType='Temporal']/Grid"):
        print("time", show([float(step.find("Time").get("Value"))]))
        points = [int(n) for n in reversed(step.find("Topology").get("Dimensions").split())]
        items = [xml_values(i, "") for i in step.findall("Geometry/DataItem")]
        if step.find("Geometry").get("GeometryType") == "ORIGIN_DXDYDZ":
            origin, spacing = items
            items = [[o + s * i for i in range(n)] for o, s, n in zip(origin[::-1], spacing[::-1], points)]
        for axis in items:
            print("axis", show(axis))
        for field in step.findall("Attribute"):
            print(field.get("Center").lower(), field.get("Name"), show(xml_values(field.find("DataItem"),
                                                                                os.path.dirname(path))))


def vtk_file(path):
    from vtkmodules.vtkIOXdmf2 import vtkXdmfReader
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as pipeline
    reader = vtkXdmfReader()
    reader.SetFileName(path)
    reader.UpdateInformation()
    times = reader.GetOutputInformation(0).Get(pipeline.TIME_STEPS())
    for time in times:
        reader.UpdateTimeStep(time)
        grid = reader.GetOutputDataObject(0)
        while grid.IsA("vtkMultiBlockDataSet"):
            grid = grid.GetBlock(0)
        print("time", show([time]))
        points = grid.GetDimensions()
        for axis in range(3):
            step = 1 if axis == 0 else points[0] if axis == 1 else points[0] * points[1]
            print("axis", show(grid.GetPoint(i * step)[axis] for i in range(points[axis])))
        for name, data in (("node", grid.GetPointData()), ("cell", grid.GetCellData())):
            for k in range(data.GetNumberOfArrays()):
                a = data.GetArray(k)
                print(name, a.GetName(), show(a.GetComponent(i, c) for i in range(a.GetNumberOfTuples())
                                              for c in range(a.GetNumberOfComponents())))


xml_file(sys.argv[2]) if sys.argv[1] == "xml" else vtk_file(sys.argv[2])
