#include "core/identification/response_fit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "core/base/numbers.h"
#include "core/identification/separable.h"
#include "core/identification/simulate.h"
#include "core/linalg/dense.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;

constexpr double kLeastError = 1e-3;     // of a line: no model needs higher accuracy
constexpr double kUnknownError = 0.05;   // for a single segment without error estimate
constexpr std::size_t kMostLines = 250;  // further lines are thinned out
constexpr double kMuchLess = 4.0;        // of the cost: required gain of an unstable model
constexpr double kNoGain = 0.1;          // a smaller relative reduction of the error is no gain
constexpr int kIterations = 12, kRefinements = 40;

/// The lines of the fit: y = H u, and the transient of a record.
struct Lines {
  Eigen::VectorXcd s;      // divided by scale
  Eigen::VectorXcd turns;  // e^(i w step)
  Eigen::VectorXcd y, u;
  Eigen::VectorXcd held;   // u with its hold, as far as known from lines far below the rate: start of the search
  Eigen::VectorXd weight;  // 1 / standard deviation of the real part
  bool transient = false;  // the state at the end of the record differs from that at its start
  double scale = 1.0;      // rad/s
  double step_s = 1.0;
  Hold hold = Hold::step;
  double counted = 0.0;  // independent lines

  Lines(std::size_t count, double last_hz, Hold the_hold, double the_step_s)
      : scale(kTwoPi * last_hz), step_s(the_step_s), hold(the_hold) {
    const auto n = static_cast<Eigen::Index>(count);
    s.resize(n);
    turns.resize(n);
    y.resize(n);
    u.resize(n);
    held.resize(n);
    weight.resize(n);
  }
  void set(Eigen::Index k, double frequency_hz, Complex input, Complex output, double deviation) {
    s[k] = Complex(0.0, kTwoPi * frequency_hz / scale);
    turns[k] = std::polar(1.0, kTwoPi * frequency_hz * step_s);
    u[k] = input;
    y[k] = output;
    held[k] = input * holdResponse(hold, kTwoPi * frequency_hz, step_s);
    weight[k] = std::isfinite(deviation) && deviation > 0.0 ? 1.0 / deviation : 0.0;
  }
};

/// Stride for so many lines.
std::size_t strideOf(std::size_t all) { return std::max<std::size_t>(1, (all + kMostLines - 1) / kMostLines); }

Lines linesOf(const MeasuredResponse& response, Hold hold, double step_s) {
  const std::size_t all = response.lines.size(), stride = strideOf(all), count = (all + stride - 1) / stride;
  Lines lines(count, response.lines.back().frequency_hz, hold, step_s);
  lines.counted = std::max(1.0, static_cast<double>(count) / (stride > 1 ? 1.0 : response.lines_for_one));
  for (std::size_t k = 0; k < count; ++k) {
    const ResponseLine& line = response.lines[k * stride];
    const double random = std::isfinite(line.radius) ? line.random_error : kUnknownError;
    lines.set(static_cast<Eigen::Index>(k), line.frequency_hz, 1.0, line.h1,
              std::hypot(random, kLeastError) * std::abs(line.h1));
  }
  return lines;
}

Lines linesOf(const RecordSpectra& spectra, Hold hold, double step_s) {
  // Of too many lines, those with the largest input.
  std::vector<std::size_t> chosen(spectra.frequency_hz.size());
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  if (chosen.size() > kMostLines) {
    std::ranges::nth_element(chosen, chosen.begin() + static_cast<std::ptrdiff_t>(kMostLines), std::greater{},
                             [&](std::size_t k) { return std::norm(spectra.input[k]); });
    chosen.resize(kMostLines);
    std::ranges::sort(chosen);
  }
  Lines lines(chosen.size(), spectra.frequency_hz.back(), hold, step_s);
  lines.transient = true;
  lines.counted = static_cast<double>(chosen.size());
  double squares = 0.0;
  for (const std::size_t k : chosen) squares += std::norm(spectra.output[k]);
  const double deviation = kLeastError * std::sqrt(0.5 * squares / static_cast<double>(chosen.size()));
  for (std::size_t i = 0; i < chosen.size(); ++i)
    lines.set(static_cast<Eigen::Index>(i), spectra.frequency_hz[chosen[i]], spectra.input[chosen[i]],
              spectra.output[chosen[i]], deviation);
  return lines;
}

/// Powers of s up to `last`, [line, power].
Eigen::MatrixXcd powers(const Eigen::VectorXcd& s, int last) {
  Eigen::MatrixXcd result(s.size(), last + 1);
  result.col(0).setOnes();
  for (int j = 1; j <= last; ++j) result.col(j) = result.col(j - 1).cwiseProduct(s);
  return result;
}

Eigen::MatrixXd stacked(const Eigen::MatrixXcd& a) {
  Eigen::MatrixXd result(2 * a.rows(), a.cols());
  result << a.real(), a.imag();
  return result;
}

Eigen::VectorXcd denominatorAt(const Eigen::MatrixXcd& s, const Eigen::VectorXd& a) {
  return s.leftCols(a.size()) * a.cast<Complex>() + s.col(a.size());
}

class Fit {
 public:
  Fit(const Lines& lines, const OrderSpec& order)
      : lines_(lines), order_(order), s_(powers(lines.s, std::max(order.poles, order.zeros))) {}

  /// All parameters, including the transient of a record.
  int unknowns() const { return order_.parameters() + beside(); }

  /// theta: coefficients of D, and the delay times the scale if it is estimated. Returns a stable model, unless an
  /// unstable one has a much smaller residual.
  std::optional<Separable> best() const {
    std::optional<Separable> start;
    for (const double delay : delays()) {
      const std::optional<Separable> here = sanathananKoerner(delay);
      if (here && (!start || here->cost() < start->cost())) start = here;
    }
    if (!start) return start;
    std::optional<Separable> free = refined(start->theta, false);
    if (free && allStable(free->theta)) return free;
    Eigen::VectorXd mirrored = (free ? free : start)->theta;
    mirrored.head(order_.poles) = coefficientsOf(stabilised(denominatorOf(mirrored)));
    const std::optional<Separable> held = refined(mirrored, true);
    if (!free || !held) return held ? held : free;
    return held->cost() <= kMuchLess * free->cost() ? held : free;
  }
  TransferModel model(const Separable& fit) const {
    TransferModel model;
    model.denominator = denominatorOf(fit.theta);
    model.numerator.clear();
    for (int j = 0; j <= order_.zeros; ++j)
      model.numerator.push_back(fit.linear[j] * std::pow(lines_.scale, order_.poles - j));
    model.delay_s = delayOf(fit.theta) / lines_.scale;
    return model;
  }

 private:
  double delayOf(const Eigen::VectorXd& theta) const {
    return order_.delay_s ? *order_.delay_s * lines_.scale : theta[order_.poles];
  }
  int beside() const { return lines_.transient ? order_.poles : 0; }
  std::optional<Separable> refined(const Eigen::VectorXd& start, bool only_stable) const {
    return minimise(
        [&](const Eigen::VectorXd& theta) {
          return only_stable && !allStable(theta) ? std::optional<LinearPart>() : at(theta);
        },
        start, Eigen::VectorXd::Ones(start.size()), kRefinements);
  }
  bool allStable(const Eigen::VectorXd& theta) const { return stable({{1.0}, denominatorOf(theta), 0.0}); }
  Eigen::VectorXd coefficientsOf(const std::vector<double>& denominator) const {
    Eigen::VectorXd a(order_.poles);
    for (int i = 0; i < order_.poles; ++i)
      a[i] = denominator[static_cast<std::size_t>(i)] * std::pow(lines_.scale, i - order_.poles);
    return a;
  }
  Eigen::VectorXcd late(double delay) const { return (-delay * lines_.s).array().exp(); }

  std::optional<LinearPart> at(const Eigen::VectorXd& theta) const {
    const double delay_s = delayOf(theta) / lines_.scale;
    if (!(delay_s >= 0.0 && delay_s <= kMostDelay_s)) return std::nullopt;
    const std::vector<double> denominator = denominatorOf(theta);
    for (const Complex& pole : rootsOf(denominator))
      if (!(std::abs(pole) * lines_.step_s < kFastestPole)) return std::nullopt;
    const DenominatorResponses responses(denominator, delay_s, lines_.hold, lines_.step_s, lines_.scale);
    Eigen::MatrixXcd columns = lines_.transient ? responses.settledAndTransient(lines_.turns, order_.zeros)
                                                : responses.settled(lines_.turns, order_.zeros);
    columns.leftCols(order_.zeros + 1) = lines_.u.asDiagonal() * columns.leftCols(order_.zeros + 1);
    columns = lines_.weight.asDiagonal() * columns;
    return LinearPart{stacked(columns), wanted()};
  }
  Eigen::MatrixXd wanted() const { return stacked((lines_.y.cwiseProduct(lines_.weight.cast<Complex>())).eval()); }
  std::vector<double> denominatorOf(const Eigen::VectorXd& theta) const {
    std::vector<double> denominator(static_cast<std::size_t>(order_.poles) + 1, 1.0);
    for (int i = 0; i < order_.poles; ++i)
      denominator[static_cast<std::size_t>(i)] = theta[i] * std::pow(lines_.scale, order_.poles - i);
    return denominator;
  }
  /// at() with the hold known in advance, in the time of a few multiplications.
  std::optional<LinearPart> roughlyAt(const Eigen::VectorXd& theta) const {
    const Eigen::VectorXcd over =
        lines_.weight.cast<Complex>().cwiseQuotient(denominatorAt(s_, theta.head(order_.poles)));
    const Eigen::VectorXcd driven = over.cwiseProduct(lines_.held).cwiseProduct(late(delayOf(theta)));
    Eigen::MatrixXcd columns(lines_.s.size(), order_.zeros + 1 + beside());
    columns.leftCols(order_.zeros + 1) = driven.asDiagonal() * s_.leftCols(order_.zeros + 1);
    columns.rightCols(beside()) = over.asDiagonal() * s_.leftCols(beside());
    return LinearPart{stacked(columns), wanted()};
  }

  /// Start values: up to 1.5 times the slope of the phase over the frequency.
  std::vector<double> delays() const {
    if (order_.delay_s) return {*order_.delay_s * lines_.scale};
    std::vector<double> slopes;
    for (Eigen::Index k = 1; k < lines_.s.size(); ++k) {
      const Complex here = lines_.y[k] * std::conj(lines_.held[k]),
                    there = lines_.y[k - 1] * std::conj(lines_.held[k - 1]);
      const double turn = -std::arg(here * std::conj(there));
      if (lines_.weight[k] > 0.0) slopes.push_back(turn / (lines_.s[k].imag() - lines_.s[k - 1].imag()));
    }
    if (slopes.empty()) return {0.0};
    std::nth_element(slopes.begin(), slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2), slopes.end());
    const double most = 1.5 * std::max(0.0, slopes[slopes.size() / 2]);
    const int count = std::clamp(static_cast<int>(std::ceil(most)), 12, 60);
    std::vector<double> all;
    for (int i = 0; i <= count; ++i) all.push_back(most * i / count);
    return all;
  }

  std::optional<Separable> sanathananKoerner(double delay) const {
    const int n = order_.poles, m = order_.zeros;
    const Eigen::VectorXcd driven = lines_.held.cwiseProduct(late(delay));
    Eigen::VectorXd weight = lines_.weight;
    std::optional<Separable> best;
    for (int i = 0; i < kIterations; ++i) {
      Eigen::MatrixXcd a(driven.size(), n + m + 1 + beside());
      a.leftCols(n) = lines_.y.asDiagonal() * s_.leftCols(n);
      a.middleCols(n, m + 1) = -(driven.asDiagonal() * s_.leftCols(m + 1));
      a.rightCols(beside()) = s_.leftCols(beside());
      Eigen::MatrixXd left = stacked(weight.cast<Complex>().asDiagonal() * a);
      const Eigen::MatrixXd right =
          stacked((-lines_.y.cwiseProduct(s_.col(n)).cwiseProduct(weight.cast<Complex>())).eval());
      Eigen::VectorXd lengths = left.colwise().norm().transpose();
      for (double& length : lengths)
        if (!(length > 0.0)) length = 1.0;
      left = left * lengths.cwiseInverse().asDiagonal();
      const Eigen::VectorXd x = linalg::leastSquares(left, right).col(0).cwiseQuotient(lengths);
      if (!x.allFinite()) break;
      Eigen::VectorXd theta(n + (order_.delay_s ? 0 : 1));
      theta.head(n) = x.head(n);
      if (!order_.delay_s) theta[n] = delay;
      const std::optional<Separable> here = project([&](const Eigen::VectorXd& t) { return roughlyAt(t); }, theta);
      if (here && (!best || here->cost() < best->cost())) best = here;
      weight = lines_.weight.cwiseQuotient(denominatorAt(s_, x.head(n)).cwiseAbs().cwiseMax(1e-12));
    }
    return best;
  }

  const Lines& lines_;
  OrderSpec order_;
  Eigen::MatrixXcd s_;  // [line, power]
};

std::optional<ResponseFit> fitLines(const Lines& lines, const OrderSpec& order) {
  const Fit fit(lines, order);
  if (lines.counted < fit.unknowns()) return std::nullopt;
  const std::optional<Separable> best = fit.best();
  if (!best) return std::nullopt;
  ResponseFit result;
  result.model = fit.model(*best);
  result.error = best->cost() / static_cast<double>(2 * lines.s.size());
  const double told = 2.0 * lines.counted;
  result.criterion = told * std::log(result.error + kNoGain) + fit.unknowns() * std::log(told);
  double left = 0.0, whole = 0.0;
  const Eigen::Index count = lines.s.size();
  for (Eigen::Index k = 0; k < count; ++k) {
    if (!(lines.weight[k] > 0.0)) continue;
    left += std::norm(Complex(best->residual[k], best->residual[count + k]) / lines.weight[k]);
    whole += std::norm(lines.y[k]);
  }
  result.deviation_percent = 100.0 * std::sqrt(left / whole);
  return result;
}

}  // namespace

RecordSpectra recordSpectra(std::span<const double> input, std::span<const double> output, double rate_hz,
                            double from_hz, double to_hz) {
  RecordSpectra spectra;
  const std::size_t rows = std::min(input.size(), output.size());
  const auto bins = Dft(rows)(input.first(rows), output.first(rows));
  const double bin_hz = rate_hz / static_cast<double>(rows);
  for (std::size_t k = 1; k < bins[0].size(); ++k) {
    const double frequency_hz = bin_hz * static_cast<double>(k);
    if (frequency_hz < from_hz - 1e-6 * bin_hz || frequency_hz > to_hz + 1e-6 * bin_hz) continue;
    spectra.frequency_hz.push_back(frequency_hz);
    spectra.input.push_back(bins[0][k]);
    spectra.output.push_back(bins[1][k]);
  }
  return spectra;
}

std::optional<ResponseFit> fitSpectra(const RecordSpectra& spectra, const OrderSpec& order, Hold hold, double step_s) {
  if (spectra.frequency_hz.empty()) return std::nullopt;
  return fitLines(linesOf(spectra, hold, step_s), order);
}

std::optional<ResponseFit> fitResponse(const MeasuredResponse& response, const OrderSpec& order, Hold hold,
                                       double step_s) {
  if (response.lines.empty()) return std::nullopt;
  return fitLines(linesOf(response, hold, step_s), order);
}

}  // namespace hyb
