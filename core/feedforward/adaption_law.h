#pragma once
#include <Eigen/Core>
#include <complex>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/checks.h"
#include "core/base/json_fwd.h"
#include "core/compensation/compensator.h"
#include "core/feedforward/gap_model.h"
#include "core/feedforward/harmonics.h"

namespace hyb {

/// Context of a law.
struct AdaptionContext {
  Eigen::Index axes = 1, harmonics = 1;
  double step_s = 1e-3;
  double amplitude = 1.0;  // of the random identification commands, N
  Eigen::Index pairs() const noexcept { return 2 * axes * harmonics; }
};

/// Response of one harmonic, [i, i] gap over command, m/N, from pairs [pairs, i] as in FeedforwardLaw, and back.
/// Real-time safe if `matrix` has its size.
void readResponse(const Eigen::MatrixXd& pairs, Eigen::Index harmonic, Eigen::MatrixXcd& matrix) noexcept;
void writeResponse(const Eigen::MatrixXcd& matrix, Eigen::Index harmonic, Eigen::MatrixXd& pairs) noexcept;

/// Law of an adaptive feed-forward filter: effect of the commands on the gap (identification) and commands that close
/// it (adaption). Amplitudes are pairs as in Harmonics: theta [pairs] of the commands, response [pairs, i] of gap i,
/// for each harmonic and actuator [Re H, Im H] of H = gap over command, m/N. Real-time safe except for the constructor.
class FeedforwardLaw {
 public:
  explicit FeedforwardLaw(const AdaptionContext& context);
  virtual ~FeedforwardLaw() = default;
  const Eigen::VectorXd& theta() const noexcept { return theta_; }
  const Eigen::MatrixXd& response() const noexcept { return response_; }
  /// theta e^{j w t} of the last update, from Harmonics::turn().
  const Eigen::VectorXd& turned() const noexcept { return turned_; }
  /// Resets to theta = 0 with `response` as the only known response.
  void reset(const Eigen::MatrixXd& response) noexcept;
  /// theta of the random commands.
  Eigen::VectorXd& command() noexcept { return theta_; }

  /// One tick in which the command is theta, and the gap [i], m, is caused only by it. learns: false while the last
  /// change still rings.
  void identify(const Harmonics& harmonics, const Eigen::VectorXd& gap, bool learns) noexcept;
  /// Starts closing the gap: theta = 0, with the identified response.
  void begin() noexcept;
  /// One tick: theta from the gap and from the gap caused only by the excitation, `alone` [i], m.
  void adapt(const Harmonics& harmonics, const Eigen::VectorXd& gap, const Eigen::VectorXd& alone) noexcept;
  /// theta = 0, no learning.
  void rest() noexcept;

  virtual std::vector<Tunable> tunables() const { return {}; }
  virtual void tune(std::size_t /*index*/, double /*value*/) noexcept {}

 protected:
  virtual void beginIdentification() noexcept {}
  virtual void learnResponse(const Eigen::VectorXd& gap) noexcept = 0;
  virtual void endIdentification() noexcept {}
  virtual void beginAdaption() noexcept {}
  virtual void learnCommand(const Eigen::VectorXd& gap, const Eigen::VectorXd& alone) noexcept = 0;
  /// Called with the new command.
  virtual void relearnResponse(const Eigen::VectorXd& /*gap*/, const Eigen::VectorXd& /*alone*/) noexcept {}
  /// Present gap i over theta: row i of W P, [pairs].
  auto rowOfGap(Eigen::Index i) const noexcept { return rows_.col(i); }
  /// Of a harmonic, m^2/N^2: the sum of the squares of all gains, an upper bound of the squared largest gain of the
  /// matrix.
  double gainSquared(Eigen::Index harmonic) const noexcept;

  AdaptionContext context_;
  Eigen::VectorXd theta_, turned_;
  Eigen::MatrixXd response_;

 private:
  Eigen::MatrixXd rows_;  // [pairs, i]
};

/// Configured, immutable and shared.
class AdaptionSpec {
 public:
  virtual ~AdaptionSpec() = default;
  virtual std::string_view name() const noexcept = 0;
  virtual std::unique_ptr<FeedforwardLaw> make(const AdaptionContext& context) const = 0;
  /// True if the gap itself drives the command: such a loop diverges with a wrong response or too large steps.
  virtual bool feedsBack() const noexcept { return false; }
  /// With feedback: growth of the loop around a model, 1/s, with the assumed response, [pairs, i], and its steps times
  /// `factor`.
  virtual double growth(const GapModel& /*model*/, const Harmonics& /*harmonics*/, const Eigen::MatrixXd& /*taken*/,
                        double /*factor*/) const {
    return 0.0;
  }
  /// Without feedback: final share of the gap if the assumed response is the true one times `error`; empty: independent
  /// of it.
  virtual std::optional<double> left(std::complex<double> /*error*/) const noexcept { return {}; }
  /// Checks dependencies between settings, axes and harmonics; faults with relative places.
  virtual void check(std::size_t /*axes*/, std::size_t /*harmonics*/, Checks& /*checks*/) const {}
};
using AdaptionSpecPtr = std::shared_ptr<const AdaptionSpec>;

/// One member of the family. `resources/schema/adaption/<name>.json` describes its settings; parse() only receives
/// settings that satisfy it. Help: `resources/help/adaption/<name>.md`.
struct AdaptionEntry {
  std::string_view name;
  AdaptionSpecPtr (*parse)(const Json& settings);
};
/// All laws in display order.
std::span<const AdaptionEntry> adaptionLaws() noexcept;
/// Throws InputError ("/law"): no such law.
AdaptionSpecPtr parseAdaption(const Json& settings);

}  // namespace hyb
