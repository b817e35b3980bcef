#include "core/feedforward/recursive_least_squares.h"

#include <algorithm>
#include <cmath>

#include "core/base/json.h"
#include "core/feedforward/forgetting_least_squares.h"

namespace hyb {
namespace {

class RecursiveLeastSquares final : public FeedforwardLaw {
 public:
  RecursiveLeastSquares(const LeastSquaresSettings& settings, const AdaptionContext& context)
      : FeedforwardLaw(context),
        settings_(settings),
        command_(context.pairs(), 1),
        plant_(context.pairs(), context.axes),
        nothing_(Eigen::MatrixXd::Zero(context.pairs(), 1)) {
    weight_.setOnes(context.pairs());
  }
  std::vector<Tunable> tunables() const override {
    std::vector<Tunable> all{{"forgetting", "", settings_.forgetting, "/forgetting"}};
    if (settings_.simultaneous)
      all.push_back({"running_forgetting", "", settings_.running_forgetting, "/running_forgetting"});
    return all;
  }
  void tune(std::size_t index, double value) noexcept override {
    (index == 0 ? settings_.forgetting : settings_.running_forgetting) = value;
  }

 private:
  double amplitude2() const noexcept { return context_.amplitude * context_.amplitude; }
  void startPlant() noexcept {
    weight_.setConstant(settings_.identification_start_weight * amplitude2());
    plant_.begin(weight_, response_);
    held_ = 0;
  }
  void beginIdentification() noexcept override {
    startPlant();
    ticks_ = 0;
  }
  void learnResponse(const Eigen::VectorXd& gap) noexcept override {
    constexpr int shown_after = 16;  // ticks: the response during learning is only displayed
    addRow(gap, settings_.identification_forgetting);
    if (++ticks_ % shown_after == 0) showPlant();
  }
  void endIdentification() noexcept override {
    if (ticks_ > 0) showPlant();
    ticks_ = 0;
  }
  void showPlant() noexcept {
    plant_.solve();
    response_ = plant_.x();
  }
  /// `gap` caused by the command.
  void addRow(const Eigen::VectorXd& gap, double forgetting) noexcept {
    plant_.forget(forgetting);
    plant_.row() = turned_.transpose();
    plant_.sides() = gap.transpose();
    plant_.add();
    if (!(forgetting < 1.0) || settings_.keep == 0.0) return;
    const double weight =
        std::sqrt((1.0 - forgetting) * settings_.keep * amplitude2() * static_cast<double>(context_.pairs()));
    plant_.row().setZero();
    plant_.row()[held_] = weight;
    plant_.sides() = weight * response_.row(held_);
    plant_.add(held_);
    held_ = (held_ + 1) % context_.pairs();
  }
  void beginAdaption() noexcept override {
    const Eigen::Index each = 2 * context_.axes;
    constexpr double longest = 1e-5;  // memory for the default weight: it must not outlast the test
    const double memory = std::max(1.0 - settings_.forgetting, longest);
    for (Eigen::Index h = 0; h < context_.harmonics; ++h) {
      const double usual = 0.1 * gainSquared(h) / (2.0 * memory);
      const double weight = settings_.start_weight_m2_per_n2 > 0.0 ? settings_.start_weight_m2_per_n2 : usual;
      weight_.segment(each * h, each).setConstant(std::max(weight, 1e-280));
    }
    command_.begin(weight_, nothing_);
    if (settings_.simultaneous) startPlant();
  }
  void learnCommand(const Eigen::VectorXd&, const Eigen::VectorXd& alone) noexcept override {
    command_.forget(settings_.forgetting);
    for (Eigen::Index i = 0; i < context_.axes; ++i) {
      command_.row() = rowOfGap(i).transpose();
      command_.sides()[0] = -alone[i];
      command_.add();
    }
    command_.solve();
    theta_ = command_.x().col(0);
  }
  void relearnResponse(const Eigen::VectorXd& gap, const Eigen::VectorXd& alone) noexcept override {
    if (!settings_.simultaneous) return;
    made_ = gap - alone;
    addRow(made_, settings_.running_forgetting);
    showPlant();
  }

  LeastSquaresSettings settings_;
  ForgettingLeastSquares command_, plant_;
  Eigen::MatrixXd nothing_;
  Eigen::VectorXd weight_, made_ = Eigen::VectorXd::Zero(context_.axes);
  Eigen::Index held_ = 0;   // entry of the response that is held next
  std::int64_t ticks_ = 0;  // of the identification
};

class RecursiveLeastSquaresSpec final : public AdaptionSpec {
 public:
  explicit RecursiveLeastSquaresSpec(const LeastSquaresSettings& settings) : settings_(settings) {}
  std::string_view name() const noexcept override {
    return settings_.simultaneous ? "rls-simultaneous" : "rls-sequential";
  }
  std::unique_ptr<FeedforwardLaw> make(const AdaptionContext& context) const override {
    return std::make_unique<RecursiveLeastSquares>(settings_, context);
  }
  /// Final theta = -g_alone/(error H), so that g = (1 - 1/error) g_alone.
  std::optional<double> left(std::complex<double> error) const noexcept override {
    if (settings_.simultaneous) return {};
    return std::abs(1.0 - 1.0 / error);
  }

 private:
  LeastSquaresSettings settings_;
};

AdaptionSpecPtr parseLeastSquares(const Json& settings, bool simultaneous) {
  LeastSquaresSettings parsed;
  parsed.simultaneous = simultaneous;
  read(settings, "forgetting", parsed.forgetting);
  read(settings, "start_weight_m2_per_n2", parsed.start_weight_m2_per_n2);
  read(settings, "identification_forgetting", parsed.identification_forgetting);
  read(settings, "identification_start_weight", parsed.identification_start_weight);
  read(settings, "running_forgetting", parsed.running_forgetting);
  read(settings, "keep", parsed.keep);
  return recursiveLeastSquares(parsed);
}

}  // namespace

AdaptionSpecPtr recursiveLeastSquares(const LeastSquaresSettings& settings) {
  return std::make_shared<const RecursiveLeastSquaresSpec>(settings);
}

AdaptionSpecPtr parseSimultaneousLeastSquares(const Json& settings) { return parseLeastSquares(settings, true); }
AdaptionSpecPtr parseSequentialLeastSquares(const Json& settings) { return parseLeastSquares(settings, false); }

}  // namespace hyb
