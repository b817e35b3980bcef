#include "core/feedforward/least_mean_squares.h"

#include "core/base/json.h"
#include "core/feedforward/lms_loop.h"

namespace hyb {
namespace {

/// mu of a harmonic with the sum gain2 of squared gains, m^2/N^2; N^2/m^2.
double stepOf(const LeastMeanSquaresSettings& settings, double gain2, double step_s) noexcept {
  if (settings.gain_n2_per_m2 > 0.0) return settings.gain_n2_per_m2;
  return gain2 > 0.0 ? 2.0 * step_s / (settings.learning_time_s * gain2) : 0.0;
}

class LeastMeanSquares final : public FeedforwardLaw {
 public:
  LeastMeanSquares(const LeastMeanSquaresSettings& settings, const AdaptionContext& context)
      : FeedforwardLaw(context),
        settings_(settings),
        by_gain_(settings.gain_n2_per_m2 > 0.0),
        identification_gain_(settings.identification_gain / (context.amplitude * context.amplitude)) {
    gains_.setZero(context.harmonics);
  }
  std::vector<Tunable> tunables() const override {
    if (by_gain_) return {{"gain", "N^2/m^2", settings_.gain_n2_per_m2, "/gain_n2_per_m2"}};
    return {{"learning_time", "s", settings_.learning_time_s, "/learning_time_s", context_.step_s}};
  }
  void tune(std::size_t, double value) noexcept override {
    (by_gain_ ? settings_.gain_n2_per_m2 : settings_.learning_time_s) = value;
    beginAdaption();
  }

 private:
  void learnResponse(const Eigen::VectorXd& gap) noexcept override {
    for (Eigen::Index i = 0; i < context_.axes; ++i) {
      const double error = turned_.dot(response_.col(i)) - gap[i];
      response_.col(i) -= identification_gain_ * error * turned_;
    }
  }
  void beginAdaption() noexcept override {
    for (Eigen::Index h = 0; h < context_.harmonics; ++h)
      gains_[h] = stepOf(settings_, gainSquared(h), context_.step_s);
  }
  void learnCommand(const Eigen::VectorXd& gap, const Eigen::VectorXd&) noexcept override {
    const Eigen::Index each = 2 * context_.axes;
    for (Eigen::Index i = 0; i < context_.axes; ++i)
      for (Eigen::Index h = 0; h < context_.harmonics; ++h)
        theta_.segment(each * h, each) -= gains_[h] * gap[i] * rowOfGap(i).segment(each * h, each);
  }

  LeastMeanSquaresSettings settings_;
  bool by_gain_;  // instead of the learning time
  double identification_gain_;
  Eigen::VectorXd gains_;  // [h]
};

class LeastMeanSquaresSpec final : public AdaptionSpec {
 public:
  explicit LeastMeanSquaresSpec(const LeastMeanSquaresSettings& settings) : settings_(settings) {}
  std::string_view name() const noexcept override { return "lms"; }
  bool feedsBack() const noexcept override { return true; }
  std::unique_ptr<FeedforwardLaw> make(const AdaptionContext& context) const override {
    return std::make_unique<LeastMeanSquares>(settings_, context);
  }
  double growth(const GapModel& model, const Harmonics& harmonics, const Eigen::MatrixXd& taken,
                double factor) const override {
    std::vector<LmsHarmonic> all;
    Eigen::MatrixXcd response(model.c.rows(), model.b.cols());
    for (Eigen::Index h = 0; h < harmonics.count(); ++h) {
      readResponse(taken, h, response);
      all.push_back({harmonics.angular(h), response, factor * stepOf(settings_, response.squaredNorm(), model.step_s)});
    }
    return lmsGrowth(model, all);
  }
  /// The square of the regressor is at most 2 axes harmonics times that of the amplitude, and a step beyond 2 over it
  /// overshoots by more than the remaining error.
  void check(std::size_t axes, std::size_t harmonics, Checks& checks) const override {
    const double most = 1.0 / static_cast<double>(axes * harmonics);
    if (settings_.identification_gain > most)
      checks.fault("/identification_gain",
                   "is " + Checks::text(settings_.identification_gain, "") + ", but with " + std::to_string(axes) +
                       (axes == 1 ? " axis and " : " axes and ") + std::to_string(harmonics) +
                       (harmonics == 1 ? " harmonic" : " harmonics") + " an identification with more than " +
                       Checks::text(most, "") + " can diverge; lower it, a hundredth is usual.");
  }

 private:
  LeastMeanSquaresSettings settings_;
};

}  // namespace

AdaptionSpecPtr leastMeanSquares(const LeastMeanSquaresSettings& settings) {
  return std::make_shared<const LeastMeanSquaresSpec>(settings);
}

AdaptionSpecPtr parseLeastMeanSquares(const Json& settings) {
  LeastMeanSquaresSettings parsed;
  read(settings, "learning_time_s", parsed.learning_time_s);
  read(settings, "gain_n2_per_m2", parsed.gain_n2_per_m2);
  read(settings, "identification_gain", parsed.identification_gain);
  return leastMeanSquares(parsed);
}

}  // namespace hyb
