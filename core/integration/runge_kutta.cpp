#include "core/integration/runge_kutta.h"

#include <numeric>

#include "core/integration/linked_scheme.h"

namespace hyb {
namespace {

/// Kutta's classical method.
const ButcherTableau kRungeKutta4{{{}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};

/// Source: P. Bogacki, L. F. Shampine, Appl. Math. Lett. 2 (1989).
const ButcherTableau kBogackiShampine{{{}, {0.5}, {0.0, 0.75}}, {2.0 / 9, 1.0 / 3, 4.0 / 9}};

/// The method of order 8 behind DOP853. Source: E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential
/// Equations I, 2nd ed., section II.5 (after J. R. Dormand, P. J. Prince).
const ButcherTableau kDormandPrince8{
    {
        {},
        {5.26001519587677318785587544488e-2},
        {1.97250569845378994544595329183e-2, 5.91751709536136983633785987549e-2},
        {2.95875854768068491816892993775e-2, 0.0, 8.87627564304205475450678981324e-2},
        {2.41365134159266685502369798665e-1, 0.0, -8.84549479328286085344864962717e-1,
         9.24834003261792003115737966543e-1},
        {3.7037037037037037037037037037e-2, 0.0, 0.0, 1.70828608729473871279604482173e-1,
         1.25467687566822425016691814123e-1},
        {3.7109375e-2, 0.0, 0.0, 1.70252211019544039314978060272e-1, 6.02165389804559606850219397283e-2, -1.7578125e-2},
        {3.70920001185047927108779319836e-2, 0.0, 0.0, 1.70383925712239993810214054705e-1,
         1.07262030446373284651809199168e-1, -1.53194377486244017527936158236e-2, 8.27378916381402288758473766002e-3},
        {6.24110958716075717114429577812e-1, 0.0, 0.0, -3.36089262944694129406857109825,
         -8.68219346841726006818189891453e-1, 2.75920996994467083049415600797e1, 2.01540675504778934086186788979e1,
         -4.34898841810699588477366255144e1},
        {4.77662536438264365890433908527e-1, 0.0, 0.0, -2.48811461997166764192642586468,
         -5.90290826836842996371446475743e-1, 2.12300514481811942347288949897e1, 1.52792336328824235832596922938e1,
         -3.32882109689848629194453265587e1, -2.03312017085086261358222928593e-2},
        {-9.3714243008598732571704021658e-1, 0.0, 0.0, 5.18637242884406370830023853209, 1.09143734899672957818500254654,
         -8.14978701074692612513997267357, -1.85200656599969598641566180701e1, 2.27394870993505042818970056734e1,
         2.49360555267965238987089396762, -3.0467644718982195003823669022},
        {2.27331014751653820792359768449, 0.0, 0.0, -1.05344954667372501984066689879e1,
         -2.00087205822486249909675718444, -1.79589318631187989172765950534e1, 2.79488845294199600508499808837e1,
         -2.85899827713502369474065508674, -8.87285693353062954433549289258, 1.23605671757943030647266201528e1,
         6.43392746015763530355970484046e-1},
    },
    {5.42937341165687622380535766363e-2, 0.0, 0.0, 0.0, 0.0, 4.45031289275240888144113950566,
     1.89151789931450038304281599044, -5.8012039600105847814672114227, 3.1116436695781989440891606237e-1,
     -1.52160949662516078556178806805e-1, 2.01365400804030348374776537501e-1, 4.47106157277725905176885569043e-2}};

class RungeKutta final : public LinkedScheme {
 public:
  RungeKutta(const ButcherTableau& tableau, const SystemMatrices& system, double step_s, LoadOverTick load)
      : LinkedScheme(system),
        stages_(static_cast<Eigen::Index>(tableau.b.size())),
        h_(step_s),
        hold_(load == LoadOverTick::hold),
        weights_(tableau.a),
        b_(tableau.b),
        c_(system.c),
        k_(system.k),
        mass_(system.m),
        velocities_(system.size(), stages_),
        accelerations_(system.size(), stages_) {
    for (const std::vector<double>& row : weights_) instants_.push_back(std::accumulate(row.begin(), row.end(), 0.0));
    stage_x_ = stage_v_ = stage_a_ = Eigen::VectorXd::Zero(system.size());
    velocities_.setZero();
    accelerations_.setZero();
  }

  /// With a linear load over the step, the acceleration at its start is that at the end of the last one.
  void step(const Eigen::VectorXd& load_n) noexcept override {
    if (hold_) {
      stage_a_ = load_n - old_load_;
      mass_.solve(stage_a_);
      a_ += stage_a_;
      old_load_ = load_n;
    }
    velocities_.col(0) = v_;
    accelerations_.col(0) = a_;
    for (Eigen::Index i = 1; i < stages_; ++i) {
      const auto row = static_cast<std::size_t>(i);
      sum(weights_[row]);
      stage_a_ = (1.0 - instants_[row]) * old_load_ + instants_[row] * load_n;
      if (!links_.empty()) links_.addTrial(stage_x_, -1.0, stage_a_);
      accelerate();
      velocities_.col(i) = stage_v_;
      accelerations_.col(i) = stage_a_;
    }
    sum(b_);
    x_ = stage_x_;
    v_ = stage_v_;
    links_.commit(x_);
    stage_a_ = load_n;
    links_.add(-1.0, stage_a_);
    accelerate();
    a_ = stage_a_;
    old_load_ = load_n;
  }

 private:
  /// Stage motion: start motion plus the weighted rates of the previous stages.
  void sum(const std::vector<double>& weights) noexcept {
    stage_x_ = x_;
    stage_v_ = v_;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      if (weights[j] == 0.0) continue;
      stage_x_ += h_ * weights[j] * velocities_.col(static_cast<Eigen::Index>(j));
      stage_v_ += h_ * weights[j] * accelerations_.col(static_cast<Eigen::Index>(j));
    }
  }
  /// stage_a_ contains the load minus the nonlinear forces and becomes the acceleration.
  void accelerate() noexcept {
    stage_a_.noalias() -= c_ * stage_v_;
    stage_a_.noalias() -= k_ * stage_x_;
    mass_.solve(stage_a_);
  }

  Eigen::Index stages_;
  double h_;
  bool hold_;
  std::vector<std::vector<double>> weights_;
  std::vector<double> b_, instants_;
  SparseMatrix c_, k_;
  LinearSolver mass_;
  Eigen::MatrixXd velocities_, accelerations_;   // [n, s], of the stages
  Eigen::VectorXd stage_x_, stage_v_, stage_a_;  // [n]
};

}  // namespace

const ButcherTableau& tableau(Scheme scheme) {
  switch (scheme) {
    case Scheme::bogacki_shampine:
      return kBogackiShampine;
    case Scheme::dormand_prince_8:
      return kDormandPrince8;
    default:
      return kRungeKutta4;
  }
}

std::unique_ptr<Integrator> makeRungeKutta(Scheme scheme, const SystemMatrices& system, double step_s,
                                           LoadOverTick load) {
  return std::make_unique<RungeKutta>(tableau(scheme), system, step_s, load);
}

}  // namespace hyb
