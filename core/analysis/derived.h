#pragma once
#include <functional>

#include "core/data/table.h"
#include "core/signal/window.h"

/// Derived channels: each function returns the table with one more channel, the last one. Its column is computed when
/// it is first read, as a whole, and kept.
namespace hyb {

/// `channel` with the values that `column` returns, one for each row.
Table withChannel(Table table, Channel channel, std::function<std::vector<double>()> column);

/// Butterworth filter forwards and backwards over the record: no phase shift; the magnitude is -3.01 dB at the cut-off
/// frequency and falls (low-pass) or rises (high-pass) with 2 order powers of the frequency. Each stretch between
/// missing rows is filtered on its own. order 1 to 4. Throws InputError: unknown channel, no rate, a cut-off frequency
/// that is not above 0 and below half the rate.
Table lowPassed(Table table, const std::string& name, double cutoff_hz, int order);
Table highPassed(Table table, const std::string& name, double cutoff_hz, int order);

/// Derivative over time by central differences, in the unit per second. Each stretch between missing rows is
/// differentiated on its own; one of fewer than three rows becomes missing. Throws InputError: unknown channel, no
/// rate.
Table derivative(Table table, const std::string& name);

/// Integral over time from the first row on by the trapezoidal rule, of the values less their trend. Throws InputError:
/// unknown channel, no rate, a missing row.
Table integral(Table table, const std::string& name, Detrend detrend = Detrend::none);

}  // namespace hyb
