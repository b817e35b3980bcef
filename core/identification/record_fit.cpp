#include "core/identification/record_fit.h"

#include <algorithm>
#include <cmath>

#include "core/identification/separable.h"
#include "core/identification/simulate.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;

class Record {
 public:
  Record(const TransferModel& start, const RecordFitSpec& spec, std::span<const double> input,
         std::span<const double> output, double step_s)
      : start_(start), spec_(spec), input_(input), step_s_(step_s), n_(start.poleCount()) {
    const double steps = start.delay_s / step_s;
    most_delay_ = spec.find_delay ? 2.0 * steps + 5.0 : steps;
    if (!spec.at_rest) first_ = static_cast<std::size_t>(std::ceil(most_delay_)) + 2;
    if (first_ < output.size())
      output_ =
          Eigen::Map<const Eigen::VectorXd>(output.data() + first_, static_cast<Eigen::Index>(output.size() - first_));
    scale_ = std::pow(std::max(std::abs(start.denominator.front()), 1e-30), 1.0 / std::max(n_, 1));
  }
  bool enough() const { return n_ >= 1 && output_.size() > Eigen::Index{4} * (2 * n_ + start_.zeroCount() + 3); }

  Eigen::VectorXd theta(const std::vector<double>& denominator) const {
    Eigen::VectorXd theta(n_ + (spec_.find_delay ? 1 : 0));
    for (int i = 0; i < n_; ++i) theta[i] = denominator[static_cast<std::size_t>(i)] * std::pow(scale_, i - n_);
    if (spec_.find_delay) theta[n_] = start_.delay_s / step_s_;
    return theta;
  }
  std::optional<LinearPart> at(const Eigen::VectorXd& theta) const {
    const TransferModel model = denominatorOf(theta);
    if (!(model.delay_s >= 0.0 && model.delay_s <= most_delay_ * step_s_)) return std::nullopt;
    for (const Complex& pole : poles(model))
      if (!(pole.real() <= 0.0) || !(std::abs(pole) * step_s_ < kFastestPole)) return std::nullopt;
    const DenominatorResponses responses(model.denominator, model.delay_s, spec_.hold, step_s_, scale_);
    const Eigen::MatrixXd forced = responses.forced(input_, start_.zeroCount(), first_);
    return LinearPart{beside(forced, responses), output_};
  }
  /// The columns, followed by those of the first state and of the offset.
  Eigen::MatrixXd beside(const Eigen::MatrixXd& columns, const DenominatorResponses& responses) const {
    Eigen::MatrixXd all(output_.size(), columns.cols() + (spec_.at_rest ? 0 : n_) + (spec_.offset ? 1 : 0));
    all.leftCols(columns.cols()) = columns;
    if (!spec_.at_rest) all.middleCols(columns.cols(), n_) = responses.free(static_cast<std::size_t>(output_.size()));
    if (spec_.offset) all.rightCols(1).setOnes();
    return all;
  }
  TransferModel denominatorOf(const Eigen::VectorXd& theta) const {
    TransferModel model = start_;
    model.denominator.assign(static_cast<std::size_t>(n_) + 1, 1.0);
    for (int i = 0; i < n_; ++i) model.denominator[static_cast<std::size_t>(i)] = theta[i] * std::pow(scale_, n_ - i);
    if (spec_.find_delay) model.delay_s = theta[n_] * step_s_;
    return model;
  }
  RecordFit figures(TransferModel model, const Eigen::VectorXd& linear, const Eigen::VectorXd& residual) const {
    RecordFit fit;
    fit.model = std::move(model);
    fit.offset = spec_.offset ? linear[linear.size() - 1] : 0.0;
    fit.mean_square = residual.squaredNorm() / static_cast<double>(residual.size());
    const double varies = (output_.array() - output_.mean()).matrix().norm();
    fit.fit_percent = 100.0 * (1.0 - residual.norm() / varies);
    return fit;
  }
  std::optional<RecordFit> fitted(const Separable& best) const {
    TransferModel model = denominatorOf(best.theta);
    for (int j = 0; j <= start_.zeroCount(); ++j)
      model.numerator[static_cast<std::size_t>(j)] = best.linear[j] * std::pow(scale_, n_ - j);
    return figures(std::move(model), best.linear, best.residual);
  }
  std::optional<RecordFit> judged() const {
    const DenominatorResponses responses(start_.denominator, start_.delay_s, spec_.hold, step_s_, scale_);
    const Eigen::MatrixXd forced = responses.forced(input_, start_.zeroCount(), first_);
    Eigen::VectorXd motion = Eigen::VectorXd::Zero(output_.size());
    for (int j = 0; j <= start_.zeroCount(); ++j)
      motion += start_.numerator[static_cast<std::size_t>(j)] * std::pow(scale_, j - n_) * forced.col(j);
    if (!motion.allFinite()) return std::nullopt;
    const Eigen::VectorXd left = output_ - motion;
    if (spec_.at_rest && !spec_.offset) return figures(start_, Eigen::VectorXd::Zero(1), left);
    const LinearPart part{beside(Eigen::MatrixXd(output_.size(), 0), responses), left};
    const std::optional<Separable> rest =
        project([&](const Eigen::VectorXd&) { return std::optional(part); }, Eigen::VectorXd());
    if (!rest) return std::nullopt;
    return figures(start_, rest->linear, rest->residual);
  }

 private:
  TransferModel start_;
  RecordFitSpec spec_;
  std::span<const double> input_;
  Eigen::VectorXd output_;
  double step_s_, scale_ = 1.0, most_delay_ = 0.0;  // most_delay_ in steps
  int n_;
  std::size_t first_ = 0;
};

}  // namespace

std::optional<RecordFit> fitRecord(const TransferModel& start, const RecordFitSpec& spec, std::span<const double> input,
                                   std::span<const double> output, double step_s, const std::function<void()>& each) {
  const Record record(start, spec, input, output, step_s);
  if (!record.enough()) return std::nullopt;
  const Eigen::VectorXd theta = record.theta(stabilised(start.denominator));
  const LinearAt problem = [&](const Eigen::VectorXd& t) {
    if (each) each();
    return record.at(t);
  };
  const std::optional<Separable> best = minimise(problem, theta, Eigen::VectorXd::Ones(theta.size()), spec.most_steps);
  if (!best) return std::nullopt;
  return record.fitted(*best);
}

std::optional<RecordFit> judgeRecord(const TransferModel& model, const RecordFitSpec& spec,
                                     std::span<const double> input, std::span<const double> output, double step_s) {
  const Record record(model, spec, input, output, step_s);
  if (!record.enough()) return std::nullopt;
  return record.judged();
}

}  // namespace hyb
