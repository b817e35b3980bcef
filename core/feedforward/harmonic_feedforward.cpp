#include "core/feedforward/harmonic_feedforward.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/coupling/recorded_dofs.h"
#include "core/feedforward/gap_model.h"
#include "core/feedforward/identification_evidence.h"
#include "core/feedforward/numerical_side.h"
#include "core/linalg/dense.h"

namespace hyb {
namespace {

constexpr double kFewestTicksPerPeriod = 4.0;
constexpr double kSingular = 1e-4;  // least over largest pivot of an identified matrix
constexpr double kHeard = 4.0;      // strength of an actuator: noise alone reaches it once in 1e7
constexpr double kFewestPeriodsHeard = 4.0;

/// Uniform in -1..1, equal for every standard library.
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : seed_(seed), bits_(seed) {}
  void reset() { bits_.seed(seed_); }
  double next() noexcept { return 2.0 * (static_cast<double>(bits_() >> 11) * 0x1p-53) - 1.0; }

 private:
  std::uint64_t seed_;
  std::mt19937_64 bits_;
};

/// Ends the test if the identified response is unusable.
class UnidentifiedDirector final : public Director {
 public:
  bool takeEvent(Event& event) noexcept override {
    if (!told_) return false;
    event = event_;
    told_ = false;
    return true;
  }
  EndReason ends() const noexcept override { return failed_ ? EndReason::not_identified : EndReason::running; }
  void fail(EventCode code, int index, double hz, double bound) noexcept {
    event_ = Event{0, code, Severity::fault, index, hz, bound, {}};
    told_ = failed_ = true;
  }
  void reset() noexcept { told_ = failed_ = false; }
  bool failed() const noexcept { return failed_; }

 private:
  Event event_;
  bool told_ = false, failed_ = false;
};

/// Least over largest pivot of a matrix with full pivoting, after the units of rows and columns are scaled out; 0: a
/// row or column is 0. `m` is overwritten.
double pivotRatio(Eigen::MatrixXcd& m) noexcept {
  double largest = 0.0, least = 0.0;
  for (Eigen::Index r = 0; r < m.rows(); ++r) {
    const double size = m.row(r).cwiseAbs().maxCoeff();
    if (!(size > 0.0)) return 0.0;
    m.row(r) /= size;
  }
  for (Eigen::Index c = 0; c < m.cols(); ++c) {
    const double size = m.col(c).cwiseAbs().maxCoeff();
    if (!(size > 0.0)) return 0.0;
    m.col(c) /= size;
  }
  for (Eigen::Index k = 0; k < m.rows(); ++k) {
    Eigen::Index row = 0, column = 0;
    least = m.bottomRightCorner(m.rows() - k, m.cols() - k).cwiseAbs2().maxCoeff(&row, &column);
    largest = std::max(largest, least);
    if (!(least > 0.0)) return 0.0;
    m.row(k).swap(m.row(k + row));
    m.col(k).swap(m.col(k + column));
    for (Eigen::Index r = k + 1; r < m.rows(); ++r) {
      const std::complex<double> share = m(r, k) / m(k, k);
      for (Eigen::Index c = k; c < m.cols(); ++c) m(r, c) -= share * m(k, c);
    }
  }
  return std::sqrt(least / largest);
}

std::vector<Channel> feedforwardChannels(std::size_t interfaces, const std::vector<RecordedDof>& recorded = {}) {
  std::vector<Channel> channels = NumericalSide::channels(interfaces);
  channels.push_back({"phase", "", "0: identifies, 1: rests, 2: closes the gap", 0});
  const std::vector<Channel> of_dofs = columnsOf(recorded);
  channels.insert(channels.end(), of_dofs.begin(), of_dofs.end());
  return channels;
}

/// Recorded DOF of a cut that is not yet reduced, read from the coordinates of the reduced computed side.
std::vector<RecordedDof> reducedDofs(const std::vector<std::string>& names, const SchemeContext& context) {
  Checks found, checks;
  std::vector<RecordedDof> recorded = recordedDofs(names, context.partition, context.with_reference, found);
  checks.take(found, "/coupling");
  checks.throwIfAny();
  const bool inside = std::ranges::any_of(recorded, [](const RecordedDof& dof) { return dof.in_numerical >= 0; });
  if (!inside || context.reduction.method == Reduction::Method::none) return recorded;
  const Eigen::MatrixXd basis =
      reduce(context.partition.numerical, context.partition.interface_in_numerical, context.reduction).basis;
  for (RecordedDof& dof : recorded)
    if (dof.in_numerical >= 0) dof.shape = basis.row(dof.in_numerical);
  return recorded;
}

class HarmonicFeedforward final : public CouplingScheme {
 public:
  HarmonicFeedforward(const HarmonicFeedforwardSettings& settings, const Partition& partition,
                      const IntegratorSpec& integrator, double step_s, bool reference,
                      const ExcitationValue& excitation, Eigen::MatrixXd start, std::vector<RecordedDof> recorded)
      : beside_(partition, integrator, step_s, reference, excitation),
        recorded_(std::move(recorded), partition),
        identification_(settings.identification),
        harmonics_(settings.frequency_hz, settings.harmonics, step_s),
        law_(settings.adaption->make({axes(), harmonics_.count(), step_s, settings.identification.amplitude_n})),
        start_(std::move(start)),
        evidence_(law_->theta().size(), axes(), settings.identification.amplitude_n),
        step_s_(step_s),
        random_(settings.identification.seed),
        hold_ticks_(std::max<std::int64_t>(1, std::llround(identification_.hold_s / step_s))),
        skip_ticks_(std::llround(identification_.skip_s / step_s)),
        identify_ticks_(std::llround(identification_.duration_s / step_s)),
        run_from_(identify_ticks_ + std::llround(identification_.rest_s / step_s)) {
    matrix_.setZero(axes(), axes());
    measured_.setZero(axes());
  }

  std::size_t interfaces() const noexcept override { return beside_.interfaces(); }
  std::vector<AxisSignals> axisSignals() const override { return NumericalSide::axisSignals(beside_.interface()); }

  void reset() override {
    restart();
    tick_ = 0;
    random_.reset();
    director_.reset();
    evidence_.reset();
    law_->reset(start_);
  }
  /// Keeps the identified response; the commands start at 0 again.
  void restart() noexcept override {
    beside_.reset();
    held_ = 0;
    running_ = false;
    law_->rest();
  }

  void update(const RigState& state, const ExcitationValue& excitation, CouplingOutput& output) noexcept override {
    ++tick_;
    harmonics_.at(tick_);
    beside_.step(state, excitation, output);
    measured_ = state.measured;
    if (tick_ <= identify_ticks_)
      identify(state.missed);
    else if (tick_ > run_from_ && !director_.failed())
      run(state.missed);
    else
      law_->rest();
    readCommand(output.command);
  }

  Director* director() noexcept override { return &director_; }
  bool hasReference() const noexcept override { return beside_.hasReference(); }
  std::vector<Tunable> tunables() const override {
    std::vector<Tunable> all = law_->tunables();
    for (Tunable& tunable : all) tunable.field = "/coupling/adaption" + tunable.field;
    return all;
  }
  void tune(std::size_t index, double value) noexcept override { law_->tune(index, value); }
  /// Amplitudes of the commands, followed by the response: re and im of each.
  std::vector<Adapted> adapted() const override {
    std::vector<Adapted> all;
    const auto add = [&](const std::string& name, const std::string& title, const char* units, const std::string& what,
                         const char* group) {
      all.push_back({name + "_re", units, what + ", real part", title + " re", group});
      all.push_back({name + "_im", units, what + ", imaginary part", title + " im", group});
    };
    const auto at = [&](Eigen::Index h) { return " at " + Checks::text(harmonics_.frequency_hz(h), "Hz"); };
    for (Eigen::Index h = 0; h < harmonics_.count(); ++h)
      for (std::size_t a = 1; a <= interfaces(); ++a) {
        const std::string own = std::to_string(a) + "_h" + std::to_string(harmonics_.order(h));
        add("command_" + own, "command " + std::to_string(a) + at(h), "N",
            "amplitude of command " + std::to_string(a) + at(h), "Harmonics of the commands");
      }
    for (std::size_t i = 1; i <= interfaces(); ++i)
      for (Eigen::Index h = 0; h < harmonics_.count(); ++h)
        for (std::size_t a = 1; a <= interfaces(); ++a) {
          const std::string pair = std::to_string(i) + "_" + std::to_string(a);
          add("response_" + pair + "_h" + std::to_string(harmonics_.order(h)),
              "gap " + std::to_string(i) + " over command " + std::to_string(a) + at(h), "m/N",
              "gap " + std::to_string(i) + " over command " + std::to_string(a) + at(h) + ", as identified",
              "Identified response");
        }
    return all;
  }
  void readAdapted(std::span<double> values) const noexcept override {
    std::copy(law_->theta().begin(), law_->theta().end(), values.begin());
    std::copy_n(law_->response().data(), law_->response().size(), values.begin() + law_->theta().size());
  }
  std::vector<Channel> channels() const override { return feedforwardChannels(interfaces(), recorded_.dofs()); }
  void readChannels(std::span<double> values) const noexcept override {
    std::copy(beside_.alone().begin(), beside_.alone().end(), values.begin());
    values[interfaces()] = tick_ <= identify_ticks_ ? 0.0 : tick_ <= run_from_ ? 1.0 : 2.0;
    recorded_.read(beside_.displacement(), measured_, beside_.uncut(), values.subspan(interfaces() + 1));
  }

 private:
  Eigen::Index axes() const noexcept { return static_cast<Eigen::Index>(beside_.interfaces()); }

  void identify(bool missed) noexcept {
    if (held_ == 0)
      for (double& amplitude : law_->command()) amplitude = identification_.amplitude_n * random_.next();
    const bool learns = held_ >= skip_ticks_ && !missed;
    law_->identify(harmonics_, beside_.gap(), learns);
    if (learns) evidence_.add(law_->turned(), beside_.gap());
    if (++held_ == hold_ticks_) held_ = 0;
  }

  void run(bool missed) noexcept {
    if (!running_) {
      running_ = true;
      law_->begin();
      refuseSingular();
      refuseUnheard();
    }
    if (!missed && !director_.failed()) law_->adapt(harmonics_, beside_.gap(), beside_.alone());
  }

  void refuseSingular() noexcept {
    for (Eigen::Index h = 0; h < harmonics_.count() && !director_.failed(); ++h) {
      readResponse(law_->response(), h, matrix_);
      const double apart = pivotRatio(matrix_);
      if (!(apart > kSingular))
        director_.fail(EventCode::matrix_singular, harmonics_.order(h), harmonics_.frequency_hz(h), apart);
    }
  }

  /// Detects an actuator whose effect does not exceed the scatter at any harmonic: a single one may be near an
  /// antiresonance. Needs several periods of data.
  void refuseUnheard() noexcept {
    if (evidence_.count() == 0) return;
    evidence_.finish();
    for (Eigen::Index a = 0; a < axes() && !director_.failed(); ++a) {
      bool told = false;
      double strength = 0.0, at_hz = harmonics_.frequency_hz(0);
      for (Eigen::Index h = 0; h < harmonics_.count(); ++h) {
        const double hz = harmonics_.frequency_hz(h);
        if (static_cast<double>(evidence_.count()) * step_s_ * hz < kFewestPeriodsHeard) continue;
        told = true;
        if (const double one = evidence_.strength(2 * (h * axes() + a)); one > strength) strength = one, at_hz = hz;
      }
      if (told && !(strength >= kHeard))
        director_.fail(EventCode::response_unheard, static_cast<int>(a) + 1, at_hz, strength);
    }
  }

  void readCommand(Command& command) const noexcept {
    command.position.setZero();
    command.rate.setZero();
    command.fundamental = kTwoPi * harmonics_.frequency_hz(0) / harmonics_.order(0);
    for (Eigen::Index h = 0, at = 0; h < harmonics_.count(); ++h)
      for (Eigen::Index a = 0; a < axes(); ++a, at += 2) {
        command.position[a] += law_->turned()[at];
        command.rate[a] += harmonics_.angular(h) * law_->turned()[at + 1];
      }
  }

  NumericalSide beside_;
  RecordedMotion recorded_;
  HarmonicFeedforwardSettings::Identification identification_;
  Harmonics harmonics_;
  std::unique_ptr<FeedforwardLaw> law_;
  Eigen::MatrixXd start_;  // initial response
  IdentificationEvidence evidence_;
  double step_s_;
  Uniform random_;
  UnidentifiedDirector director_;
  std::int64_t hold_ticks_, skip_ticks_, identify_ticks_, run_from_;
  std::int64_t tick_ = 0, held_ = 0;  // held_: ticks of the random command
  bool running_ = false;
  Eigen::MatrixXcd matrix_;
  Eigen::VectorXd measured_;  // [i], of this tick
};

class HarmonicFeedforwardSpec final : public CouplingSpec {
 public:
  explicit HarmonicFeedforwardSpec(HarmonicFeedforwardSettings settings) : settings_(std::move(settings)) {}
  std::string_view name() const noexcept override { return "harmonic-feedforward"; }
  bool tracks() const noexcept override { return false; }
  std::string hazard() const override {
    if (!settings_.adaption->feedsBack()) return {};
    return "The law \"" + std::string(settings_.adaption->name()) +
           "\" feeds the gap back: it diverges with a response error of more than 90 degrees, or with too large steps. "
           "Keep a limit on the command.";
  }
  double firstHarmonic_hz() const noexcept override { return settings_.frequency_hz; }
  std::vector<int> harmonicOrders() const override { return settings_.harmonics; }
  double excitationFrom_s() const noexcept override {
    return settings_.identification.duration_s + settings_.identification.rest_s;
  }
  std::unique_ptr<CouplingScheme> make(SchemeContext context) const override {
    const Partition sides = reduceSides(context.partition, context.reduction, {});
    const auto axes = static_cast<Eigen::Index>(sides.interface.size());
    Eigen::MatrixXd start =
        Eigen::MatrixXd::Zero(2 * axes * static_cast<Eigen::Index>(settings_.harmonics.size()), axes);
    if (settings_.identification.from_model)
      start = responseOf(modelOf(sides, context, "/coupling/identification/from"));
    return std::make_unique<HarmonicFeedforward>(settings_, sides, context.integrator, context.step_s,
                                                 context.with_reference, context.excitation, std::move(start),
                                                 reducedDofs(settings_.record, context));
  }
  void check(std::size_t interfaces, const IntegratorSpec& integrator, Checks& checks) const override {
    if (integrator.ticks_per_step > 1)
      checks.fault("/scheme",
                   "is \"harmonic-feedforward\", which integrates the computed side in every tick; set "
                   "/integrator/ticks_per_step to 1.");
    for (std::size_t h = 1; h < settings_.harmonics.size(); ++h)
      if (settings_.harmonics[h] <= settings_.harmonics[h - 1])
        checks.fault("/harmonics/" + std::to_string(h),
                     "is " + std::to_string(settings_.harmonics[h]) +
                         ", not above the previous one; enter each harmonic once, in ascending order.");
    const HarmonicFeedforwardSettings::Identification& id = settings_.identification;
    if (id.duration_s == 0.0 && !id.from_model)
      checks.fault("/identification/duration_s",
                   "is 0, so that the effect of the commands is unknown; enter a time, or set "
                   "/coupling/identification/from to \"model\".");
    if (id.duration_s > 0.0 && id.skip_s >= std::min(id.hold_s, id.duration_s))
      checks.fault("/identification/skip_s",
                   "is " + Checks::text(id.skip_s, "s") + ", as long as a command is held (" +
                       Checks::text(std::min(id.hold_s, id.duration_s), "s") +
                       "), so that nothing is learnt; shorten it, or hold commands for longer.");
    const double commands =
        std::floor(id.duration_s / id.hold_s) + (std::fmod(id.duration_s, id.hold_s) > id.skip_s ? 1.0 : 0.0);
    if (!id.from_model && id.duration_s > 0.0 && id.skip_s < std::min(id.hold_s, id.duration_s) &&
        commands < static_cast<double>(interfaces))
      checks.fault("/identification/duration_s",
                   "holds " + Checks::text(commands, "") + " random commands, and " + std::to_string(interfaces) +
                       " axes need at least as many; lengthen it, or hold each for a shorter time.");
    if (!id.from_model && (id.factor != 1.0 || id.turn_deg != 0.0))
      checks.fault("/identification/from",
                   "is \"rig\", but the factor and turn apply to the model's transfer functions; set it to \"model\", "
                   "or remove them.");
    Checks law;
    settings_.adaption->check(interfaces, settings_.harmonics.size(), law);
    checks.take(law, "/adaption");
  }
  void checkLoop(double step_s, double duration_s, Checks& checks) const override {
    for (std::size_t h = 0; h < settings_.harmonics.size(); ++h) {
      const double hz = settings_.frequency_hz * settings_.harmonics[h], ticks = 1.0 / (hz * step_s);
      if (!(ticks >= kFewestTicksPerPeriod))
        checks.fault("/harmonics/" + std::to_string(h),
                     "is at " + Checks::text(hz, "Hz") + ", " + Checks::text(ticks, "") +
                         " ticks per period, but the command needs at least 4; remove it, or raise /loop/rate_hz.");
    }
    const double from_s = excitationFrom_s();
    if (duration_s > 0.0 && !(from_s < duration_s))
      checks.fault("/identification/duration_s", "and the following rest take " + Checks::text(from_s, "s") +
                                                     " of a test of " + Checks::text(duration_s, "s") +
                                                     "; shorten them, or lengthen /loop/duration_s.");
  }
  std::vector<AxisSignals> axisSignals(const std::vector<Dof>& interface) const override {
    return NumericalSide::axisSignals(interface);
  }
  std::vector<Channel> channels(std::size_t interfaces) const override { return feedforwardChannels(interfaces); }
  void checkCut(const Partition& partition, const PartitionSpec& /*cut*/, Checks& checks) const override {
    Checks found;
    recordedDofs(settings_.record, partition, true, found);
    checks.take(found, "/coupling");
  }
  std::vector<Channel> columns(const Partition& partition) const override {
    Checks ignored;  // by checkCut()
    return feedforwardChannels(partition.interface.size(), recordedDofs(settings_.record, partition, true, ignored));
  }
  std::vector<std::string> recorded() const override { return settings_.record; }
  std::optional<GapLoop> gapLoop(const SchemeContext& context) const override {
    const AdaptionSpec& law = *settings_.adaption;
    GapLoop loop;
    loop.law = law.name();
    if (!law.feedsBack()) {
      if (law.left(1.0)) loop.errors = mapGapLeft([&](std::complex<double> error) { return *law.left(error); });
      return loop;
    }
    const GapModel model =
        modelOf(reduceSides(context.partition, context.reduction, {}), context, "/coupling/identification/from");
    const Harmonics harmonics(settings_.frequency_hz, settings_.harmonics, context.step_s);
    HarmonicFeedforwardSettings right = settings_;
    right.identification.factor = 1.0;
    right.identification.turn_deg = 0.0;
    const Eigen::MatrixXd taken = responseOf(model),
                          known = HarmonicFeedforwardSpec(std::move(right)).responseOf(model);
    const auto growth = [&](const Eigen::MatrixXd& response, double factor) {
      return law.growth(model, harmonics, response, factor);
    };
    loop.growth_per_s = growth(taken, 1.0);
    loop.largest_factor = largestStableFactor([&](double factor) { return growth(taken, factor) < 0.0; });
    loop.errors = mapGrowth([&](std::complex<double> error) { return growth(times(known, error), 1.0); });
    return loop;
  }

 private:
  /// Multiplies every pair by `error`.
  static Eigen::MatrixXd times(Eigen::MatrixXd pairs, std::complex<double> error) {
    for (double* at = pairs.data(); at != pairs.data() + pairs.size(); at += 2) {
      const std::complex<double> turned = error * std::complex<double>(at[0], at[1]);
      at[0] = turned.real();
      at[1] = turned.imag();
    }
    return pairs;
  }
  /// The model's response at each harmonic, with the intended error of factor and turn, [pairs, i].
  Eigen::MatrixXd responseOf(const GapModel& model) const {
    const std::complex<double> error =
        std::polar(settings_.identification.factor, settings_.identification.turn_deg * kPi / 180.0);
    const auto count = static_cast<Eigen::Index>(settings_.harmonics.size());
    Eigen::MatrixXd response(2 * model.b.cols() * count, model.c.rows());
    for (Eigen::Index h = 0; h < count; ++h) {
      const double w = kTwoPi * settings_.frequency_hz * settings_.harmonics[static_cast<std::size_t>(h)];
      writeResponse(error * model.response(w), h, response);
    }
    return response;
  }

  HarmonicFeedforwardSettings settings_;
};

}  // namespace

CouplingSpecPtr harmonicFeedforward(HarmonicFeedforwardSettings settings) {
  return std::make_shared<const HarmonicFeedforwardSpec>(std::move(settings));
}

CouplingSpecPtr parseHarmonicFeedforward(const Json& settings) {
  HarmonicFeedforwardSettings parsed;
  read(settings, "frequency_hz", parsed.frequency_hz);
  read(settings, "harmonics", parsed.harmonics);
  parsed.adaption = parseAdaption(settings.at("adaption"));
  read(settings, "record", parsed.record);
  const Json given = settings.value("identification", Json::object());
  HarmonicFeedforwardSettings::Identification& id = parsed.identification;
  readChoice(given, "from", {"rig", "model"}, id.from_model);
  read(given, "factor", id.factor);
  read(given, "turn_deg", id.turn_deg);
  read(given, "duration_s", id.duration_s);
  read(given, "hold_s", id.hold_s);
  read(given, "skip_s", id.skip_s);
  read(given, "rest_s", id.rest_s);
  read(given, "amplitude_n", id.amplitude_n);
  read(given, "seed", id.seed);
  return harmonicFeedforward(std::move(parsed));
}

}  // namespace hyb
