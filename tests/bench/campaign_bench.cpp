/// What a run of a study costs, in processor time of one job: from its project to its figures, beside its ticks alone,
/// and for the calibration beside the same arithmetic bare, in fixed sizes and without a line of the product.
/// Budgets: a run at most 1.2 times its ticks, and 1.5 times the bare loop. `hybridbench_campaign_bench [RUNS]`
#include <Eigen/Dense>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <unsupported/Eigen/MatrixFunctions>

#include "core/excitation/band_signal.h"
#include "core/project/project_series.h"
#include "core/run/build.h"
#include "core/study/memory_run.h"
#include "core/study/study.h"
#include "tests/bench/bare_inverse.h"
#include "tests/support/polar_noise.h"

namespace {

using namespace hyb;

double processor_s() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The least of many times: the others waited for caches that other programs use, too.
struct Least {
  double s = std::numeric_limits<double>::infinity();
  template <typename Work>
  void of(Work&& work) {
    const double before = processor_s();
    work();
    s = std::min(s, processor_s() - before);
  }
};

/// The building of the template force-shear-building on its rig (tests/support/araya_loop.h has the equations): noise,
/// piston, specimen and two computed storeys, the adaptive inverse model, and the error of the piston.
class BareBuilding {
 public:
  BareBuilding() {
    // x_e, v_e, q, q', f, x_p, v_p; then the command and the noise of the force that loads the piston.
    Eigen::Matrix<double, 7, 9> rate = Eigen::Matrix<double, 7, 9>::Zero();
    rate(0, 1) = rate(2, 3) = rate(5, 6) = 1.0;
    rate.row(1) << -(kSpring + kStorey) / kMass, -kSpecimenC / kMass, 0, 0, 0, kSpring / kMass, 0, 0, 0;
    rate.row(3) << 0, 0, -kB2, -kB1, 0, -kA1b0, 0, kA1b0, 0;
    rate.row(4) << 0, 0, 1, 0, -kA3, 0, -kA2, 0, 0;
    rate.row(6) << kSpring / kPiston, 0, 0, 0, 1.0 / kPiston, -kSpring / kPiston, 0, 0, 1.0 / kPiston;
    Eigen::Matrix<double, 9, 9> whole = Eigen::Matrix<double, 9, 9>::Identity(), power = whole;
    Eigen::Matrix<double, 9, 9> step = Eigen::Matrix<double, 9, 9>::Zero();
    step.topRows<7>() = kStep_s * rate;
    for (int order = 1; order <= 4; ++order) {  // one step of Runge-Kutta
      power = (power * step / order).eval();
      whole += power;
    }
    rig_ = whole.topRows<7>();
    // x2, x3, v2, v3 under x_e, v_e and the ground, linear over the tick (Van Loan).
    Eigen::Matrix<double, 10, 10> storeys = Eigen::Matrix<double, 10, 10>::Zero();
    storeys(0, 2) = storeys(1, 3) = 1.0;
    storeys.block<1, 7>(2, 0) << -2.0 * kUpper, kUpper, -kC22, -kC23, kUpper, kC2, -kMass;
    storeys.block<1, 7>(3, 0) << kUpper, -kUpper, -kC23, -kC33, 0, kC31, -kMass;
    storeys.middleRows<2>(2) /= kMass;
    storeys *= kStep_s;
    storeys.block<3, 3>(4, 7).setIdentity();
    const Eigen::Matrix<double, 10, 10> transition = storeys.exp();
    numerical_ = transition.topRows<4>();
    numerical_.middleCols<3>(4) -= numerical_.rightCols<3>();
  }

  /// J2 of the piston, %, under a shaking that is given tick by tick.
  double error_percent(const std::vector<double>& shaking, double amplitude, std::uint64_t seed, int first) const {
    hyb::test::PolarNoise motion_noise(seed, 0), force_noise(seed, 1);
    bench::BareInverse inverse({1.0000000155, 0.01985915969, 8.44014286e-05, 1.98591596e-07},
                               {9.2424, 7.0077, 3.0903, -0.0707}, kStep_s);
    Eigen::Matrix<double, 9, 1> rig = Eigen::Matrix<double, 9, 1>::Zero();
    Eigen::Matrix<double, 10, 1> storeys = Eigen::Matrix<double, 10, 1>::Zero();
    double last_e = 0.0, moved = 0.0, gaps = 0.0, targets = 0.0;
    for (int k = 0; k < static_cast<int>(shaking.size()); ++k) {
      rig.head<7>() = (rig_ * rig).eval();
      const double ground = amplitude * shaking[static_cast<std::size_t>(k)], xe = rig[0];
      const double measured = rig[5] + 6.532e-6 * motion_noise.next();
      rig[8] = 2.18 * force_noise.next();
      const double moves = xe - last_e, ve = (1.5 * moves - 0.5 * moved) / kStep_s;
      last_e = xe;
      moved = moves;
      storeys.tail<3>() << xe, ve, ground;
      storeys.head<4>() = (numerical_ * storeys).eval();
      storeys.segment<3>(4) = storeys.tail<3>();
      const double target = (-kMass * ground + kUpper * (storeys[0] - xe) + kC2 * (storeys[2] - ve)) / kSpring + xe;
      rig[7] = inverse.command(target, measured);
      if (k < first) continue;
      gaps += (measured - target) * (measured - target);
      targets += target * target;
    }
    return 100.0 * std::sqrt(gaps / targets);
  }

  static constexpr double kStep_s = 1.0 / 4096.0;

 private:
  static constexpr double kMass = 98.3, kUpper = 0.684e6, kStorey = 10.836e6, kSpring = 0.05 * kStorey;
  static constexpr double kC2 = 152.2486, kC31 = 13.7892, kSpecimenC = 3004.7556;
  static constexpr double kC22 = 1088.1852, kC23 = -370.6984, kC33 = 731.2760;
  static constexpr double kA1b0 = 2.13e13, kA2 = 4.23e6, kA3 = 3.3, kB1 = 425.0, kB2 = 1e5, kPiston = 1.0;
  Eigen::Matrix<double, 7, 9> rig_;
  Eigen::Matrix<double, 4, 10> numerical_;
};

/// The shaking of the template with amplitude 1, faded as there.
std::vector<double> shaking(int ticks) {
  const auto signal = makeMultiSine(bandNoise({1.0, 0.4, 12.0, 20.0}, 1));
  std::vector<double> samples;
  for (int k = 0; k < ticks; ++k) {
    const double t_s = k * BareBuilding::kStep_s, left_s = (ticks - k) * BareBuilding::kStep_s;
    samples.push_back(cosineFade(t_s, 1.0).value * cosineFade(left_s, 1.0).value * signal->value(t_s));
  }
  return samples;
}

/// Figures, runs, what they cost with their ticks; and the bare loop of as many ticks, if there is one.
void measure(const char* name, const Study& study, std::size_t runs, bool bare) {
  ProjectSeries projects(study.folder);
  RunMemory memory;
  const StopToken stop;
  Least whole, ticks, plain;
  std::size_t count = 0;
  double figure = 0.0, bare_figure = 0.0;
  const BareBuilding building;
  const std::vector<double> ground = bare ? shaking(32768) : std::vector<double>();
  const std::size_t interfaces = buildPartition(*projects.next(study.project(0))).interface.size();
  const std::vector<FigureColumn> columns = figureColumns(study.measures, interfaces);
  for (std::size_t r = 0; r < runs; ++r) {
    whole.of([&] {
      memory.run(*projects.next(study.project(r)), Pace::free_run, false, stop, {},
                 [&](const RunRecord& run) { figure = figureValues(run, columns).front(); });
    });
    const auto loop = buildUnattendedLoop(*projects.next(study.project(r)));
    loop->arm();
    loop->post({Request::Kind::start, -1, 0.0, {}, {}});
    count = 0;
    ticks.of([&] {
      while (loop->tick(1)) ++count;
    });
    if (bare) plain.of([&] { bare_figure = building.error_percent(ground, 2.5, r + 1, 4096); });
  }
  std::printf("%-22s run %7.3f ms, its %zu ticks %7.3f ms (%.0f ns each): %.2f times\n", name, 1e3 * whole.s, count,
              1e3 * ticks.s, 1e9 * ticks.s / static_cast<double>(count), whole.s / ticks.s);
  if (!bare) return;
  std::printf(
      "%-22s bare loop of %zu ticks %7.3f ms (%.0f ns each): a tick of the run takes %.2f times; figure %.3g, bare "
      "%.3g\n",
      "", ground.size(), 1e3 * plain.s, 1e9 * plain.s / static_cast<double>(ground.size()),
      whole.s / static_cast<double>(count) / (plain.s / static_cast<double>(ground.size())), figure, bare_figure);
  std::printf("%-22s 90,000 runs of 28,672 ticks on two cores: %.1f min\n", "",
              90000.0 * 28672.0 * whole.s / static_cast<double>(count) / 2.0 / 60.0);
}

Study thousandRuns() {
  Json document = {{"format", "hybridbench-study"}, {"version", 1}, {"project", "three-mass"}, {"seeds", 1000}};
  document["set"] = {{"/loop/duration_s", 10}, {"/analysis/start_s", 4}};
  return parseStudy(document);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t runs = argc > 1 ? static_cast<std::size_t>(std::atoi(argv[1])) : 40;
  Json calibration = shippedStudy("building-calibration")->document;
  calibration.erase("search");  // at the optimum of the thesis
  measure("building-calibration", parseStudy(calibration), runs, true);
  measure("thousandRuns", thousandRuns(), runs, false);
}
