#include "core/compensation/adaptive_phase_lead.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/base/json.h"
#include "tests/support/compare.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// A sine through a compensator and an actuator that only delays.
class DelayBench {
 public:
  static constexpr double kRate_hz = 4096.0;
  DelayBench(const AdaptivePhaseLeadParams& params, std::size_t delay_ticks, double amplitude_m = 5e-3, double hz = 4.0)
      : compensator_(makeAdaptivePhaseLead(params, 1.0 / kRate_hz)),
        delay_ticks_(delay_ticks),
        amplitude_m_(amplitude_m),
        omega_(2.0 * std::numbers::pi * hz / kRate_hz) {}
  void tick() {
    state_.target[0] = amplitude_m_ * std::sin(omega_ * ticks_++);
    state_.measured[0] = sent_.size() >= delay_ticks_ ? sent_[sent_.size() - delay_ticks_] : 0.0;
    compensator_->update(state_, command_);
    sent_.push_back(command_.position[0]);
  }
  void run(double seconds) {
    for (int k = 0; k < seconds * kRate_hz; ++k) tick();
  }
  double lead_s() const {
    double lead = 0.0;
    compensator_->readAdapted({&lead, 1});
    return lead;
  }
  /// The lead whose command has a phase of just this delay: tan(w delay) = r sin(w) / (1 + r (1 - cos(w))), r in ticks.
  double exactLead_s() const {
    const double tangent = std::tan(omega_ * static_cast<double>(delay_ticks_));
    return tangent / (std::sin(omega_) - tangent * (1.0 - std::cos(omega_))) / kRate_hz;
  }
  void setDelay(std::size_t ticks) { delay_ticks_ = ticks; }
  Compensator& compensator() { return *compensator_; }

 private:
  std::unique_ptr<Compensator> compensator_;
  std::size_t delay_ticks_;
  double amplitude_m_, omega_;
  std::vector<double> sent_;
  InterfaceState state_{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
  Command command_{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
  int ticks_ = 0;
};

std::vector<Issue> phaseLeadIssues(const Json& settings) {
  Checks checks;
  const CompensationMethodPtr method = parseAdaptivePhaseLead(settings, {{}, 1e-3}, checks);
  const std::vector<Issue> issues = issuesOf([&] { checks.throwIfAny(); });
  return method == nullptr ? issues : std::vector<Issue>{};
}

}  // namespace

class AdaptivePhaseLeadTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void findsTheLeadOfADelay() {
    for (const double start_s : {0.0, 0.005, 0.03}) {
      AdaptivePhaseLeadParams params;
      params.lead_s = start_s;
      DelayBench bench(params, 60);
      bench.run(90.0);
      compareRelative(bench.lead_s(), bench.exactLead_s(), 1e-3, "lead, s");
    }
  }

  /// Proportional alone: in a lag e the indicator grows by the mean square of the rate times e a second, so the
  /// lag of a slow sine goes as exp(-t gain v^2 / 2), v the amplitude of the rate.
  void theLagGoesAsTheGainSays() {
    AdaptivePhaseLeadParams params;
    params.lead_s = 0.008;
    params.proportional_s_per_m2 = 200.0;  // slow beside the delay
    params.integral_per_m2 = 0.0;
    DelayBench bench(params, 40, 5e-3, 2.0);
    bench.run(2.0);
    const double exact_s = bench.exactLead_s(), first_s = exact_s - bench.lead_s();
    bench.run(4.0);
    const double rate = 5e-3 * 2.0 * std::numbers::pi * 2.0, decay = params.proportional_s_per_m2 * rate * rate / 2.0;
    compareRelative(std::log(first_s / (exact_s - bench.lead_s())), 4.0 * decay, 0.02, "decay");
  }

  void followsAChangeAndStaysInItsBounds() {
    AdaptivePhaseLeadParams params;
    params.lead_s = 0.012;
    params.shortest_s = 0.01;
    params.longest_s = 0.018;
    DelayBench bench(params, 60, 2e-2);
    const auto within = [&](double seconds) {
      for (int k = 0; k < seconds * DelayBench::kRate_hz; ++k) {
        bench.tick();
        QVERIFY(bench.lead_s() >= params.shortest_s && bench.lead_s() <= params.longest_s);
      }
    };
    within(20.0);
    bench.setDelay(100);
    within(60.0);
    QCOMPARE(bench.lead_s(), 0.018);
    bench.setDelay(30);  // it has not wound up there
    within(3.0);
    QVERIFY2(bench.lead_s() < 0.0179, qPrintable(QString::number(bench.lead_s())));
  }

  void aTargetThatStandsTellsNothing() {
    AdaptivePhaseLeadParams params;
    DelayBench bench(params, 60);
    bench.run(1.0);
    const double lead_s = bench.lead_s();
    const auto one = [](double value) { return Eigen::VectorXd::Constant(1, value); };
    Command command{one(0.0), one(0.0)};
    bench.compensator().update({one(1e-3), one(0.0), one(1e-3)}, command);
    const double before_s = bench.lead_s();
    for (int k = 0; k < 5000; ++k) bench.compensator().update({one(1e-3), one(0.0), one(1e-3)}, command);
    QCOMPARE(bench.lead_s(), before_s);
    QVERIFY(std::abs(before_s - lead_s) < 1e-3);
  }

  void zeroAdaptionHoldsTheLead() {
    AdaptivePhaseLeadParams params;
    params.lead_s = 0.005;
    DelayBench bench(params, 60);
    bench.run(2.0);
    const double learnt = bench.lead_s();
    QVERIFY(learnt > 0.0055);
    bench.compensator().tune(0, 0.0);
    bench.run(2.0);
    QCOMPARE(bench.lead_s(), learnt);
  }

  void whatWasLearntIsPutBackAndGoesOnAlike() {
    AdaptivePhaseLeadParams params;
    DelayBench used(params, 60);
    used.run(1.0);
    std::vector<double> learnt(used.compensator().learnt());
    QCOMPARE(learnt.size(), std::size_t{2});
    used.compensator().readLearnt(learnt);
    const auto other = makeAdaptivePhaseLead(params, 1.0 / DelayBench::kRate_hz);
    other->setLearnt(learnt);
    used.compensator().restart();
    const auto one = [](double value) { return Eigen::VectorXd::Constant(1, value); };
    Command a{one(0.0), one(0.0)}, b = a;
    for (int k = 0; k < 1000; ++k) {
      const InterfaceState state{one(1e-3 * std::sin(0.01 * k)), one(0.0), one(1e-3 * std::sin(0.01 * (k - 30)))};
      used.compensator().update(state, a);
      other->update(state, b);
      QCOMPARE(a.position[0], b.position[0]);
    }
  }

  void tellsLeadAndNoiseGain() {
    Checks checks;
    const CompensationMethodPtr method =
        parseAdaptivePhaseLead({{"lead_s", 0.004}, {"longest_s", 0.1}}, {{}, 1e-3}, checks);
    QVERIFY(method && method->adapts());
    QVERIFY((method->taps(0) == std::vector<double>{5.0, -4.0}));
    const QString remark = QString::fromStdString(method->remarks().at(0));
    QVERIFY2(remark.contains("4 ms") && remark.contains("Noise gain 6.4:") && remark.contains("142 at the longest"),
             qPrintable(remark));
  }

  void reportsEveryFault() {
    const Json good{{"lead_s", 0.02}, {"longest_s", 0.1}};
    QVERIFY2(phaseLeadIssues(good).empty(), qPrintable(shown(phaseLeadIssues(good))));
    const auto with = [&](const char* key, const Json& value) {
      Json settings = good;
      settings[key] = value;
      return phaseLeadIssues(settings);
    };
    EXPECT_ISSUE(with("lead_s", 0.2), "/lead_s", "must lie between 0 and 0.1 s");
    EXPECT_ISSUE(with("shortest_s", 0.2), "/shortest_s", "must not be above the longest lead");
    EXPECT_ISSUE(with("longest_s", 0.0), "/longest_s", "greater than 0");
    EXPECT_ISSUE(with("proportional_s_per_m2", -1.0), "/proportional_s_per_m2", "at least 0");
    EXPECT_ISSUE(with("integral_per_m2", -1.0), "/integral_per_m2", "at least 0");
    EXPECT_ISSUE(with("adaption", -1.0), "/adaption", "must be finite and at least 0");
  }
};

HYB_SUITE(adaptive_phase_lead, AdaptivePhaseLeadTest)
#include "adaptive_phase_lead.moc"
