"""Evaluates an ONNX file: check.py FOLDER. Reads model.onnx and planes (32-bit floats), writes one file per output."""

import sys
from pathlib import Path

import numpy
import onnxruntime

folder = Path(sys.argv[1])
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(folder / "model.onnx", options, providers=["CPUExecutionProvider"])
(planes,) = session.get_inputs()
batch = numpy.fromfile(folder / "planes", dtype="<f4").reshape([-1, *planes.shape[1:]])
for output, values in zip(session.get_outputs(), session.run(None, {planes.name: batch})):
    assert list(values.shape[1:]) == output.shape[1:], (output.name, values.shape, output.shape)
    values.astype("<f4").tofile(folder / output.name)
