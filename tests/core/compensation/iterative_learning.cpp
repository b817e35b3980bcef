#include "core/compensation/iterative_learning.h"

#include <cmath>

#include "core/base/numbers.h"
#include "core/signal/zero_phase.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

/// The filter over a whole record, and what a trial teaches.
class IterativeLearningTest : public QObject {
  Q_OBJECT
  static constexpr double kTick_s = 1e-3;
  static AdditionContext trialOf(std::size_t ticks) {
    return {.axes = {1}, .where = "/compensation/additions/2", .step_s = kTick_s, .trial_ticks = ticks, .scale = {1.0}};
  }
  static Eigen::VectorXd one(double value) { return Eigen::VectorXd::Constant(1, value); }
  /// A whole trial with this gap at each tick; what was added in it.
  template <typename Gap>
  static std::vector<double> trial(Addition& learning, std::size_t ticks, Gap&& gap, double cut = 0.0) {
    std::vector<double> all;
    Eigen::VectorXd added = one(0.0);
    for (std::size_t k = 0; k < ticks; ++k) {
      learning.update({one(0.0), one(0.0), one(0.0), one(gap(k)), one(cut)}, added);
      all.push_back(added[0]);
    }
    return all;
  }
  static void next(Addition& learning, bool whole = true) {
    if (learning.endTrial(whole)) learning.learn();
    learning.adopt();
    learning.restart();
  }
  static bool still(const std::vector<double>& added) {
    return std::ranges::all_of(added, [](double value) { return value == 0.0; });
  }

 private Q_SLOTS:
  /// 1/(1 + (f/f_Q)^2n), -6 dB at the cut-off, without a shift in time.
  void theFilterHasItsMagnitudeAndNoPhase_data() {
    QTest::addColumn<int>("order");
    for (const int order : {1, 2, 3, 4}) QTest::addRow("%d", order) << order;
  }
  void theFilterHasItsMagnitudeAndNoPhase() {
    QFETCH(int, order);
    const ZeroPhase filter(order, 5.0, kTick_s);
    QVERIFY(std::abs(filter.magnitude(5.0) - 0.5) < 1e-12);
    for (const double hz : {1.0, 5.0, 12.0}) {
      QVERIFY(std::abs(filter.magnitude(hz) / (1.0 / (1.0 + std::pow(hz / 5.0, 2 * order))) - 1.0) < 2e-2);
      std::vector<double> record(20'000);
      for (std::size_t k = 0; k < record.size(); ++k)
        record[k] = std::cos(2.0 * kPi * hz * kTick_s * (static_cast<double>(k) - 10'000.0));
      filter.apply(record);
      for (int k = -40; k <= 40; ++k) {  // in the middle, far from both ends
        const double expected = filter.magnitude(hz) * std::cos(2.0 * kPi * hz * kTick_s * k);
        QVERIFY(std::abs(record[static_cast<std::size_t>(10'000 + k)] - expected) < 1e-9);
      }
    }
  }
  /// It starts as if the record had stood there for ever.
  void aRecordThatStandsIsLeftAlone() {
    std::vector<double> record(50, 0.7);
    ZeroPhase(3, 5.0, kTick_s).apply(record);
    for (const double value : record) QVERIFY(std::abs(value - 0.7) < 1e-12);
    ZeroPhase(2, 5.0, kTick_s).apply({});
  }

  /// By hand, with a filter that lets all pass: f_2 = 0.5 e + 0.01 e', f_3 = twice that. e of a tick is the gap that is
  /// read in the next one; the last tick has that of the tick before.
  void theLaw() {
    const auto learning = makeIterativeLearning(
        {.free = {.proportional = 0.5, .derivative_s = 0.01, .cutoff_hz = 499.9999}, .order = 1}, trialOf(4));
    const double gap[] = {-1.0, -3.0, -4.0, -4.0};
    const auto of = [&](std::size_t k) { return 1e-3 * gap[k]; };
    QVERIFY(still(trial(*learning, 4, of)));
    next(*learning);
    const auto second = trial(*learning, 4, of);
    next(*learning);
    const auto third = trial(*learning, 4, of);
    const double expected[] = {1.5e-3, 2e-3 + 10e-3, 2e-3, 2e-3};
    for (std::size_t k = 0; k < 4; ++k) {
      QVERIFY2(std::abs(second[k] - expected[k]) < 1e-7, qPrintable(QString::number(second[k])));
      QVERIFY(std::abs(third[k] - 2.0 * expected[k]) < 1e-7);
    }
  }

  /// With a set for contact a tick learns by that of the phase in which its gap was read. The contact begins in tick 3,
  /// which reads the gap of tick 2.
  void theSetOfAPhaseTeachesItsTicks() {
    AdditionContext context = trialOf(6);
    context.contact = true;
    const auto learning = makeIterativeLearning({.free = {.proportional = 0.5, .cutoff_hz = 499.9999},
                                                 .contact = LearningSet{.proportional = 0.25, .cutoff_hz = 499.9999}},
                                                context);
    Eigen::VectorXd added = one(0.0);
    const auto trialInContact = [&] {
      std::vector<double> all;
      for (int k = 0; k < 6; ++k) {
        learning->update({one(0.0), one(0.0), one(0.0), one(-1e-3), one(0.0), one(k < 3 ? 0.0 : 1.0)}, added);
        all.push_back(added[0]);
      }
      next(*learning);
      return all;
    };
    QVERIFY(still(trialInContact()));
    const std::vector<double> second = trialInContact();
    const double expected[] = {0.5e-3, 0.5e-3, 0.25e-3, 0.25e-3, 0.25e-3, 0.25e-3};
    for (std::size_t k = 0; k < 6; ++k)
      QVERIFY2(std::abs(second[k] - expected[k]) < 1e-7, qPrintable(QString("%1: %2").arg(k).arg(second[k])));
  }

  /// What is added in a tick is first seen in the reading of the next one: a gap that stands out in row 7 corrects
  /// tick 6. With it goes what the bound took off the addition of tick 6, told in tick 7.
  void eachTickLearnsFromItsOwnEffect() {
    const IterativeLearningParams sharp{.free = {.proportional = 0.5, .cutoff_hz = 499.9999}};
    const auto learning = makeIterativeLearning(sharp, trialOf(20));
    trial(*learning, 20, [](std::size_t k) { return k == 7 ? -1e-3 : 0.0; });
    next(*learning);
    const std::vector<double> added = trial(*learning, 20, [](std::size_t) { return 0.0; });
    for (std::size_t k = 0; k < 20; ++k) QVERIFY(std::abs(added[k] - (k == 6 ? 0.5e-3 : 0.0)) < 1e-8);
  }

  void whatIsNoTrialTeachesNothing() {
    const auto made = [] { return makeIterativeLearning({}, trialOf(500)); };
    const auto gap = [](std::size_t k) { return 1e-3 * static_cast<double>(k); };
    const auto held = made(), shorter = made(), silent = made(), bounded = made(), taught = made();
    trial(*held, 500, gap);
    next(*held, false);
    trial(*shorter, 400, gap);
    next(*shorter);
    trial(*silent, 500, [](std::size_t) { return std::nan(""); });
    next(*silent);
    trial(*bounded, 500, gap, -1e-3);  // asks for less still, and was cut there
    next(*bounded);
    trial(*taught, 500, gap);
    next(*taught);
    for (const auto& learning : {held.get(), shorter.get(), silent.get(), bounded.get()})
      QVERIFY(still(trial(*learning, 500, gap)));
    QVERIFY(!still(trial(*taught, 500, gap)));
  }

  /// A hold lies between two ticks of the trial.
  void afterAHoldTheTrialGoesOn() {
    const auto held = makeIterativeLearning({}, trialOf(500)), plain = makeIterativeLearning({}, trialOf(500));
    const auto gap = [](std::size_t k) { return 1e-3 * std::sin(0.02 * static_cast<double>(k)); };
    for (Addition* learning : {held.get(), plain.get()}) {
      trial(*learning, 500, gap);
      next(*learning);
    }
    const auto whole = trial(*plain, 500, gap);
    auto parts = trial(*held, 200, gap);
    held->restart();
    for (const double value : trial(*held, 300, gap)) parts.push_back(value);
    QVERIFY(parts == whole && !still(whole));
  }

  void whatCannotBeLearntIsTold() {
    const auto issues = [](const IterativeLearningParams& params, std::size_t ticks) {
      return issuesOf([&] { makeIterativeLearning(params, trialOf(ticks)); });
    };
    EXPECT_ISSUE(issues({}, 0), "/compensation/additions/2/addition", "/loop/trials");
    EXPECT_ISSUE(issues({.free = {.cutoff_hz = 500.0}}, 4000), "/compensation/additions/2/cutoff_hz", "500");
    EXPECT_ISSUE(issues({.free = {.cutoff_hz = 0.2}}, 4000), "/compensation/additions/2/cutoff_hz",
                 "longer than the trial");
    EXPECT_ISSUE(issues({}, 300'000), "/compensation/additions/2/addition", "200000");
  }
};

HYB_SUITE(iterative_learning, IterativeLearningTest)
#include "iterative_learning.moc"
