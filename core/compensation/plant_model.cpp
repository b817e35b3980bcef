#include "core/compensation/plant_model.h"

#include <cmath>

#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/linalg/dense.h"

namespace hyb {
namespace {

bool isPair(const PlantRoot& root) noexcept { return root.imag_hz != 0.0; }

/// Static value over the highest coefficient: product of -root over all roots.
double staticShare(const std::vector<PlantRoot>& roots) {
  double share = 1.0;
  for (const PlantRoot& root : roots) {
    const double re = kTwoPi * root.hz, im = kTwoPi * root.imag_hz;
    share *= isPair(root) ? re * re + im * im : -re;
  }
  return share;
}

double scaled(const std::vector<double>& polynomial, std::size_t k, double w) {
  return polynomial[k] * std::pow(w, static_cast<double>(k));
}

}  // namespace

std::size_t orderOf(const std::vector<PlantRoot>& roots) noexcept {
  std::size_t order = 0;
  for (const PlantRoot& root : roots) order += isPair(root) ? 2 : 1;
  return order;
}

std::vector<double> rootPolynomial(const std::vector<PlantRoot>& roots) {
  std::vector<double> all{1.0};
  for (const PlantRoot& root : roots) {
    const double re = kTwoPi * root.hz, im = kTwoPi * root.imag_hz, square = re * re + im * im;
    const std::vector<double> factor =
        isPair(root) ? std::vector<double>{1.0, -2.0 * re / square, 1.0 / square} : std::vector<double>{1.0, -1.0 / re};
    std::vector<double> next(all.size() + factor.size() - 1, 0.0);
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = 0; j < factor.size(); ++j) next[i + j] += all[i] * factor[j];
    all = std::move(next);
  }
  return all;
}

std::vector<double> numeratorOf(const PlantPath& path, const std::vector<PlantRoot>& poles) {
  std::vector<double> all = rootPolynomial(path.zeros);
  const double factor = path.factor * staticShare(path.zeros) / staticShare(poles);
  for (double& coefficient : all) coefficient *= factor;
  return all;
}

CompanionForm::CompanionForm(const std::vector<double>& denominator) {
  const auto order = static_cast<Eigen::Index>(denominator.size()) - 1;
  w = std::pow(std::abs(denominator.back()), -1.0 / static_cast<double>(order));
  const double highest = scaled(denominator, denominator.size() - 1, w);
  a.setZero(order, order);
  b.setZero(order);
  for (Eigen::Index k = 0; k + 1 < order; ++k) a(k, k + 1) = w;
  for (Eigen::Index k = 0; k < order; ++k)
    a(order - 1, k) = -w * scaled(denominator, static_cast<std::size_t>(k), w) / highest;
  b[order - 1] = w / highest;
}

Eigen::RowVectorXd CompanionForm::row(const std::vector<double>& numerator) const {
  Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(a.cols());
  for (std::size_t k = 0; k < numerator.size(); ++k) row[static_cast<Eigen::Index>(k)] = scaled(numerator, k, w);
  return row;
}

SampledPlant sampled(const std::vector<PlantColumn>& plant, double step_s) {
  Eigen::Index states = 0, first = 0;
  for (const PlantColumn& column : plant) states += static_cast<Eigen::Index>(orderOf(column.poles));
  const auto axes = static_cast<Eigen::Index>(plant.size());
  Eigen::MatrixXd rates = Eigen::MatrixXd::Zero(states + axes, states + axes);
  SampledPlant sampled{{}, {}, Eigen::MatrixXd::Zero(axes, states)};
  for (Eigen::Index j = 0; j < axes; ++j) {
    const PlantColumn& column = plant[static_cast<std::size_t>(j)];
    const CompanionForm form(rootPolynomial(column.poles));
    const Eigen::Index count = form.b.size();
    rates.block(first, first, count, count) = form.a;
    rates.block(first, states + j, count, 1) = form.b;
    sampled.c.block(j, first, 1, count) = form.row(numeratorOf(column.own, column.poles));
    for (const PlantColumn::Cross& cross : column.cross)
      sampled.c.block(static_cast<Eigen::Index>(cross.axis), first, 1, count) =
          form.row(numeratorOf(cross.path, column.poles));
    first += count;
  }
  const Eigen::MatrixXd over_step = linalg::exponential(step_s * rates);
  sampled.a = over_step.topLeftCorner(states, states);
  sampled.b = over_step.topRightCorner(states, axes);
  return sampled;
}

std::vector<PlantRoot> readRoots(const Json& object, const char* key) {
  std::vector<PlantRoot> roots;
  for (const Json& one : object.value(key, Json::array())) {
    PlantRoot& root = roots.emplace_back();
    read(one, "hz", root.hz);
    read(one, "imag_hz", root.imag_hz);
  }
  return roots;
}

}  // namespace hyb
