#!/usr/bin/env python3
"""cmake/vtk_pictures.py FILE...: draws the last step of each VTKHDF file to FILE.png, off screen.
Colours are those of an array of its cells, or else of its points.
SPDX-License-Identifier: BSD-3-Clause
"""
import sys

import vtkmodules.all as vtk


def surface_of(path):
    reader = vtk.vtkHDFReader(file_name=path)
    reader.UpdateInformation()
    times = vtk.vtkStreamingDemandDrivenPipeline.TIME_STEPS()
    steps = reader.GetOutputInformation(0).Get(times) or []
    reader.UpdateTimeStep(steps[-1]) if steps else reader.Update()
    parts = [reader.GetOutputDataObject(0)]
    if parts[0].IsA("vtkCompositeDataSet"):
        place = parts.pop().NewIterator()
        while not place.IsDoneWithTraversal():
            parts.append(place.GetCurrentDataObject())
            place.GoToNextItem()
    whole = vtk.vtkAppendPolyData()
    for part in parts:
        surface = vtk.vtkGeometryFilter()  # it leaves out cells under finer boxes
        surface.SetInputData(part)
        surface.Update()
        whole.AddInputData(surface.GetOutput())
    whole.Update()
    return whole.GetOutput()


def draw(path):
    surface = surface_of(path)
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputData(surface)
    for arrays, use in ((surface.GetPointData(), mapper.SetScalarModeToUsePointFieldData),
                        (surface.GetCellData(), mapper.SetScalarModeToUseCellFieldData)):
        for k in range(arrays.GetNumberOfArrays()):
            if arrays.GetArrayName(k) != "vtkGhostType":  # which VTK adds
                use()
                mapper.SelectColorArray(arrays.GetArrayName(k))
                mapper.SetScalarRange(arrays.GetArray(k).GetRange())
    look = vtk.vtkProperty(point_size=8, edge_visibility=True)
    actor = vtk.vtkActor(mapper=mapper, property=look)
    scene = vtk.vtkRenderer(background=(1, 1, 1))
    window = vtk.vtkRenderWindow(off_screen_rendering=True)
    scene.AddActor(actor)
    window.AddRenderer(scene)
    scene.GetActiveCamera().SetPosition(-0.5, 0.4, -0.8)  # the origin is in front
    scene.ResetCamera()
    window.Render()
    png = vtk.vtkPNGWriter(file_name=path + ".png")
    png.SetInputConnection(vtk.vtkWindowToImageFilter(input=window).GetOutputPort())
    png.Write()
    print(f"{path}.png: {surface.GetNumberOfPoints()} points, {surface.GetNumberOfCells()} cells")


for name in sys.argv[1:]:
    draw(name)
