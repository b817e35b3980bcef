#include "core/identification/simulate.h"

#include <cmath>

#include "core/base/numbers.h"
#include "core/linalg/dense.h"

namespace hyb {

using Complex = std::complex<double>;

namespace {

/// Propagation of a state x' = A x + b u over a part of a step in which u changes linearly from u0 to u1.
struct Part {
  Eigen::MatrixXd from;         // x
  Eigen::VectorXd held, risen;  // u0, u1 - u0
};
Part part(const Eigen::MatrixXd& a, const Eigen::VectorXd& b, double duration) {
  const Eigen::Index n = a.rows();
  Eigen::MatrixXd whole = Eigen::MatrixXd::Zero(n + 2, n + 2);
  whole.topLeftCorner(n, n) = duration * a;
  whole.block(0, n, n, 1) = duration * b;
  whole(n, n + 1) = 1.0;
  const Eigen::MatrixXd e = linalg::exponential(whole);
  return {e.topLeftCorner(n, n), e.block(0, n, n, 1), e.block(0, n + 1, n, 1)};
}

/// base^n of each, n >= 0, by squaring.
Eigen::VectorXcd power(Eigen::VectorXcd base, std::ptrdiff_t n) {
  Eigen::VectorXcd result = Eigen::VectorXcd::Ones(base.size());
  for (; n > 0; n /= 2) {
    if (n % 2 == 1) result = result.cwiseProduct(base);
    base = base.cwiseProduct(base);
  }
  return result;
}

}  // namespace

DenominatorResponses::DenominatorResponses(const std::vector<double>& denominator, double delay_s, Hold hold,
                                           double step_s, double scale)
    : n_(static_cast<Eigen::Index>(denominator.size()) - 1), scaled_(n_), hold_(hold) {
  for (Eigen::Index i = 0; i < n_; ++i)
    scaled_[i] = denominator[static_cast<std::size_t>(i)] * std::pow(scale, static_cast<double>(i - n_));
  // Controllable form: the states are 1 / D u and its derivatives, in scaled time.
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n_, n_);
  for (Eigen::Index i = 0; i + 1 < n_; ++i) a(i, i + 1) = 1.0;
  a.row(n_ - 1) = -scaled_.transpose();
  const Eigen::VectorXd b = Eigen::VectorXd::Unit(n_, n_ - 1);

  constexpr double kWhole = 1e-9;  // of a step: rounding of a delay given in seconds
  const double steps = delay_s / step_s;
  late_ = static_cast<std::ptrdiff_t>(std::floor(steps + kWhole));
  fraction_ = std::max(0.0, steps - static_cast<double>(late_));
  if (fraction_ < kWhole) fraction_ = 0.0;
  const double f = fraction_;
  const Part first = part(a, b, scale * f * step_s), second = part(a, b, scale * (1.0 - f) * step_s);
  transition_ = second.from * first.from;
  if (hold == Hold::step) {
    before_ = second.from * first.held;
    here_ = second.held;
    after_.setZero(n_);
  } else {
    before_ = second.from * (f * (first.held - first.risen));
    here_ = second.from * ((1.0 - f) * first.held + f * first.risen) + second.held - (1.0 - f) * second.risen;
    after_ = (1.0 - f) * second.risen;
  }
  part_ = scale * step_s;
  prepareSettled();
}

/// By Leverrier and Faddeev, about 1 and in units of the step, so that the roots of a fast loop do not cluster.
void DenominatorResponses::prepareSettled() {
  const Eigen::MatrixXd slope = (transition_ - Eigen::MatrixXd::Identity(n_, n_)) / part_;
  Eigen::MatrixXd adjoint = Eigen::MatrixXd::Identity(n_, n_);
  for (Eigen::MatrixXd* rows : {&driven_before_, &driven_here_, &driven_after_, &transient_}) rows->resize(n_, n_);
  characteristic_.resize(n_);
  for (Eigen::Index k = n_; k-- > 0;) {
    driven_before_.row(k) = (adjoint * before_).transpose();
    driven_here_.row(k) = (adjoint * here_).transpose();
    driven_after_.row(k) = (adjoint * after_).transpose();
    transient_.row(k) = adjoint.row(0);
    adjoint = slope * adjoint;
    characteristic_[k] = -adjoint.trace() / static_cast<double>(n_ - k);
    adjoint.diagonal().array() += characteristic_[k];
  }
}

Eigen::MatrixXd DenominatorResponses::forced(std::span<const double> input, int zeros, std::size_t first) const {
  const auto samples = static_cast<std::ptrdiff_t>(input.size()), start = static_cast<std::ptrdiff_t>(first);
  const auto u = [&](std::ptrdiff_t k) {
    return k < 0 ? 0.0 : input[static_cast<std::size_t>(std::min(k, samples - 1))];
  };
  const Eigen::Index columns = zeros + 1, states = std::min(columns, n_);
  Eigen::MatrixXd result(samples - start, columns);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n_), next(n_);
  for (std::ptrdiff_t k = start; k < samples; ++k) {
    const double before = u(k - late_ - 1), here = u(k - late_), after = u(k - late_ + 1);
    result.row(k - start).head(states) = x.head(states).transpose();
    if (columns > n_) {
      const double now = fraction_ == 0.0 ? here : hold_ == Hold::step ? before : here - fraction_ * (here - before);
      result(k - start, n_) = now - scaled_.dot(x);
    }
    next.noalias() = transition_ * x;
    next += before * before_ + here * here_ + after * after_;
    x.swap(next);
  }
  return result;
}

Eigen::MatrixXd DenominatorResponses::free(std::size_t rows) const {
  Eigen::MatrixXd result(static_cast<Eigen::Index>(rows), n_);
  Eigen::RowVectorXd first = Eigen::RowVectorXd::Unit(n_, 0), next(n_);
  for (Eigen::Index k = 0; k < result.rows(); ++k) {
    result.row(k) = first;
    next.noalias() = first * transition_;
    first.swap(next);
  }
  return result;
}

Eigen::MatrixXcd DenominatorResponses::settled(const Eigen::VectorXcd& turns, int zeros) const {
  return columnsAt(turns, zeros, false);
}

Eigen::MatrixXcd DenominatorResponses::settledAndTransient(const Eigen::VectorXcd& turns, int zeros) const {
  return columnsAt(turns, zeros, true);
}

/// All lines at once: sums over the powers of w are matrix products.
Eigen::MatrixXcd DenominatorResponses::columnsAt(const Eigen::VectorXcd& turns, int zeros, bool transient) const {
  const Eigen::VectorXcd here = power(turns.conjugate(), late_), before = here.cwiseProduct(turns.conjugate()),
                         after = here.cwiseProduct(turns);
  Eigen::MatrixXcd powers(turns.size(), n_ + 1);
  powers.col(0).setOnes();
  for (Eigen::Index k = 0; k < n_; ++k)
    powers.col(k + 1) = powers.col(k).cwiseProduct(turns - Eigen::VectorXcd::Ones(turns.size())) / part_;
  const Eigen::MatrixXd real = powers.leftCols(n_).real(), imag = powers.leftCols(n_).imag();
  const auto summed = [&](const auto& weights) {
    Eigen::MatrixXcd sums(real.rows(), weights.cols());
    sums.real() = real * weights;
    sums.imag() = imag * weights;
    return sums;
  };
  const Eigen::VectorXcd factor = (part_ * (summed(characteristic_) + powers.col(n_))).cwiseInverse();
  const Eigen::Index columns = zeros + 1, states = columns > n_ ? n_ : columns;
  const Eigen::MatrixXcd x = factor.asDiagonal() * (before.asDiagonal() * summed(driven_before_.leftCols(states)) +
                                                    here.asDiagonal() * summed(driven_here_.leftCols(states)) +
                                                    after.asDiagonal() * summed(driven_after_.leftCols(states)));
  Eigen::MatrixXcd result(real.rows(), columns + (transient ? n_ : 0));
  result.leftCols(states) = x;
  if (columns > n_) {
    const Eigen::VectorXcd now = fraction_ == 0.0      ? here
                                 : hold_ == Hold::step ? before
                                                       : Eigen::VectorXcd(here - fraction_ * (here - before));
    result.col(n_) = now - x * scaled_.cast<Complex>();
  }
  if (transient) result.rightCols(n_) = factor.cwiseProduct(turns).asDiagonal() * summed(transient_);
  return result;
}

namespace {

/// Represents a model without poles by one with a pole far beyond the samples.
TransferModel withPoles(const TransferModel& model, double step_s) {
  if (model.poleCount() > 0) return model;
  const double pole = 1e3 / step_s;
  return {{model.numerator.front() / model.denominator.front() * pole}, {pole, 1.0}, model.delay_s};
}
double scaleOf(const TransferModel& model) {
  return std::pow(std::max(std::abs(model.denominator.front()), 1e-30), 1.0 / model.poleCount());
}
Eigen::VectorXd weightsOf(const TransferModel& model, double scale) {
  Eigen::VectorXd weights(model.zeroCount() + 1);
  for (Eigen::Index j = 0; j < weights.size(); ++j)
    weights[j] =
        model.numerator[static_cast<std::size_t>(j)] * std::pow(scale, static_cast<double>(j - model.poleCount()));
  return weights;
}

}  // namespace

std::vector<double> simulate(const TransferModel& model, std::span<const double> input, double step_s, Hold hold) {
  const TransferModel poled = withPoles(model, step_s);
  const double scale = scaleOf(poled);
  const DenominatorResponses responses(poled.denominator, poled.delay_s, hold, step_s, scale);
  const Eigen::VectorXd output = responses.forced(input, poled.zeroCount(), 0) * weightsOf(poled, scale);
  return {output.begin(), output.end()};
}

std::complex<double> sampledResponse(const TransferModel& model, double frequency_hz, double step_s, Hold hold) {
  const TransferModel poled = withPoles(model, step_s);
  const double scale = scaleOf(poled);
  const DenominatorResponses responses(poled.denominator, poled.delay_s, hold, step_s, scale);
  const Eigen::VectorXcd turn = Eigen::VectorXcd::Constant(1, std::polar(1.0, kTwoPi * frequency_hz * step_s));
  return (responses.settled(turn, poled.zeroCount()) * weightsOf(poled, scale)).value();
}

}  // namespace hyb
