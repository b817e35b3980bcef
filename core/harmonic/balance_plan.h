#pragma once
#include <Eigen/Core>
#include <complex>
#include <vector>

namespace hyb {

/// Where a pass puts further frequencies between those that were asked for.
struct BalanceRefinement {
  int most = 0;        // in a pass; 0: none
  int halvings = 2;    // of the interval between two frequencies
  double bend = 0.03;  // share of the largest response by which a frequency is off the line between its neighbours
};

/// How often a sweep is gone through, and how.
struct BalanceCampaignSettings {
  std::vector<double> levels{1.0};  // by which the loads are multiplied, one after the other
  int repeats = 1;                  // at each level
  bool back = false;                // each time back, too
  bool extrapolate = false;  // a frequency begins on the line through the last two, else with what the last came to
  BalanceRefinement refine;
};

/// The order in which a campaign goes through its frequencies: at each level, each time, forth and perhaps back. Once a
/// pass is through, frequencies are added where its response bends most, halfway between two that were measured, as
/// long as it does. And what each begins with: see settings; an added one with the line between its neighbours; the
/// first of a pass with what it came to before, at the new level.
/// What comes next follows from what was measured alone, so that a campaign which was stopped can be taken up.
/// Nothing allocates but the constructor.
class BalancePlan {
 public:
  /// `unknowns`: amplitudes that stand for a frequency.
  BalancePlan(const BalanceCampaignSettings& settings, std::vector<double> frequencies_hz, Eigen::Index unknowns);
  /// All that may come up, in the order of the sweep: [places].
  static std::vector<double> places(const std::vector<double>& frequencies_hz, const BalanceRefinement& refine);
  void reset() noexcept;

  /// Of now: index into places(); pass and number of the frequency within the campaign, from 1; factor of the loads.
  std::size_t place() const noexcept { return place_; }
  int pass() const noexcept { return static_cast<int>(pass_) + 1; }
  int number() const noexcept { return number_; }
  double level() const noexcept { return levelOf(pass_); }
  bool added() const noexcept { return added_ > 0; }
  std::size_t most() const noexcept;     // frequencies that may be measured
  std::size_t planned() const noexcept;  // those that are known to be

  /// What the frequency came to: response, and amplitudes that it leaves behind.
  void keep(bool balanced, std::complex<double> response, const Eigen::VectorXd& amplitudes) noexcept;
  /// To the next one; false: there is none.
  bool next() noexcept;
  /// Amplitudes to begin it with.
  const Eigen::VectorXd& start() const noexcept { return start_; }

 private:
  struct Kept {
    bool measured = false, balanced = false;  // in this pass
    std::complex<double> response;
    double level = 0.0;  // at which the amplitudes are; 0: there are none
  };
  double levelOf(std::size_t pass) const noexcept;
  bool backward() const noexcept { return settings_.back && pass_ % 2 == 1; }
  std::size_t passes() const noexcept;
  std::size_t placeOf(std::size_t step) const noexcept;
  std::size_t bendiest() const noexcept;
  void onLine(std::size_t from, std::size_t to) noexcept;

  BalanceCampaignSettings settings_;
  std::vector<double> hz_;      // [places]
  std::size_t stride_;          // places from one frequency that was asked for to the next
  std::size_t steps_;           // of a pass
  std::vector<Kept> kept_;      // [places]
  Eigen::MatrixXd amplitudes_;  // [unknowns, places]
  std::size_t place_ = 0, pass_ = 0, step_ = 0, all_added_ = 0;
  int number_ = 1, added_ = 0;  // added_: in this pass
  Eigen::VectorXd start_;
};

}  // namespace hyb
