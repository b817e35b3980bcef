#include "core/harmonic/balance_method.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hyb {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kLeastShare = 0.02;  // of |dV|^2 in dV^T J^-1 dR, below which an update has no information

class Broyden final : public BalanceMethod {
 public:
  explicit Broyden(Index unknowns) : left_(unknowns), right_(unknowns) {}
  void observe(const VectorXd& dv, const VectorXd& dr, MatrixXd& inverse) noexcept override {
    right_.noalias() = inverse * dr;
    const double by = dv.dot(right_);
    if (std::abs(by) < kLeastShare * dv.squaredNorm()) return;
    left_.noalias() = inverse.transpose() * dv;
    right_ = (dv - right_) / by;
    inverse.noalias() += right_ * left_.transpose();
  }

 private:
  VectorXd left_, right_;
};

class Newton final : public BalanceMethod {
 public:
  explicit Newton(Index /*unknowns*/) {}
};

/// dV = -J^-1 (R - dR g) - dV g, with the g that minimises |R - dR g| over the last steps of this frequency.
class Anderson final : public BalanceMethod {
 public:
  explicit Anderson(Index unknowns)
      : depth_(std::min<Index>(kDeepest, unknowns)),
        steps_(MatrixXd::Zero(unknowns, depth_)),
        changes_(MatrixXd::Zero(unknowns, depth_)),
        basis_(MatrixXd::Zero(unknowns, depth_)),
        triangle_(MatrixXd::Zero(depth_, depth_)),
        share_(VectorXd::Zero(depth_)),
        rest_(unknowns),
        moved_(unknowns) {}
  void begin() noexcept override { kept_ = at_ = 0; }
  void renewed() noexcept override { begin(); }
  void observe(const VectorXd& dv, const VectorXd& dr, MatrixXd& /*inverse*/) noexcept override {
    steps_.col(at_) = dv;
    changes_.col(at_) = dr;
    at_ = (at_ + 1) % depth_;
    kept_ = std::min(kept_ + 1, depth_);
  }
  void propose(const MatrixXd& inverse, const VectorXd& r, VectorXd& dv) noexcept override {
    mix(r);
    dv.noalias() = inverse * rest_;
    dv = -dv - moved_;
  }

 private:
  static constexpr Index kDeepest = 5;
  static constexpr double kSame = 1e-3;  // a change is dependent if less than this share remains beside the later ones

  /// rest_ = R - dR g and moved_ = dV g, by Gram-Schmidt from the latest change backward.
  void mix(const VectorXd& r) noexcept {
    rest_ = r;
    moved_.setZero();
    Index used = 0;
    for (Index k = 0; k < kept_; ++k) {
      const Index column = (at_ - 1 - k + 2 * depth_) % depth_;
      auto q = basis_.col(used);
      auto dv = triangle_.col(used);  // shares of the earlier columns
      q = changes_.col(column);
      const double size = q.norm();
      for (Index j = 0; j < used; ++j) {
        dv[j] = basis_.col(j).dot(q);
        q -= dv[j] * basis_.col(j);
      }
      const double left = q.norm();
      if (!(left > kSame * size)) continue;
      q /= left;
      dv[used] = left;
      order_[static_cast<std::size_t>(used)] = column;
      ++used;
    }
    for (Index j = 0; j < used; ++j) {
      share_[j] = basis_.col(j).dot(rest_);
      rest_ -= share_[j] * basis_.col(j);
    }
    for (Index j = used; j-- > 0;) {
      for (Index k = j + 1; k < used; ++k) share_[j] -= triangle_(j, k) * share_[k];
      share_[j] /= triangle_(j, j);
      moved_ += share_[j] * steps_.col(order_[static_cast<std::size_t>(j)]);
    }
  }

  Index depth_, kept_ = 0, at_ = 0;
  MatrixXd steps_, changes_, basis_, triangle_;
  VectorXd share_, rest_, moved_;
  std::array<Index, kDeepest> order_{};
};

template <typename Method>
std::unique_ptr<BalanceMethod> makeMethod(Index unknowns) {
  return std::make_unique<Method>(unknowns);
}

constexpr std::array<BalanceMethodKind, 3> kMethods = {{{"broyden", false, makeMethod<Broyden>},
                                                        {"newton", true, makeMethod<Newton>},
                                                        {"anderson", false, makeMethod<Anderson>}}};

}  // namespace

void BalanceMethod::propose(const MatrixXd& inverse, const VectorXd& r, VectorXd& dv) noexcept {
  dv.noalias() = inverse * r;
  dv = -dv;
}

std::span<const BalanceMethodKind> balanceMethods() { return kMethods; }

const BalanceMethodKind& balanceMethod(std::string_view name) {
  const auto found = std::ranges::find(kMethods, name, &BalanceMethodKind::name);
  return found == kMethods.end() ? kMethods.front() : *found;
}

}  // namespace hyb
