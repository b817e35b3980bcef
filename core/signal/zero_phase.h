#pragma once
#include <span>
#include <vector>

namespace hyb {

/// Butterworth low-pass that runs over a whole record, forwards and then backwards: it has no phase shift, and its
/// magnitude is |Q| = 1/(1 + (f/f_Q)^(2 n)), -6 dB at the cut-off. Both runs start in the steady state of the first
/// value; nothing is added at the ends of the record (Insam 2022, D6.1 with D19.1 of the note).
class ZeroPhase {
 public:
  /// order 1 to 4; cutoff_hz below half the rate 1/step_s.
  ZeroPhase(int order, double cutoff_hz, double step_s);
  /// Real-time safe.
  void apply(std::span<double> record) const noexcept;
  /// |Q| at a frequency up to half the rate.
  double magnitude(double frequency_hz) const noexcept;

 private:
  struct Section {
    double b0, b1, b2, a1, a2;
  };
  template <typename Iterator>
  static void run(const Section& section, Iterator first, Iterator last) noexcept;
  std::vector<Section> sections_;
  int order_;
  double warped_, step_s_;  // tan(pi f_Q step)
};

}  // namespace hyb
