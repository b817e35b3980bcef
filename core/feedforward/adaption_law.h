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

/// What a law is made for.
struct AdaptionContext {
  Eigen::Index axes = 1, harmonics = 1;
  double step_s = 1e-3;
  double amplitude = 1.0;  // of the random commands that it identifies with, N
  Eigen::Index pairs() const noexcept { return 2 * axes * harmonics; }
};

/// Response of one harmonic, [i, i] gap over command, m/N, from pairs [pairs, i] as of FeedforwardLaw and to them.
/// Real-time safe where `matrix` has its size.
void readResponse(const Eigen::MatrixXd& pairs, Eigen::Index harmonic, Eigen::MatrixXcd& matrix) noexcept;
void writeResponse(const Eigen::MatrixXcd& matrix, Eigen::Index harmonic, Eigen::MatrixXd& pairs) noexcept;

/// Law of an adaptive feed-forward filter: what the commands do to the gap (identification) and which commands close it
/// (adaption). Amplitudes are pairs as Harmonics has them: theta [pairs] of the commands, response [pairs, i] of gap i,
/// for each harmonic and actuator [Re H, Im H] of H = gap over command, m/N. Real-time safe but for the constructor.
class FeedforwardLaw {
 public:
  explicit FeedforwardLaw(const AdaptionContext& context);
  virtual ~FeedforwardLaw() = default;
  const Eigen::VectorXd& theta() const noexcept { return theta_; }
  const Eigen::MatrixXd& response() const noexcept { return response_; }
  /// theta e^{j w t} as of the last update: what Harmonics::turn() makes of it.
  const Eigen::VectorXd& turned() const noexcept { return turned_; }
  /// Nothing identified but `response`, theta = 0.
  void reset(const Eigen::MatrixXd& response) noexcept;
  /// theta of the random commands.
  Eigen::VectorXd& command() noexcept { return theta_; }

  /// One tick in which the command is theta, and the gap [i], m, is theirs alone. learns: false where the last change
  /// still rings.
  void identify(const Harmonics& harmonics, const Eigen::VectorXd& gap, bool learns) noexcept;
  /// From here on the gap is to be closed: theta = 0, with the response that was identified.
  void begin() noexcept;
  /// One tick: theta from the gap and from that which the excitation alone leaves, `alone` [i], m.
  void adapt(const Harmonics& harmonics, const Eigen::VectorXd& gap, const Eigen::VectorXd& alone) noexcept;
  /// theta = 0, not learning.
  void rest() noexcept;

  virtual std::vector<Tunable> tunables() const { return {}; }
  virtual void tune(std::size_t /*index*/, double /*value*/) noexcept {}

 protected:
  virtual void beginIdentification() noexcept {}
  virtual void learnResponse(const Eigen::VectorXd& gap) noexcept = 0;
  virtual void endIdentification() noexcept {}
  virtual void beginAdaption() noexcept {}
  virtual void learnCommand(const Eigen::VectorXd& gap, const Eigen::VectorXd& alone) noexcept = 0;
  /// With the new command.
  virtual void relearnResponse(const Eigen::VectorXd& /*gap*/, const Eigen::VectorXd& /*alone*/) noexcept {}
  /// Gap i over theta now: row i of W P, [pairs].
  auto rowOfGap(Eigen::Index i) const noexcept { return rows_.col(i); }
  /// Of a harmonic, m^2/N^2: the sum of the squares of all gains, which the largest gain of the matrix is not above.
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
  /// The gap itself moves the command: a loop, which a response known wrongly or steps too large make diverge.
  virtual bool feedsBack() const noexcept { return false; }
  /// Of one that feeds back: growth of its loop around a model, 1/s, with the response that it takes, [pairs, i], and
  /// its steps times `factor`.
  virtual double growth(const GapModel& /*model*/, const Harmonics& /*harmonics*/, const Eigen::MatrixXd& /*taken*/,
                        double /*factor*/) const {
    return 0.0;
  }
  /// Of one that does not: the share of the gap that is left in the end where the response that it takes is the true
  /// one times `error`; empty: none, whatever it began with.
  virtual std::optional<double> left(std::complex<double> /*error*/) const noexcept { return {}; }
  /// What its settings ask of one another and of axes and harmonics; faults with places relative to them.
  virtual void check(std::size_t /*axes*/, std::size_t /*harmonics*/, Checks& /*checks*/) const {}
};
using AdaptionSpecPtr = std::shared_ptr<const AdaptionSpec>;

/// One member of the family. Its settings are described in resources/schema/adaption/<name>.json, which those that
/// parse() gets are known to keep; its help is resources/help/adaption/<name>.md.
struct AdaptionEntry {
  std::string_view name;
  AdaptionSpecPtr (*parse)(const Json& settings);
};
/// All laws there are, in the order in which they are offered.
std::span<const AdaptionEntry> adaptionLaws() noexcept;
/// Throws InputError ("/law"): no such law.
AdaptionSpecPtr parseAdaption(const Json& settings);

}  // namespace hyb
