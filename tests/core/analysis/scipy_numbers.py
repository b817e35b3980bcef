#!/usr/bin/env python3
"""Prints scipy_numbers.h: what scipy.signal makes of one small record. scipy_numbers.py > scipy_numbers.h"""
import numpy
import scipy
from scipy import signal

RATE, LENGTH, OVERLAP = 200.0, 32, 16
generator = numpy.random.default_rng(56)
x = numpy.round(generator.standard_normal(128) + 0.5 + 0.01 * numpy.arange(128), 6)
y = numpy.round(signal.lfilter([0.4, 0.2], [1.0, -0.5], x) + 0.3 * generator.standard_normal(128), 6)
split = {"fs": RATE, "nperseg": LENGTH, "noverlap": OVERLAP}


def told(name, values):
    text = ",".join(repr(float(v)) for v in values)
    print(f"inline const std::vector<double> {name}{{{text}}};")


print("#pragma once\n#include <vector>\n")
print(f"/// Printed by scipy_numbers.py with scipy {scipy.__version__}: a record at 200 Hz, segments of 32 rows, half of them shared.")
print("namespace hyb::test::scipy_numbers {\n")
told("kX", x)
told("kY", y)
told("kHannDensity", signal.welch(x, window="hann", detrend="constant", **split)[1])
told("kHammingDensity", signal.welch(x, window="hamming", detrend=False, **split)[1])
told("kFlatTopPower", signal.welch(x, window="flattop", detrend="constant", scaling="spectrum", **split)[1])
told("kRectangularDensityWithoutLine", signal.welch(x, window="boxcar", detrend="linear", **split)[1])
cross = signal.csd(x, y, window="hann", detrend="constant", **split)[1]
told("kCrossReal", cross.real)
told("kCrossImaginary", cross.imag)
told("kCoherence", signal.coherence(x, y, window="hann", detrend="constant", **split)[1])
print("\n}  // namespace hyb::test::scipy_numbers")
