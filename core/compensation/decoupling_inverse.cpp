#include "core/compensation/decoupling_inverse.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/compensation/inverse_feedforward.h"
#include "core/linalg/dense.h"
#include "core/linalg/product.h"
#include "core/linalg/riccati.h"
#include "core/linalg/svd.h"

namespace hyb {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr Index kDerivatives = 3;  // of a target: z, z', z''

/// The same plant, with one column per axis.
std::vector<PlantColumn> columnsOf(const DecouplingInverseParams& params, std::size_t axes) {
  return params.plant.size() == 1 ? std::vector<PlantColumn>(axes, params.plant.front()) : params.plant;
}

/// z(k+1) of z, z' and z'' at k.
Eigen::Matrix3d goOn(double step_s) {
  Eigen::Matrix3d next;
  next << 1.0, step_s, 0.5 * step_s * step_s, 0.0, 1.0, step_s, 0.0, 0.0, 1.0;
  return next;
}

/// Gains of the fading-memory filter for z, z' and z''.
Eigen::Vector3d memoryGains(double cutoff_hz, double step_s) {
  const double pole = std::exp(-kTwoPi * cutoff_hz * step_s), out = 1.0 - pole;
  return {1.0 - pole * pole * pole, 1.5 * out * out * (1.0 + pole) / step_s, out * out * out / (step_s * step_s)};
}

/// Sum over n of left^n first right^n, by doubling; empty if it does not converge.
std::optional<MatrixXd> geometricSum(MatrixXd left, const MatrixXd& first, MatrixXd right) {
  MatrixXd sum = first;
  for (int k = 0; k < 60; ++k) {  // 2^60 ticks
    const MatrixXd more = left * sum * right;
    sum += more;
    if (!sum.allFinite()) return {};
    if (more.cwiseAbs().maxCoeff() <= 1e-15 * sum.cwiseAbs().maxCoeff()) return sum;
    left = (left * left).eval();
    right = (right * right).eval();
  }
  return {};
}

/// A plant as a system from targets to commands; states: plant model, last commands, and z, z', z'' of each axis before
/// its newest value. Empty: no gains exist.
std::optional<CommandSystem> designed(const std::vector<PlantColumn>& columns, const DecouplingInverseParams& params,
                                      double step_s) {
  const auto axes = static_cast<Index>(columns.size());
  const SampledPlant plant = sampled(columns, step_s);
  // Steered: the plant and its last commands, by the change of the commands.
  const Index model = plant.a.rows(), steered = model + axes, past = kDerivatives * axes, all = steered + past;
  MatrixXd a = MatrixXd::Zero(steered, steered), b = MatrixXd::Zero(steered, axes), y = MatrixXd::Zero(axes, steered);
  a.topLeftCorner(model, model) = plant.a;
  a.topRightCorner(model, axes) = plant.b;
  a.bottomRightCorner(axes, axes).setIdentity();
  b.topRows(model) = plant.b;
  b.bottomRows(axes).setIdentity();
  y.leftCols(model) = plant.c;
  MatrixXd on = MatrixXd::Zero(past, past), z = MatrixXd::Zero(axes, past), into = MatrixXd::Zero(past, axes);
  const Eigen::Vector3d gains = memoryGains(params.prediction_cutoff_hz, step_s);
  for (Index i = 0; i < axes; ++i) {
    on.block<3, 3>(kDerivatives * i, kDerivatives * i) = goOn(step_s);
    z(i, kDerivatives * i) = 1.0;
    into.block<3, 1>(kDerivatives * i, i) = gains;
  }

  const double weight = std::pow(params.rate_weight_s / step_s, 2);
  const std::optional<MatrixXd> cost =
      linalg::solveRiccati(a, b * b.transpose() / weight, y.transpose() * y);  // of y - z = 0
  if (!cost) return {};
  const MatrixXd size = weight * MatrixXd::Identity(axes, axes) + b.transpose() * *cost * b;
  const std::optional<MatrixXd> held = linalg::solvePositive(size, b.transpose() * *cost * a);
  if (!held) return {};
  const std::optional<MatrixXd> of_targets =
      geometricSum((a - b * *held).transpose(), -(y.transpose() * z), on);  // cost of state and target together
  if (!of_targets) return {};
  const std::optional<MatrixXd> ahead = linalg::solvePositive(size, b.transpose() * *of_targets * on);
  if (!ahead) return {};

  // u = u_last - held (x, u_last) - ahead r, with r = on r_last + into (z - z_expected).
  MatrixXd last_commands = MatrixXd::Zero(axes, steered);
  last_commands.rightCols(axes).setIdentity();
  const MatrixXd kept = on - into * z * on;
  CommandSystem system;
  system.c.resize(axes, all);
  system.c << last_commands - *held, -*ahead * kept;
  system.d = -*ahead * into;
  system.a = MatrixXd::Zero(all, all);
  system.a.topLeftCorner(model, model) = plant.a;
  system.a.topRows(model) += plant.b * system.c;
  system.a.middleRows(model, axes) = system.c;
  system.a.bottomRightCorner(past, past) = kept;
  system.b.resize(all, axes);
  system.b << plant.b * system.d, system.d, into;
  return system;
}

/// A part of the method: all axes, or each alone if no command moves another one.
std::optional<std::vector<CommandSystem>> designedParts(const DecouplingInverseParams& params, std::size_t axes,
                                                        double step_s) {
  const std::vector<PlantColumn> columns = columnsOf(params, axes);
  std::vector<std::vector<PlantColumn>> parts;
  if (std::ranges::all_of(columns, [](const PlantColumn& column) { return column.cross.empty(); }))
    for (const PlantColumn& column : columns) parts.push_back({column});
  else
    parts.push_back(columns);
  std::vector<CommandSystem> systems;
  for (const std::vector<PlantColumn>& part : parts) {
    std::optional<CommandSystem> system = designed(part, params, step_s);
    if (!system) return {};
    systems.push_back(std::move(*system));
  }
  return systems;
}

/// Parts side by side.
CommandSystem together(const std::vector<CommandSystem>& parts) {
  Index states = 0, axes = 0;
  for (const CommandSystem& part : parts) states += part.a.rows(), axes += part.d.rows();
  CommandSystem all{MatrixXd::Zero(states, states), MatrixXd::Zero(states, axes), MatrixXd::Zero(axes, states),
                    MatrixXd::Zero(axes, axes)};
  Index state = 0, axis = 0;
  for (const CommandSystem& part : parts) {
    const Index n = part.a.rows(), own = part.d.rows();
    all.a.block(state, state, n, n) = part.a;
    all.b.block(state, axis, n, own) = part.b;
    all.c.block(axis, state, own, n) = part.c;
    all.d.block(axis, axis, own, own) = part.d;
    state += n;
    axis += own;
  }
  return all;
}

/// A part in the tick, for targets and for their rates.
class RunningPart {
 public:
  explicit RunningPart(const CommandSystem& system) : system_(system) {
    MatrixXd still = -system.a;
    still.diagonal().array() += 1.0;
    at_rest_ = linalg::inverse(still) * system.b;
    for (Eigen::VectorXd* state : {&positions_, &rates_, &next_}) state->setZero(system.a.rows());
    in_ = out_ = Eigen::VectorXd::Zero(system.d.rows());
  }
  Index axes() const noexcept { return in_.size(); }
  /// At rest at the targets from axis `first` on.
  void rest(const Eigen::VectorXd& targets, Index first) noexcept {
    take(targets, first);
    linalg::multiply(at_rest_, in_, positions_);
    rates_.setZero();
  }
  void position(const Eigen::VectorXd& from, Index first, Eigen::VectorXd& to) noexcept {
    advance(from, first, positions_, to);
  }
  void rate(const Eigen::VectorXd& from, Index first, Eigen::VectorXd& to) noexcept {
    advance(from, first, rates_, to);
  }

 private:
  void take(const Eigen::VectorXd& from, Index first) noexcept {
    for (Index i = 0; i < in_.size(); ++i) in_[i] = from[first + i];
  }
  void advance(const Eigen::VectorXd& from, Index first, Eigen::VectorXd& state, Eigen::VectorXd& to) noexcept {
    take(from, first);
    linalg::multiply(system_.c, state, out_);
    linalg::addProduct(system_.d, in_, out_);
    for (Index i = 0; i < out_.size(); ++i) to[first + i] = out_[i];
    linalg::multiply(system_.a, state, next_);
    linalg::addProduct(system_.b, in_, next_);
    state.swap(next_);
  }

  CommandSystem system_;
  MatrixXd at_rest_;  // [n, axis]: states for constant targets of 1 m
  Eigen::VectorXd positions_, rates_, next_, in_, out_;
};

class DecouplingInverse final : public Compensator {
 public:
  DecouplingInverse(const std::vector<CommandSystem>& parts, std::unique_ptr<Compensator> correction)
      : parts_(parts.begin(), parts.end()), correction_(std::move(correction)) {
    Index axes = 0;
    for (const RunningPart& part : parts_) axes += part.axes();
    aims_.position = aims_.rate = Eigen::VectorXd::Zero(axes);
  }

  void reset() override {
    if (correction_) correction_->reset();
    restart();
  }
  void restart() noexcept override {
    if (correction_) correction_->restart();
    filled_ = false;
  }
  [[gnu::hot]] void update(const InterfaceState& state, Command& command) noexcept override {
    if (correction_) {
      correction_->update(state, aims_);
    } else {
      linalg::copyFew(state.target, aims_.position);
      linalg::copyFew(state.target_rate, aims_.rate);
    }
    if (!rates_) command.rate.setZero();
    Index first = 0;
    for (RunningPart& part : parts_) {
      if (!filled_) part.rest(aims_.position, first);
      part.position(aims_.position, first, command.position);
      if (rates_) part.rate(aims_.rate, first, command.rate);
      first += part.axes();
    }
    filled_ = true;
  }
  void leaveOutRates() noexcept override {
    rates_ = false;
    if (correction_) correction_->leaveOutRates();
  }

  std::vector<Tunable> tunables() const override {
    return correction_ ? correction_->tunables() : std::vector<Tunable>();
  }
  void tune(std::size_t index, double value) noexcept override { correction_->tune(index, value); }
  std::vector<Adapted> adapted() const override {
    return correction_ ? correction_->adapted() : std::vector<Adapted>();
  }
  void readAdapted(std::span<double> values) const noexcept override {
    if (correction_) correction_->readAdapted(values);
  }
  std::size_t learnt() const noexcept override { return correction_ ? correction_->learnt() : 0; }
  void readLearnt(std::span<double> values) const noexcept override {
    if (correction_) correction_->readLearnt(values);
  }
  void setLearnt(std::span<const double> values) noexcept override {
    if (correction_) correction_->setLearnt(values);
  }

 private:
  std::vector<RunningPart> parts_;           // of all axes, one after the other
  std::unique_ptr<Compensator> correction_;  // null: none
  Command aims_;                             // corrected targets
  bool filled_ = false, rates_ = true;
};

class DecouplingInverseMethod final : public CompensationMethod {
 public:
  DecouplingInverseMethod(const DecouplingInverseParams& params, std::vector<CommandSystem> parts,
                          const MethodContext& context)
      : params_(params), parts_(std::move(parts)), system_(together(parts_)), context_(context) {
    for (Index i = 0; i < system_.d.rows(); ++i) taps_.push_back(impulseResponse(i));
  }
  std::unique_ptr<Compensator> make() const override {
    return std::make_unique<DecouplingInverse>(
        parts_,
        params_.correction_taps > 0 ? makeRecursiveFir(params_.correction, context_.step_s, context_.axes) : nullptr);
  }
  std::vector<double> taps(std::size_t axis) const override { return taps_[axis]; }
  std::optional<CommandSystem> system() const override { return system_; }
  double lead_s(std::size_t axis) const override {
    double sum = 0.0, late = 0.0;
    for (std::size_t j = 0; j < taps_[axis].size(); ++j) {
      sum += taps_[axis][j];
      late += taps_[axis][j] * static_cast<double>(j) * context_.step_s;
    }
    return -late / sum;
  }
  bool adapts() const noexcept override { return params_.correction_taps > 0; }
  std::vector<std::string> remarks() const override {
    std::vector<std::string> all;
    for (Index i = 0; i < system_.d.rows(); ++i) {
      double power = 0.0;
      for (Index j = 0; j < system_.d.cols(); ++j)
        for (const double tap : impulseResponse(i, j)) power += tap * tap;
      char text[240];
      std::snprintf(
          text, sizeof text,
          "Command %s starts with a lead of %.3g ms in slow motion. Noise gain %.3g: white noise in all targets is "
          "amplified by this factor.",
          context_.axes.number(static_cast<std::size_t>(i)).c_str(), 1e3 * lead_s(static_cast<std::size_t>(i)),
          std::sqrt(power));
      all.emplace_back(text);
    }
    return all;
  }

 private:
  /// Command i after a target j of 1 m in one tick, until it has faded.
  std::vector<double> impulseResponse(Index i, Index j) const {
    constexpr std::size_t kMost = 100000;
    constexpr double kFaded = 1e-13;  // of the largest
    std::vector<double> response{system_.d(i, j)};
    Eigen::VectorXd state = system_.b.col(j);
    double largest = std::abs(response[0]);
    const double first = state.cwiseAbs().maxCoeff();
    while (response.size() < kMost && state.cwiseAbs().maxCoeff() > kFaded * first) {
      response.push_back(system_.c.row(i).dot(state));
      largest = std::max(largest, std::abs(response.back()));
      state = (system_.a * state).eval();
    }
    while (response.size() > 1 && std::abs(response.back()) <= kFaded * largest) response.pop_back();
    return response;
  }
  std::vector<double> impulseResponse(Index i) const { return impulseResponse(i, i); }

  DecouplingInverseParams params_;
  std::vector<CommandSystem> parts_;
  CommandSystem system_;  // all of them
  MethodContext context_;
  std::vector<std::vector<double>> taps_;  // [axis]
};

void checkColumn(const PlantColumn& column, std::size_t own, std::size_t axes, double step_s, const std::string& where,
                 Checks& checks) {
  for (std::size_t p = 0; p < column.poles.size(); ++p) {
    const PlantRoot& pole = column.poles[p];
    const std::string at = where + "/poles/" + std::to_string(p) + "/hz";
    if (!(pole.hz < 0.0))
      checks.fault(at, pole.hz, "Hz", "must be less than 0 Hz, otherwise the actuator is unstable");
    else if (std::hypot(pole.hz, pole.imag_hz) > 100.0 / step_s)
      checks.fault(at, pole.hz, "Hz", "is too fast for this rate; leave out this pole, or raise /loop/rate_hz");
  }
  const auto checkPath = [&](const PlantPath& path, const std::string& at) {
    for (std::size_t n = 0; n < path.zeros.size(); ++n)
      if (path.zeros[n].hz == 0.0 && path.zeros[n].imag_hz == 0.0)
        checks.fault(at + "/zeros/" + std::to_string(n) + "/hz",
                     "is 0 Hz, so that a constant command leads to no motion; enter another frequency");
    if (orderOf(path.zeros) >= orderOf(column.poles))
      checks.fault(at + "/zeros", "has " + std::to_string(orderOf(path.zeros)) + " zeros for " +
                                      std::to_string(orderOf(column.poles)) + " poles; give fewer zeros than poles");
    if (path.factor == 0.0) checks.fault(at + "/factor", "is 0; enter another number, or remove this path");
  };
  checkPath(column.own, where + "/own");
  for (std::size_t c = 0; c < column.cross.size(); ++c) {
    const std::string at = where + "/cross/" + std::to_string(c);
    if (column.cross[c].axis >= axes || column.cross[c].axis == own)
      checks.fault(at + "/interface", "is " + std::to_string(column.cross[c].axis + 1) +
                                          "; give the number of another axis of this compensation, up to " +
                                          std::to_string(axes));
    checkPath(column.cross[c].path, at);
  }
}

void checkPlant(const DecouplingInverseParams& params, const MethodContext& context, Checks& checks) {
  const std::size_t given = params.plant.size(), axes = context.axes.count;
  if (given != axes && given != 1) {
    checks.fault("/plant", "has " + std::to_string(given) + " entries for " + std::to_string(axes) +
                               " interface degrees of freedom; give one for each, or a single one for all");
    return;
  }
  if (given == 1 && axes > 1 && !params.plant.front().cross.empty())
    checks.fault("/plant/0/cross", "needs an entry for each of the " + std::to_string(axes) +
                                       " interface degrees of freedom; add them, or remove the cross-coupling");
  for (std::size_t i = 0; i < given; ++i)
    checkColumn(params.plant[i], i, axes, context.step_s, "/plant/" + std::to_string(i), checks);
  if (!checks.ok()) return;
  MatrixXd gain = MatrixXd::Zero(static_cast<Index>(given), static_cast<Index>(given));  // at 0 Hz
  for (Index j = 0; j < gain.cols(); ++j) {
    const PlantColumn& column = params.plant[static_cast<std::size_t>(j)];
    gain(j, j) = numeratorOf(column.own, column.poles).front();
    for (const PlantColumn::Cross& cross : column.cross)
      gain(static_cast<Index>(cross.axis), j) = numeratorOf(cross.path, column.poles).front();
  }
  const Eigen::VectorXd sizes = linalg::rightSvd(gain).values;
  constexpr double kSingular = 1e-6;
  if (!(sizes.minCoeff() > kSingular * sizes.maxCoeff()))
    checks.fault("/plant",
                 "moves its axes only together in slow motion, so that targets cannot be reached independently; check "
                 "the factors");
}

PlantPath readPath(const Json& object) {
  PlantPath path{readRoots(object, "zeros"), 1.0};
  read(object, "factor", path.factor);
  return path;
}

std::vector<PlantColumn> readPlant(const Json& list) {
  std::vector<PlantColumn> plant;
  for (const Json& one : list) {
    PlantColumn& column =
        plant.emplace_back(PlantColumn{readRoots(one, "poles"), readPath(one.value("own", Json::object())), {}});
    for (const Json& other : one.value("cross", Json::array()))
      column.cross.push_back({other.at("interface").get<std::size_t>() - 1, readPath(other)});
  }
  return plant;
}

}  // namespace

CompensationMethodPtr parseDecouplingInverse(const Json& settings, const MethodContext& context, Checks& checks) {
  DecouplingInverseParams params;
  params.plant = readPlant(settings.value("plant", Json::array()));
  read(settings, "rate_weight_s", params.rate_weight_s);
  read(settings, "prediction_cutoff_hz", params.prediction_cutoff_hz);
  read(settings, "correction_taps", params.correction_taps);
  read(settings, "covariance_per_m2", params.covariance);
  RecursiveFirParams& correction = params.correction;
  correction.spacing_ticks = 10;
  correction.dead_band_m = 1e-4;
  read(settings, "spacing_ticks", correction.spacing_ticks);
  read(settings, "forgetting", correction.forgetting);
  read(settings, "cutoff_hz", correction.cutoff_hz);
  read(settings, "dead_band_m", correction.dead_band_m);
  checkPlant(params, context, checks);
  checks.positive("/rate_weight_s", params.rate_weight_s, "s");
  if (params.correction_taps > 0) {
    correction.start.assign(params.correction_taps, 0.0);
    correction.start.front() = 1.0;
    correction.covariance = {std::vector<double>(params.correction_taps, params.covariance)};
    correction.check(context.step_s, checks);
  }
  if (checks.positive("/prediction_cutoff_hz", params.prediction_cutoff_hz, "Hz") &&
      params.prediction_cutoff_hz > 0.5 / context.step_s)
    checks.fault("/prediction_cutoff_hz", params.prediction_cutoff_hz, "Hz", "must be at most half of /loop/rate_hz");
  if (!checks.ok()) return nullptr;
  std::optional<std::vector<CommandSystem>> parts = designedParts(params, context.axes.count, context.step_s);
  if (!parts) {
    checks.fault("/plant",
                 "has no inverse at this weight and rate; check the plant, or raise /compensation/rate_weight_s");
    return nullptr;
  }
  return std::make_shared<const DecouplingInverseMethod>(params, std::move(*parts), context);
}

}  // namespace hyb
