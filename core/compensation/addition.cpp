#include "core/compensation/addition.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/compensation/feedback.h"

namespace hyb {
namespace {

class WithAdditions final : public Compensator {
 public:
  WithAdditions(std::unique_ptr<Compensator> method, std::vector<RunningAddition> additions, std::size_t interfaces,
                double step_s)
      : method_(std::move(method)),
        method_tunables_(method_->tunables().size()),
        method_adapted_(method_->adapted().size()),
        step_s_(step_s) {
    last_target_.setZero(static_cast<Eigen::Index>(interfaces));
    for (RunningAddition& running : additions) {
      const Eigen::VectorXd zero = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(running.axes.count));
      const std::size_t tunables = running.addition->tunables().size(), adapted = running.addition->adapted().size();
      members_.push_back({std::move(running), {zero, zero, zero, zero, zero, zero}, zero, zero, tunables, adapted});
    }
  }

  void reset() override {
    method_->reset();
    for (Member& member : members_) member.of.addition->reset();
    forget();
  }
  void restart() noexcept override {
    method_->restart();
    for (Member& member : members_) member.of.addition->restart();
    forget();
  }

  void update(const InterfaceState& state, Command& command) noexcept override {
    method_->update(state, command);
    for (Member& member : members_) {
      const auto first = static_cast<Eigen::Index>(member.of.axes.first),
                 count = static_cast<Eigen::Index>(member.of.axes.count);
      AdditionInput& input = member.input;
      input.target = state.target.segment(first, count);
      input.target_rate = state.target_rate.segment(first, count);
      input.command = command.position.segment(first, count);
      input.gap =
          state.measured.segment(first, count) - (state.ahead ? last_target_ : state.target).segment(first, count);
      if (state.contact.size() > 0) input.contact = state.contact.segment(first, count);
      member.of.addition->update(input, member.added);
      for (Eigen::Index i = 0; i < count; ++i) {
        const double last_m = member.last[i],
                     wanted_m = member.of.entries.empty() ? member.added[i]
                                                          : member.of.entries[static_cast<std::size_t>(i)].displacement(
                                                                member.added[i], last_m, step_s_),
                     given_m = std::clamp(wanted_m, -member.of.limit_m, member.of.limit_m);
        input.cut[i] = wanted_m - given_m;
        command.position[first + i] += given_m;
        command.rate[first + i] += (given_m - last_m) / step_s_;
        member.last[i] = given_m;
      }
    }
    last_target_ = state.target;
  }
  bool endTrial(bool whole) noexcept override {
    bool due = method_->endTrial(whole);
    for (Member& member : members_) due = member.of.addition->endTrial(whole) || due;
    return due;
  }
  void learn() noexcept override {
    method_->learn();
    for (Member& member : members_) member.of.addition->learn();
  }
  void adopt() noexcept override {
    method_->adopt();
    for (Member& member : members_) member.of.addition->adopt();
  }

  /// Those of the method, followed by those of the additions.
  std::vector<Tunable> tunables() const override {
    std::vector<Tunable> all = method_->tunables();
    for (const Member& member : members_)
      for (Tunable& tunable : member.of.addition->tunables()) {
        tunable.field = member.of.field + tunable.field;
        all.push_back(std::move(tunable));
      }
    return all;
  }
  void tune(std::size_t index, double value) noexcept override {
    if (index < method_tunables_) return method_->tune(index, value);
    index -= method_tunables_;
    for (Member& member : members_) {
      if (index < member.tunables) return member.of.addition->tune(index, value);
      index -= member.tunables;
    }
  }
  std::vector<Adapted> adapted() const override {
    std::vector<Adapted> all = method_->adapted();
    for (const Member& member : members_)
      for (Adapted& adapted : member.of.addition->adapted()) all.push_back(std::move(adapted));
    return all;
  }
  void readAdapted(std::span<double> values) const noexcept override {
    method_->readAdapted(values.first(method_adapted_));
    values = values.subspan(method_adapted_);
    for (const Member& member : members_) {
      member.of.addition->readAdapted(values.first(member.adapted));
      values = values.subspan(member.adapted);
    }
  }
  std::size_t learnt() const noexcept override {
    std::size_t all = method_->learnt();
    for (const Member& member : members_) all += member.of.addition->learnt();
    return all;
  }
  void readLearnt(std::span<double> values) const noexcept override {
    method_->readLearnt(values.first(method_->learnt()));
    values = values.subspan(method_->learnt());
    for (const Member& member : members_) {
      member.of.addition->readLearnt(values.first(member.of.addition->learnt()));
      values = values.subspan(member.of.addition->learnt());
    }
  }
  void setLearnt(std::span<const double> values) noexcept override {
    method_->setLearnt(values.first(method_->learnt()));
    values = values.subspan(method_->learnt());
    for (Member& member : members_) {
      member.of.addition->setLearnt(values.first(member.of.addition->learnt()));
      values = values.subspan(member.of.addition->learnt());
    }
  }

 private:
  struct Member {
    RunningAddition of;
    AdditionInput input;
    Eigen::VectorXd added, last;  // [own axis]: its output, and its displacement in the previous tick, m
    std::size_t tunables, adapted;
  };
  void forget() noexcept {
    last_target_.setZero();
    for (Member& member : members_) {
      member.last.setZero();
      member.input.cut.setZero();
      member.input.contact.setZero();
    }
  }

  std::unique_ptr<Compensator> method_;
  std::size_t method_tunables_, method_adapted_;
  double step_s_;
  std::vector<Member> members_;
  Eigen::VectorXd last_target_;  // [i], m: of the previous tick
};

class MethodWithAdditions final : public FeedbackMethod {
 public:
  MethodWithAdditions(CompensationMethodPtr method, std::vector<PlacedAddition> additions)
      : method_(std::move(method)), additions_(std::move(additions)) {}
  std::unique_ptr<Compensator> make() const override { return method_->make(); }
  std::vector<double> taps(std::size_t axis) const override { return method_->taps(axis); }
  std::optional<CommandSystem> system() const override { return method_->system(); }
  CommandFeedback feedback(std::size_t axis) const override { return feedbackOf(*method_, axis); }
  double lead_s(std::size_t axis) const override { return method_->lead_s(axis); }
  bool acts() const noexcept override { return method_->acts(); }
  bool adapts() const noexcept override { return method_->adapts(); }
  std::vector<std::string> remarks() const override { return method_->remarks(); }
  std::vector<std::pair<std::string, std::string>> provenance() const override { return method_->provenance(); }
  void tryOut() const override { method_->tryOut(); }
  std::vector<PlugInFile> notLoaded() const override { return method_->notLoaded(); }
  CompensationMethodPtr loaded(const PlugInWatchPtr& watch) const override {
    CompensationMethodPtr method = method_->loaded(watch);
    return method ? withAdditions(std::move(method), additions_) : nullptr;
  }
  std::span<const PlacedAddition> additions() const noexcept { return additions_; }

 private:
  CompensationMethodPtr method_;
  std::vector<PlacedAddition> additions_;
};

bool overlap(const Axes& a, const Axes& b) { return a.first < b.first + b.count && b.first < a.first + a.count; }

/// Parses the additions of one entry of the section, which serves `axes`.
void parseEntry(const Json& entry, const std::string& where, const std::string& field, const Axes& axes,
                std::vector<PlacedAddition>& all, Checks& checks) {
  const auto list = entry.find("additions");
  if (list == entry.end()) return;
  const std::size_t before = all.size();
  for (std::size_t a = 0; a < list->size(); ++a) {
    const Json& settings = (*list)[a];
    PlacedAddition placed;
    placed.field = field + "/additions/" + std::to_string(a);
    const auto known = std::ranges::find(additions(), settings.at("addition").get<std::string>(), &AdditionEntry::name);
    placed.name = known->name;
    placed.spec = known->parse(settings);
    readChoice(settings, "at", {"position", "velocity"}, placed.level);
    placed.limit_m = settings.value("limit_m", kAdditionLimit_m);
    placed.axes = axes;
    const auto own = settings.value("interface", std::size_t{0});
    const std::string at = where + placed.field + "/interface";
    if (own > 0 && !axes.all) {
      checks.fault(at,
                   "is not permitted in a list with one method for each actuator, where an addition serves the "
                   "actuator of its entry; remove it.");
      continue;
    }
    if (own > axes.count) {
      checks.fault(at, "is " + std::to_string(own) + ", but the cut has " + std::to_string(axes.count) +
                           " interface degrees of freedom; give 0 for all of them or the number of one.");
      continue;
    }
    if (own > 0) placed.axes = {1, own - 1, false};
    const auto same =
        std::find_if(all.begin() + static_cast<std::ptrdiff_t>(before), all.end(),
                     [&](const auto& other) { return other.name == placed.name && overlap(other.axes, placed.axes); });
    if (same != all.end()) {
      checks.fault(at,
                   "this addition and another of its kind in the list learn from the same gap; remove one, or "
                   "assign each to its own interface.");
      continue;
    }
    all.push_back(std::move(placed));
  }
}

}  // namespace

void requireContact(const AdditionContext& context, bool switches) {
  if (switches && !context.contact)
    throw InputError(context.where + "/contact",
                     "is a set for contact, but no force stage detects the contact of this interface; add the stage "
                     "\"contact-force\" (/coupling/force_stages), or remove this set.");
}

std::vector<PlacedAddition> parseAdditions(const Json& section, const std::string& where, const Axes& axes,
                                           Checks& checks) {
  std::vector<PlacedAddition> all;
  if (!section.is_array())
    parseEntry(section, where, "", axes, all, checks);
  else
    for (std::size_t i = 0; i < section.size(); ++i)
      parseEntry(section[i], where, "/" + std::to_string(i), {1, i, false}, all, checks);
  return all;
}

CompensationMethodPtr withAdditions(CompensationMethodPtr method, std::vector<PlacedAddition> additions) {
  return std::make_shared<const MethodWithAdditions>(std::move(method), std::move(additions));
}

std::span<const PlacedAddition> additionsOf(const CompensationMethod& method) noexcept {
  const auto* with = dynamic_cast<const MethodWithAdditions*>(&method);
  return with != nullptr ? with->additions() : std::span<const PlacedAddition>();
}

std::unique_ptr<Compensator> makeWithAdditions(std::unique_ptr<Compensator> method,
                                               std::vector<RunningAddition> additions, std::size_t interfaces,
                                               double step_s) {
  return std::make_unique<WithAdditions>(std::move(method), std::move(additions), interfaces, step_s);
}

}  // namespace hyb
