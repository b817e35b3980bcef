#pragma once
#include <Eigen/Core>
#include <complex>
#include <vector>

namespace hyb {

/// Refinement of a pass: further frequencies between the given ones.
struct BalanceRefinement {
  int most = 0;        // in a pass; 0: none
  int halvings = 2;    // of the interval between two frequencies
  double bend = 0.03;  // distance from the line between the neighbours that triggers it, share of the largest response
};

/// Passes of a sweep.
struct BalanceCampaignSettings {
  std::vector<double> levels{1.0};  // factors of the loads, one after the other
  int repeats = 1;                  // at each level
  bool back = false;                // each repeat also runs backward
  bool extrapolate = false;         // start on the line through the last two; otherwise at the last result
  BalanceRefinement refine;
};

/// The order of the frequencies in a campaign: at each level, each repeat, forward and optionally backward. After a
/// pass, frequencies are added where its response bends most, halfway between two measured ones, until the bend is
/// small. Also the start of each frequency: see settings; an added one starts on the line between its neighbours; the
/// first of a pass starts with its earlier result, at the new level. The order depends only on measured values, so that
/// a stopped campaign can be continued. Allocates only in the constructor.
class BalancePlan {
 public:
  /// `unknowns`: amplitudes per frequency.
  BalancePlan(const BalanceCampaignSettings& settings, const std::vector<double>& frequencies_hz,
              Eigen::Index unknowns);
  /// All possible frequencies, in the order of the sweep: [places].
  static std::vector<double> places(const std::vector<double>& frequencies_hz, const BalanceRefinement& refine);
  void reset() noexcept;

  /// Present index into places(); pass and number of the frequency within the campaign, from 1; factor of the loads.
  std::size_t place() const noexcept { return place_; }
  int pass() const noexcept { return static_cast<int>(pass_) + 1; }
  int number() const noexcept { return number_; }
  double level() const noexcept { return levelOf(pass_); }
  bool added() const noexcept { return added_ > 0; }
  std::size_t most() const noexcept;     // frequencies that may be measured
  std::size_t planned() const noexcept;  // those already planned

  /// Stores the result of the frequency: response, and final amplitudes.
  void keep(bool balanced, std::complex<double> response, const Eigen::VectorXd& amplitudes) noexcept;
  /// Moves to the next one; false: there is none.
  bool next() noexcept;
  /// Its start amplitudes.
  const Eigen::VectorXd& start() const noexcept { return start_; }

 private:
  struct Kept {
    bool measured = false, balanced = false;  // in this pass
    std::complex<double> response;
    double level = 0.0;  // level of the amplitudes; 0: no amplitudes
  };
  double levelOf(std::size_t pass) const noexcept;
  bool backward() const noexcept { return settings_.back && pass_ % 2 == 1; }
  std::size_t passes() const noexcept;
  std::size_t placeOf(std::size_t step) const noexcept;
  std::size_t bendiest() const noexcept;
  void onLine(std::size_t from, std::size_t to) noexcept;

  BalanceCampaignSettings settings_;
  std::vector<double> hz_;      // [places]
  std::size_t stride_;          // places between two given frequencies
  std::size_t steps_;           // of a pass
  std::vector<Kept> kept_;      // [places]
  Eigen::MatrixXd amplitudes_;  // [unknowns, places]
  std::size_t place_ = 0, pass_ = 0, step_ = 0, all_added_ = 0;
  int number_ = 1, added_ = 0;  // added_: in this pass
  Eigen::VectorXd start_;
};

}  // namespace hyb
