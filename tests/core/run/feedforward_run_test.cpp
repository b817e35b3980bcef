/// Adaptive feed-forward in the loop: phases of a test, hold and resume, what cannot be identified, and what a project
/// must not ask for.
#include <random>

#include "core/base/allocation_guard.h"
#include "core/base/numbers.h"
#include "core/feedforward/adaption_law.h"
#include "tests/support/issues.h"
#include "tests/support/streamed_run.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// The template, with an identification that takes 1 s, and half a second of rest.
Json shortFeedforward(double duration_s = 20.0) {
  Json document = templateDocument("lumped-aff");
  document["coupling"]["identification"] = {{"duration_s", 1}, {"hold_s", 0.5}, {"skip_s", 0.1}, {"rest_s", 0.5}};
  document["coupling"]["adaption"].update({{"forgetting", 0.9995}, {"running_forgetting", 0.9995}});
  document["loop"].update({{"rate_hz", 1000}, {"duration_s", duration_s}, {"soft_start_s", 1}});
  document["analysis"]["start_s"] = 1.5;
  return document;
}

std::vector<Issue> issuesWith(const std::string& pointer, const Json& value) {
  Json document = shortFeedforward();
  document[Json::json_pointer(pointer)] = value;
  return validate(document);
}

/// Nothing that it is told moves it.
class DeadRig final : public Rig {
 public:
  /// noise_m: largest of the noise of its sensors. alive: it moves all the same.
  explicit DeadRig(std::unique_ptr<Rig> rig, double noise_m = 0.0, bool alive = false)
      : rig_(std::move(rig)), noise_m_(noise_m), alive_(alive) {}
  std::size_t interfaces() const noexcept override { return rig_->interfaces(); }
  std::string description() const override { return rig_->description(); }
  void open() override { rig_->open(); }
  RigStatus read(RigState& state, std::int64_t elapsed) noexcept override {
    const RigStatus status = rig_->read(state, elapsed);
    if (!alive_) {
      state.measured.setZero();
      state.force.setZero();
    }
    for (double& measured : state.measured)
      measured += noise_m_ * (2.0 * static_cast<double>(bits_() >> 11) * 0x1p-53 - 1.0);
    return status;
  }
  RigStatus write(const Command& command) noexcept override { return rig_->write(command); }
  void safeStop() noexcept override { rig_->safeStop(); }

 private:
  std::unique_ptr<Rig> rig_;
  double noise_m_;
  bool alive_;
  std::mt19937_64 bits_{7};
};

bool told(StreamedRun& run, EventCode code, Event& found) {
  for (Event event; run.events().pop(event);)
    if (event.code == code) {
      found = event;
      return true;
    }
  return false;
}

}  // namespace

class FeedforwardRunTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void phasesFollowOneAnother() {
    StreamedRun run(shortFeedforward());
    const std::size_t phase = run.column("phase"), command = run.column("command_1"), push = run.column("excitation_1"),
                      alone = run.column("alone_1");
    int identified = 0, rested = 0;
    std::vector<double> pushed;
    QVERIFY(run.runTo(4.0, [&] {
      identified += run.at(phase) == 0.0 ? 1 : 0;
      rested += run.at(phase) == 1.0 ? 1 : 0;
      if (run.at(phase) < 2.0) QVERIFY(run.at(push) == 0.0 && run.at(alone) == 0.0);
      if (run.at(phase) == 1.0) QVERIFY(run.at(command) == 0.0);
      if (run.at(phase) == 2.0) pushed.push_back(run.at(push));
    }));
    QVERIFY2(identified == 1001 && rested == 500, qPrintable(QString::number(identified)));
    // Its own time and its soft start begin with the test.
    for (std::size_t k = 0; k < pushed.size(); ++k) {
      const double t = 1e-3 * static_cast<double>(k + 1);
      const double expected = cosineFade(t, 1.0).value * std::sin(kTwoPi * 8.0 * t + 0.25 * kTwoPi);
      QVERIFY2(std::abs(pushed[k] - expected) < 1e-9, qPrintable(QString::number(k)));
    }
    QVERIFY(run["alone_1"] != 0.0);
  }

  void randomCommandsAreThoseOfTheSeed() {
    const auto commands = [](int seed) {
      Json document = shortFeedforward();
      document["coupling"]["identification"]["seed"] = seed;
      StreamedRun run(document);
      std::vector<double> all;
      run.runTo(1.0, [&, column = run.column("command_1")] { all.push_back(run.at(column)); });
      return all;
    };
    const std::vector<double> first = commands(1);
    QVERIFY(first == commands(1) && first != commands(2));
    QVERIFY(std::ranges::max(first) < std::sqrt(2.0) && std::ranges::max(first) > 0.1);
  }

  void afterAHoldItBeginsAgainWithWhatItKnows() {
    StreamedRun run(shortFeedforward(60.0));
    QVERIFY(run.runTo(25.0));
    const std::complex<double> known = run.adapted("response_1_1_h1");
    QVERIFY(std::abs(run["gap_1"]) < 1e-5);
    run.loop().post({Request::Kind::hold, -1, 0.0, {}, {}});
    QVERIFY(run.runTo(27.0));
    QVERIFY(run.loop().status().state.load() == State::holding);
    run.loop().post({Request::Kind::resume, -1, 0.0, {}, {}});
    QVERIFY(run.runTo(27.9));
    QVERIFY(std::abs(run.adapted("response_1_1_h1") / known - 1.0) < 0.3);
    QVERIFY(run.runTo(50.0));
    QVERIFY2(std::abs(run["gap_1"]) < 1e-5, qPrintable(QString::number(run["gap_1"])));
    QVERIFY(std::abs(run.adapted("response_1_1_h1") / known - 1.0) < 0.01);
  }

  void whatCannotBeIdentifiedEndsTheTestAtRest() {
    StreamedRun run(shortFeedforward(),
                    [](std::unique_ptr<Rig> rig) { return std::make_unique<DeadRig>(std::move(rig)); });
    QVERIFY(!run.runTo(10.0));
    QCOMPARE(run.loop().endReason(), EndReason::not_identified);
    QVERIFY(run.value_s() < 2.1 && run["command_1"] == 0.0 && run["excitation_1"] < 0.01);
    Event event;
    QVERIFY(told(run, EventCode::matrix_singular, event));
    const std::string sentence = message(event, run.loop().eventNames());
    QVERIFY2(sentence.find("harmonic 1 (8 Hz)") != std::string::npos && sentence.find("is zero") != std::string::npos,
             sentence.c_str());
    QCOMPARE(std::string(name(EndReason::not_identified)), std::string("not-identified"));
  }

  /// A sensor that makes noise beside an actuator that does nothing: what is identified is not 0, and stands for
  /// nothing.
  void anActuatorThatIsNotHeardEndsTheTestAtRest() {
    for (const char* law : {"rls-simultaneous", "rls-sequential", "lms"}) {
      Json document = shortFeedforward();
      document["coupling"]["adaption"] = {{"law", law}};
      StreamedRun run(document,
                      [](std::unique_ptr<Rig> rig) { return std::make_unique<DeadRig>(std::move(rig), 1e-6); });
      QVERIFY(!run.runTo(10.0));
      QCOMPARE(run.loop().endReason(), EndReason::not_identified);
      QVERIFY(run.value_s() < 2.1 && run["command_1"] == 0.0);
      Event event;
      QVERIFY(told(run, EventCode::response_unheard, event));
      const std::string sentence = message(event, run.loop().eventNames());
      QVERIFY2(sentence.find("actuator 1") != std::string::npos && sentence.find("too noisy") != std::string::npos,
               sentence.c_str());
    }
    // One that is heard in the same noise goes on.
    StreamedRun heard(shortFeedforward(),
                      [](std::unique_ptr<Rig> rig) { return std::make_unique<DeadRig>(std::move(rig), 1e-6, true); });
    QVERIFY(heard.runTo(3.0));
  }

  void aForceThatIsTooLargeIsALimit() {
    Json document = shortFeedforward();
    document["safety"]["limits"].push_back({{"quantity", "command"}, {"threshold_n", 0.01}, {"action", "ramp"}});
    StreamedRun run(document);
    QVERIFY(!run.runTo(10.0));
    QCOMPARE(run.loop().endReason(), EndReason::limit);
  }

  void allocatesNothing() {
    for (const AdaptionEntry& entry : adaptionLaws()) {
      Json document = shortFeedforward();
      document["coupling"]["adaption"] = {{"law", entry.name}};
      StreamedRun run(document);
      QVERIFY(run.runTo(0.5));
      const AllocationGuard guard;
      for (int k = 0; k < 3000; ++k) run.loop().tick(1);
      QCOMPARE(guard.count(), std::uint64_t{0});
    }
  }

  void whatAProjectMustNotAskFor() {
    QVERIFY2(validate(shortFeedforward()).empty(), qPrintable(shown(validate(shortFeedforward()))));
    const auto expect = [](const char* pointer, const Json& value, const char* where, const char* part) {
      const auto issues = issuesWith(pointer, value);
      QVERIFY2(mentions(issues, where, part), qPrintable(QString(pointer) + ": " + shown(issues)));
    };
    expect("/coupling/harmonics", {1, 300}, "/coupling/harmonics/1", "rate_hz");
    expect("/coupling/harmonics", {2, 1}, "/coupling/harmonics/1", "ascending order");
    expect("/coupling/identification/skip_s", 0.5, "/coupling/identification/skip_s", "nothing is learnt");
    expect("/coupling/identification/duration_s", 0, "/coupling/identification/duration_s", "\"model\"");
    expect("/coupling/identification/duration_s", 30, "/coupling/identification/duration_s", "/loop/duration_s");
    expect("/coupling/identification/turn_deg", 80, "/coupling/identification/from", "\"model\"");
    expect("/coupling/adaption/law", "rsl", "/coupling/adaption/law", "rls-");
    expect("/coupling",
           {{"scheme", "harmonic-feedforward"},
            {"frequency_hz", 8},
            {"harmonics", {1, 2, 3}},
            {"adaption", {{"law", "lms"}, {"identification_gain", 0.5}}}},
           "/coupling/adaption/identification_gain", "0.333");
    expect("/integrator/ticks_per_step", 2, "/coupling/scheme", "ticks_per_step");
    expect("/loop/force_source", "emulated", "/loop/force_source", "measured forces");
    expect("/compensation", {{"method", "forward-prediction"}, {"points", 4}, {"order", 2}, {"prediction_ticks", 2}},
           "/compensation", "none");
    expect("/rig/actuators/0", {{"model", "servo"}, {"natural_frequency_hz", 28}, {"damping_ratio", 0.7}},
           "/rig/actuators/0/model", "\"exciter\"");
    expect("/coupling", {{"scheme", "tracking"}}, "/rig/actuators/0/model", "servo");
    expect("/loop/trials", {{"count", 3}, {"length_s", 5}, {"pause_s", 2}}, "/loop/trials", "single test");
  }
};

HYB_SUITE(feedforward_run, FeedforwardRunTest)
#include "feedforward_run_test.moc"
