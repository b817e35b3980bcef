#include "core/identification/response_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/identification/separable.h"
#include "core/identification/simulate.h"
#include "core/linalg/dense.h"
#include "core/numbers.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;

constexpr double kLeastError = 1e-3;     // of a line: more accurate no model has to be
constexpr double kUnknownError = 0.05;   // where one segment alone tells of none
constexpr std::size_t kMostLines = 400;  // more of them are thinned out
constexpr int kIterations = 12, kRefinements = 40;

/// The lines as the fit sees them.
struct Lines {
  Eigen::VectorXcd s;        // over scale
  Eigen::VectorXcd h;        // sampled, with the hold of the input
  Eigen::VectorXcd without;  // the hold, as far as lines say that are far below the rate: where the search begins
  Eigen::VectorXd weight;    // one over the standard deviation of the real part
  double scale = 1.0;        // rad/s
  double step_s = 1.0;
  Hold hold = Hold::step;
  double counted = 0.0;  // independent ones
};

Lines linesOf(const FrequencyResponse& response, Hold hold, double step_s) {
  const std::size_t all = response.lines.size(), stride = (all + kMostLines - 1) / kMostLines;
  const auto count = static_cast<Eigen::Index>((all + stride - 1) / stride);
  Lines lines;
  lines.s.resize(count);
  lines.h.resize(count);
  lines.without.resize(count);
  lines.step_s = step_s;
  lines.hold = hold;
  lines.weight.resize(count);
  lines.scale = kTwoPi * response.lines.back().frequency_hz;
  lines.counted = std::max(1.0, static_cast<double>(count) / (stride > 1 ? 1.0 : response.lines_for_one));
  for (Eigen::Index k = 0; k < count; ++k) {
    const ResponseLine& line = response.lines[static_cast<std::size_t>(k) * stride];
    const double w = kTwoPi * line.frequency_hz;
    const double random = std::isfinite(line.radius) ? line.random_error : kUnknownError;
    lines.s[k] = Complex(0.0, w / lines.scale);
    lines.h[k] = line.h1;
    lines.without[k] = line.h1 / holdResponse(hold, w, step_s);
    const double deviation = std::hypot(random, kLeastError) * std::abs(lines.h[k]);
    lines.weight[k] = std::isfinite(deviation) && deviation > 0.0 ? 1.0 / deviation : 0.0;
  }
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

  /// theta: coefficients of D, and the delay times the scale where it is to be found.
  std::optional<Separable> best() const {
    std::optional<Separable> found;
    for (const double delay : delays()) {
      const std::optional<Separable> start = sanathananKoerner(delay);
      if (start && (!found || start->cost() < found->cost())) found = start;
    }
    if (!found) return found;
    return minimise([&](const Eigen::VectorXd& theta) { return at(theta); }, found->theta,
                    Eigen::VectorXd::Ones(found->theta.size()), kRefinements);
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
  Eigen::VectorXcd late(double delay) const { return (-delay * lines_.s).array().exp(); }

  std::optional<LinearPart> at(const Eigen::VectorXd& theta) const {
    constexpr double kFastest = 50.0;  // roots over the tick, beyond which nothing is seen of them
    const double delay_s = delayOf(theta) / lines_.scale;
    if (delay_s < 0.0) return std::nullopt;
    const std::vector<double> denominator = denominatorOf(theta);
    for (const Complex& pole : rootsOf(denominator))
      if (!(std::abs(pole) * lines_.step_s < kFastest)) return std::nullopt;
    const DenominatorResponses responses(denominator, delay_s, lines_.hold, lines_.step_s, lines_.scale);
    Eigen::MatrixXcd columns(lines_.s.size(), order_.zeros + 1);
    for (Eigen::Index k = 0; k < columns.rows(); ++k)
      columns.row(k) = lines_.weight[k] * responses.settled(lines_.s[k].imag() * lines_.scale, order_.zeros);
    return LinearPart{stacked(columns), stacked((lines_.h.cwiseProduct(lines_.weight.cast<Complex>())).eval())};
  }
  std::vector<double> denominatorOf(const Eigen::VectorXd& theta) const {
    std::vector<double> denominator(static_cast<std::size_t>(order_.poles) + 1, 1.0);
    for (int i = 0; i < order_.poles; ++i)
      denominator[static_cast<std::size_t>(i)] = theta[i] * std::pow(lines_.scale, order_.poles - i);
    return denominator;
  }
  /// at() with the hold taken out beforehand, in the time of a few multiplications.
  std::optional<LinearPart> roughlyAt(const Eigen::VectorXd& theta) const {
    const Eigen::VectorXcd over = late(delayOf(theta)).cwiseQuotient(denominatorAt(s_, theta.head(order_.poles)));
    const Eigen::VectorXcd weighted = over.cwiseProduct(lines_.weight.cast<Complex>());
    return LinearPart{stacked(weighted.asDiagonal() * s_.leftCols(order_.zeros + 1)),
                      stacked((lines_.without.cwiseProduct(lines_.weight.cast<Complex>())).eval())};
  }

  /// Where the search begins: up to half as much again as the phase falls with the frequency.
  std::vector<double> delays() const {
    if (order_.delay_s) return {*order_.delay_s * lines_.scale};
    std::vector<double> slopes;
    for (Eigen::Index k = 1; k < lines_.s.size(); ++k) {
      const double turn = -std::arg(lines_.without[k] * std::conj(lines_.without[k - 1]));
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
    const Eigen::VectorXcd h = lines_.without.cwiseQuotient(late(delay));
    Eigen::VectorXd weight = lines_.weight;
    std::optional<Separable> best;
    for (int i = 0; i < kIterations; ++i) {
      Eigen::MatrixXcd a(h.size(), n + m + 1);
      a.leftCols(n) = h.asDiagonal() * s_.leftCols(n);
      a.rightCols(m + 1) = -s_.leftCols(m + 1);
      Eigen::MatrixXd left = stacked(weight.cast<Complex>().asDiagonal() * a);
      const Eigen::MatrixXd right = stacked((-h.cwiseProduct(s_.col(n)).cwiseProduct(weight.cast<Complex>())).eval());
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

}  // namespace

std::optional<ResponseFit> fitResponse(const FrequencyResponse& response, const OrderSpec& order, Hold hold,
                                       double step_s) {
  if (2 * response.lines.size() <= static_cast<std::size_t>(order.parameters())) return std::nullopt;
  const Lines lines = linesOf(response, hold, step_s);
  if (2 * lines.s.size() <= order.parameters()) return std::nullopt;
  const Fit fit(lines, order);
  const std::optional<Separable> best = fit.best();
  if (!best) return std::nullopt;
  ResponseFit result;
  result.model = fit.model(*best);
  result.error = best->cost() / static_cast<double>(2 * lines.s.size());
  constexpr double kNoGain = 0.1;  // less of the error is as good as nothing
  const double told = 2.0 * lines.counted;
  result.criterion = told * std::log(result.error + kNoGain) + order.parameters() * std::log(told);
  double left = 0.0, whole = 0.0;
  const Eigen::Index count = lines.s.size();
  for (Eigen::Index k = 0; k < count; ++k) {
    if (!(lines.weight[k] > 0.0)) continue;
    left += std::norm(std::complex(best->residual[k], best->residual[count + k]) / lines.weight[k]);
    whole += std::norm(lines.h[k]);
  }
  result.deviation_percent = 100.0 * std::sqrt(left / whole);
  return result;
}

}  // namespace hyb
