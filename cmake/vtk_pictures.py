#!/usr/bin/env python3
"""cmake/vtk_pictures.py FILE...: draws the last step of each VTKHDF file to FILE.png, by VTK's
off-screen renderer. Colours are those of an array of the file: of its cells, or else of its points.
SPDX-License-Identifier: BSD-3-Clause
"""
import sys

import vtkmodules.vtkRenderingOpenGL2  # noqa: F401: it is the renderer
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as pipeline
from vtkmodules.vtkFiltersGeometry import vtkCompositeDataGeometryFilter, vtkGeometryFilter
from vtkmodules.vtkIOHDF import vtkHDFReader
from vtkmodules.vtkIOImage import vtkPNGWriter
from vtkmodules.vtkRenderingCore import (vtkActor, vtkPolyDataMapper, vtkRenderer, vtkRenderWindow,
                                         vtkWindowToImageFilter)


def surface_of(path):
    reader = vtkHDFReader()
    reader.SetFileName(path)
    reader.UpdateInformation()
    info = reader.GetOutputInformation(0)
    steps = info.Get(pipeline.TIME_STEPS()) if info.Has(pipeline.TIME_STEPS()) else []
    reader.UpdateTimeStep(steps[-1]) if steps else reader.Update()
    data = reader.GetOutputDataObject(0)
    of_parts = data.IsA("vtkCompositeDataSet")
    surface = vtkCompositeDataGeometryFilter() if of_parts else vtkGeometryFilter()
    surface.SetInputData(data)
    surface.Update()
    return surface.GetOutput()


def draw(path):
    surface = surface_of(path)
    mapper = vtkPolyDataMapper()
    mapper.SetInputData(surface)
    for arrays, use in ((surface.GetPointData(), mapper.SetScalarModeToUsePointFieldData),
                        (surface.GetCellData(), mapper.SetScalarModeToUseCellFieldData)):
        names = [arrays.GetArrayName(k) for k in range(arrays.GetNumberOfArrays())]
        for name in (n for n in names if n != "vtkGhostType"):  # which VTK adds
            use()
            mapper.SelectColorArray(name)
            mapper.SetScalarRange(arrays.GetArray(name).GetRange())
    actor = vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetPointSize(8)
    actor.GetProperty().EdgeVisibilityOn()
    scene, window = vtkRenderer(), vtkRenderWindow()
    scene.SetBackground(1, 1, 1)
    scene.AddActor(actor)
    window.SetOffScreenRendering(True)
    window.SetSize(600, 450)
    window.AddRenderer(scene)
    scene.GetActiveCamera().Azimuth(30)
    scene.GetActiveCamera().Elevation(25)
    scene.ResetCamera()
    window.Render()
    image, png = vtkWindowToImageFilter(), vtkPNGWriter()
    image.SetInput(window)
    png.SetFileName(path + ".png")
    png.SetInputConnection(image.GetOutputPort())
    png.Write()
    print(f"{path}.png: {surface.GetNumberOfPoints()} points, {surface.GetNumberOfCells()} cells")


for name in sys.argv[1:]:
    draw(name)
