#include "core/feedforward/adaption_law.h"

#include <algorithm>
#include <array>

#include "core/base/json.h"
#include "core/feedforward/least_mean_squares.h"
#include "core/feedforward/recursive_least_squares.h"

namespace hyb {
namespace {

constexpr std::array kAdaptionLaws{
    AdaptionEntry{"rls-simultaneous", parseSimultaneousLeastSquares},
    AdaptionEntry{"rls-sequential", parseSequentialLeastSquares},
    AdaptionEntry{"lms", parseLeastMeanSquares},
};

}  // namespace

std::span<const AdaptionEntry> adaptionLaws() noexcept { return kAdaptionLaws; }

AdaptionSpecPtr parseAdaption(const Json& settings) {
  const std::string name = text(settings, "law");
  const auto entry = std::ranges::find(kAdaptionLaws, name, &AdaptionEntry::name);
  if (entry == kAdaptionLaws.end()) throw InputError("/law", "is \"" + name + "\", which is not an adaption law.");
  return entry->parse(settings);
}

void readResponse(const Eigen::MatrixXd& pairs, Eigen::Index harmonic, Eigen::MatrixXcd& matrix) noexcept {
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index a = 0; a < matrix.cols(); ++a) {
      const Eigen::Index at = 2 * (harmonic * matrix.cols() + a);
      matrix(i, a) = {pairs(at, i), pairs(at + 1, i)};
    }
}

void writeResponse(const Eigen::MatrixXcd& matrix, Eigen::Index harmonic, Eigen::MatrixXd& pairs) noexcept {
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index a = 0; a < matrix.cols(); ++a) {
      const Eigen::Index at = 2 * (harmonic * matrix.cols() + a);
      pairs(at, i) = matrix(i, a).real();
      pairs(at + 1, i) = matrix(i, a).imag();
    }
}

FeedforwardLaw::FeedforwardLaw(const AdaptionContext& context) : context_(context) {
  theta_.setZero(context.pairs());
  turned_ = theta_;
  response_.setZero(context.pairs(), context.axes);
  rows_ = response_;
}

void FeedforwardLaw::reset(const Eigen::MatrixXd& response) noexcept {
  rest();
  response_ = response;
  beginIdentification();
}

void FeedforwardLaw::rest() noexcept {
  theta_.setZero();
  turned_.setZero();
}

void FeedforwardLaw::identify(const Harmonics& harmonics, const Eigen::VectorXd& gap, bool learns) noexcept {
  harmonics.turn(theta_, turned_);
  if (learns) learnResponse(gap);
}

void FeedforwardLaw::begin() noexcept {
  endIdentification();
  rest();
  beginAdaption();
}

void FeedforwardLaw::adapt(const Harmonics& harmonics, const Eigen::VectorXd& gap,
                           const Eigen::VectorXd& alone) noexcept {
  for (Eigen::Index i = 0; i < context_.axes; ++i) harmonics.turn(response_.col(i), rows_.col(i));
  learnCommand(gap, alone);
  harmonics.turn(theta_, turned_);
  relearnResponse(gap, alone);
}

double FeedforwardLaw::gainSquared(Eigen::Index harmonic) const noexcept {
  return response_.middleRows(2 * context_.axes * harmonic, 2 * context_.axes).squaredNorm();
}

}  // namespace hyb
