#pragma once
#include <vector>

namespace hyb {

/// Averages of the measured signals over whole periods, and the hum that is expected in these signals.
struct PeriodAverages {
  int periods = 30;                 // of an average
  bool hann = true;                 // its window; otherwise a rectangle
  std::vector<int> harmonics;       // that are averaged
  std::vector<double> range_hz;     // frequencies of the test; of a range its ends
  bool range = false;               // all frequencies between two ends
  double hum_hz = 50.0;             // of the hum
  double hum_n = 0.0, hum_m = 0.0;  // its amplitude in forces and in motions; 0: none
  double tolerance_m = 0.0;         // of a residual in m; 0: it has another unit
};

}  // namespace hyb
