/// One earthquake of the 2020 benchmark, 168,673 ticks in memory: by the product as its studies run it, budget 40 ms,
/// and beside it what the same arithmetic costs bare, in fixed sizes and without a line of the product. Their ratio is
/// what a test bench costs over the mathematics of the test: limits, measures, rows, events, any number of axes.
#include <benchmark/benchmark.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unsupported/Eigen/MatrixFunctions>

#include "core/project/project.h"
#include "core/run/build.h"
#include "tests/bench/bare_inverse.h"
#include "tests/support/polar_noise.h"

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr int kTicks = 168673;
constexpr double kStep_s = 1.0 / 4096.0, kSample_s = 0.02;

/// Ground acceleration that stands for a record: as many samples at its step, m/s^2, about as strong as El Centro at
/// 40 %; between them it goes straight.
const std::vector<double>& groundMotion() {
  static const std::vector<double> samples = [] {
    std::vector<double> all;
    for (int n = 0; n <= 2060; ++n) {
      const double t_s = kSample_s * n;
      double sum = 0.0;
      for (const double hz : {0.7, 1.15, 1.9, 2.6, 3.7, 5.3, 7.9}) sum += std::sin(2.0 * std::numbers::pi * hz * t_s);
      all.push_back(0.5 * sum * (t_s / 3.0) * std::exp(1.0 - t_s / 3.0));
    }
    return all;
  }();
  return samples;
}

/// The ground motion as a record, in a folder that goes with the program.
class Record {
 public:
  Record() {
    std::string name = (std::filesystem::temp_directory_path() / "hybridbench-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error(name + ": cannot be made");
    folder_ = name;
    std::ofstream out(file());
    out.precision(17);
    out << "time_s,acceleration_m_per_s2\n";
    for (std::size_t n = 0; n < groundMotion().size(); ++n)
      out << kSample_s * static_cast<double>(n) << ',' << groundMotion()[n] << '\n';
  }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;
  ~Record() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::string file() const { return (folder_ / "earthquake.csv").string(); }

 private:
  std::filesystem::path folder_;
};

/// The template benchmark-2020-sample with its adaptive compensator under an earthquake as long as those of the
/// benchmark, which begin and end by themselves.
hyb::Project earthquakeProject() {
  static const Record record;
  hyb::Json document = hyb::templateDocument("benchmark-2020-sample");
  document["excitation"]["signals"] = hyb::Json::array(
      {hyb::Json{{"name", "ground"}, {"kind", "ground-motion"}, {"file", record.file()}, {"output", "acceleration"}}});
  document["excitation"]["loads"][0]["signal"] = "ground";
  document["loop"]["soft_start_s"] = document["loop"]["soft_end_s"] = 0.0;
  document["integrator"]["scheme"] = "exact-ramp";  // as the bare loop
  hyb::setValue(document, "/loop/duration_s=41.2");
  hyb::setValue(
      document,
      R"(/compensation={"method":"adaptive-inverse-model","coefficients":[0.99254158,0.024889389,0.00010662322,3.8563921e-07],
    "gain_exponents":[8.4,6.2,2.1,0.8],"quantum_m":3.814697265625e-6})");
  return hyb::parseProject(document);
}

std::unique_ptr<hyb::Loop> startedLoop(const hyb::Project& project, hyb::RowRing* rows = nullptr) {
  std::unique_ptr<hyb::Loop> loop = hyb::buildUnattendedLoop(project);
  if (rows != nullptr) loop->attachRecorder(rows, nullptr, nullptr);
  loop->arm();
  loop->post({hyb::Request::Kind::start, -1, 0.0, {}, {}});
  return loop;
}

/// M x'' + C x' + K x = p of three DOF under a load that is linear over the tick (Van Loan).
class BareFrame {
 public:
  BareFrame(const Matrix3d& m, const Matrix3d& c, const Matrix3d& k) {
    const Matrix3d inverse = m.inverse();
    Eigen::Matrix<double, 12, 12> rate = Eigen::Matrix<double, 12, 12>::Zero();
    rate.block<3, 3>(0, 3).setIdentity();
    rate.block<3, 3>(3, 0) = -kStep_s * kStep_s * inverse * k;
    rate.block<3, 3>(3, 3) = -kStep_s * inverse * c;
    rate.block<3, 3>(3, 6) = kStep_s * kStep_s * inverse;
    rate.block<3, 3>(6, 9).setIdentity();
    const Eigen::Matrix<double, 12, 12> transition = rate.exp();
    gain_ = transition.topRows<6>();
    gain_.middleCols<3>(6) -= gain_.rightCols<3>();
    gain_.middleCols<3>(3) *= kStep_s;
    gain_.bottomRows<3>() /= kStep_s;
  }
  void step(const Vector3d& load_n) {
    Eigen::Matrix<double, 12, 1> input;
    input << state_, load_, load_n;
    state_.noalias() = gain_ * input;
    load_ = load_n;
  }
  double displacement(Eigen::Index dof) const { return state_[dof]; }

 private:
  Eigen::Matrix<double, 6, 12> gain_;
  Eigen::Matrix<double, 6, 1> state_ = Eigen::Matrix<double, 6, 1>::Zero();
  Vector3d load_ = Vector3d::Zero();
};

/// Everything that is computed of the earthquake, tick by tick; the reference too.
class BareEarthquake {
 public:
  BareEarthquake()
      : uncut_(Matrix3d::Identity() * kMass_kg, damping(), stiffness()),
        numerical_(Vector3d(kMass_kg - kSpecimen_kg, kMass_kg, kMass_kg).asDiagonal(),
                   damping() - atFirst(kSpecimen_n_s_per_m), stiffness() - atFirst(kSpecimen_n_per_m)) {
    constexpr double a1b0 = 2.1283e13, a2 = 4229700, a3 = 3.3, b1 = 425, b2 = 99976, gain = 1.0261;
    acceleration_ << -kSpecimen_n_per_m / kSpecimen_kg, -kSpecimen_n_s_per_m / kSpecimen_kg, 0.0, 0.0,
        1.0 / kSpecimen_kg;
    Eigen::Matrix<double, 6, 6> rate = Eigen::Matrix<double, 6, 6>::Zero();  // of [x, v, q, q', f, u]
    rate(0, 1) = rate(2, 3) = 1.0;
    rate.block<1, 5>(1, 0) = acceleration_;
    rate.row(3) << -a1b0, 0.0, -b2, -b1, 0.0, a1b0 * gain;
    rate.row(4) << 0.0, -a2, 1.0, 0.0, -a3, 0.0;
    Eigen::Matrix<double, 6, 1> size;
    const double force = a1b0 * kStep_s * kStep_s * kStep_s;
    size << 1.0, 1.0 / kStep_s, force / kStep_s, force / (kStep_s * kStep_s), force, 1.0;
    const Eigen::Matrix<double, 6, 6> scaled = size.cwiseInverse().asDiagonal() * rate * size.asDiagonal() * kStep_s;
    transition_ = (size.asDiagonal() * scaled.exp() * size.cwiseInverse().asDiagonal()).topRows<5>();
  }

  /// The target of this tick, m.
  double tick() {
    // Rig.
    if (k_ > 0) {
      Eigen::Matrix<double, 6, 1> input;
      input << plant_, command_;
      plant_.noalias() = transition_ * input;
    }
    const double a = acceleration_ * plant_;
    const double force = -(kSpecimen_kg * a + kSpecimen_n_s_per_m * plant_[1] + kSpecimen_n_per_m * plant_[0]);
    const double measured = plant_[0] + 1.6e-5 * displacement_noise_.next();
    const double felt = force + 2.18 * force_noise_.next();
    if (k_ == 0) offset_ = command_ = measured;  // it begins where the rig seems to stand
    if (k_++ == 0) return offset_;
    const double t_s = (k_ - 1) * kStep_s, offset = (1.0 - fade(t_s)) * offset_;
    // Both structures.
    const double ground_mps2 = excitation(t_s);
    Vector3d load = Vector3d::Constant(-kMass_kg * ground_mps2);
    uncut_.step(load);
    load[0] += felt;
    numerical_.step(load);
    command_ = inverse_.command(numerical_.displacement(0), measured - offset) + offset;
    benchmark::DoNotOptimize(uncut_.displacement(0));
    return numerical_.displacement(0) + offset;
  }

 private:
  static constexpr double kMass_kg = 1000.0;
  static constexpr double kSpecimen_kg = 29.13, kSpecimen_n_s_per_m = 114.220867, kSpecimen_n_per_m = 1190000.0;

  static Matrix3d stiffness() {
    Matrix3d k;
    k << 26054883.87960384, -23133938.8771082, 5937035.46333915,   //
        -23133938.8771082, 32560774.18638033, -14419970.77723698,  //
        5937035.46333915, -14419970.77723698, 9267275.50622431;
    return k;
  }
  /// 5 % of each mode.
  static Matrix3d damping() {
    const Eigen::SelfAdjointEigenSolver<Matrix3d> modes(stiffness() / kMass_kg);
    const Vector3d rates = 2.0 * 0.05 * kMass_kg * modes.eigenvalues().cwiseSqrt();
    return modes.eigenvectors() * rates.asDiagonal() * modes.eigenvectors().transpose();
  }
  static Matrix3d atFirst(double value) { return Vector3d(value, 0.0, 0.0).asDiagonal(); }
  static double fade(double t_s) {
    return t_s >= 0.5 ? 1.0 : t_s <= 0.0 ? 0.0 : 0.5 * (1.0 - std::cos(std::numbers::pi / 0.5 * t_s));
  }
  static double excitation(double t_s) {
    static const std::vector<double>& samples = groundMotion();
    const double place = t_s / kSample_s;
    const auto n = static_cast<std::size_t>(place);
    return n + 1 < samples.size() ? samples[n] + (place - static_cast<double>(n)) * (samples[n + 1] - samples[n]) : 0.0;
  }

  BareFrame uncut_, numerical_;
  Eigen::Matrix<double, 1, 5> acceleration_;
  Eigen::Matrix<double, 5, 6> transition_;
  Eigen::Matrix<double, 5, 1> plant_ = Eigen::Matrix<double, 5, 1>::Zero();  // x, v, q, q', f
  hyb::test::PolarNoise displacement_noise_{1, 0}, force_noise_{1, 1};
  double command_ = 0.0, offset_ = 0.0;
  hyb::bench::BareInverse inverse_{
      {0.99254158, 0.024889389, 0.00010662322, 3.8563921e-07}, {8.4, 6.2, 2.1, 0.8}, kStep_s, 3.814697265625e-6};
  int k_ = 0;  // ticks so far
};

/// Largest difference of the targets of both, of the largest target.
double difference() {
  constexpr std::size_t kRows = 1024;
  const hyb::Project project = earthquakeProject();
  hyb::RowRing rows(hyb::buildLoop(project)->layout().width(), kRows);
  const std::unique_ptr<hyb::Loop> loop = startedLoop(project, &rows);
  const std::size_t target = loop->layout().target(0);
  BareEarthquake bare;
  std::vector<double> block;
  double apart = 0.0, largest = 0.0;
  for (int k = 0; k < kTicks; ++k) {
    loop->tick(1);
    rows.pop(block, 1);
    apart = std::max(apart, std::abs(bare.tick() - block[target]));
    largest = std::max(largest, std::abs(block[target]));
  }
  return apart / largest;
}

void earthquakeCost(benchmark::State& state) {
  const hyb::Project project = earthquakeProject();
  for (auto _ : state) {
    state.PauseTiming();
    const std::unique_ptr<hyb::Loop> loop = startedLoop(project);
    state.ResumeTiming();
    for (int k = 0; k < kTicks; ++k) benchmark::DoNotOptimize(loop->tick(1));
    if (loop->endReason() != hyb::EndReason::running) state.SkipWithError("the test has ended");
  }
}

void earthquakeBare(benchmark::State& state) {
  static const double apart = difference();
  state.counters["difference"] = apart;
  // The converter makes a step of 4 um of a last bit, so that they part by that much for a while.
  if (!(apart < 1e-3)) state.SkipWithError("it computes another earthquake than the product");
  for (auto _ : state) {
    state.PauseTiming();
    BareEarthquake bare;
    state.ResumeTiming();
    for (int k = 0; k < kTicks; ++k) benchmark::DoNotOptimize(bare.tick());
  }
}

/// Who else computes on the machine only adds: the least of the repetitions is what it takes by itself.
double least(const std::vector<double>& repetitions) { return *std::ranges::min_element(repetitions); }

/// Each repetition is one earthquake, no mean of some: short enough to fall between what others compute.
void oneByOne(benchmark::internal::Benchmark* earthquake) {
  earthquake->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(100)->ComputeStatistics("least", least);
}

}  // namespace

BENCHMARK(earthquakeCost)->Apply(oneByOne);
BENCHMARK(earthquakeBare)->Apply(oneByOne);
