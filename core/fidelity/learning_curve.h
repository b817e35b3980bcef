#pragma once
#include <cstdint>
#include <vector>

namespace hyb {

/// Closing of a gap while a command learns: the mean square of the gap over each period of the first harmonic, divided
/// by the largest mean square of the motion of the uncut structure,
///   NMSE = mean(g^2) / max mean(y^2).
/// Without such a motion (a specimen with its own laws), y is that of the rig.
/// Source: A. Bartl et al., A hybrid testing method based on adaptive feed-forward filters, figures 11, 12 and 21.
class LearningCurve {
 public:
  explicit LearningCurve(double period_s = 1.0) : period_s_(period_s) {}
  /// Adds one row, in the order of time; time since the start of the test, s.
  void add(double time_s, double gap, double coupled);
  std::size_t size() const noexcept { return gap_.size(); }
  /// End of a period, s.
  double time_s(std::size_t k) const noexcept { return static_cast<double>(numbers_[k] + 1) * period_s_; }
  /// NaN without motion.
  double nmse(std::size_t k) const noexcept;

 private:
  void close();
  double period_s_, gap_squares_ = 0.0, coupled_squares_ = 0.0, most_ = 0.0;
  std::int64_t number_ = 0, rows_ = 0;  // of the present period
  std::vector<std::int64_t> numbers_;   // of the completed periods
  std::vector<double> gap_;             // mean squares
};

}  // namespace hyb
