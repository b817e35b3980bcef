#include "core/force_stage/force_stage.h"

#include <algorithm>

#include "core/base/json.h"

namespace hyb {

ForceStages::ForceStages(std::span<const ForceStageSpecPtr> specs, std::size_t interfaces, double step_s)
    : step_s_(step_s) {
  for (const ForceStageSpecPtr& spec : specs) {
    auto stage = spec->make(interfaces, step_s);
    const std::size_t tunables = stage->tunables().size(), channels = stage->channels().size();
    stages_.push_back({std::move(stage), tunables, channels});
  }
  last_measured_.setZero(static_cast<Eigen::Index>(interfaces));
  now_ = last_ = {last_measured_, last_measured_, last_measured_};
}

void ForceStages::restart() noexcept {
  seen_ = seen_twice_ = false;
  last_measured_.setZero();
  for (StageInput* input : {&now_, &last_}) {
    input->force.setZero();
    input->measured_rate.setZero();
    input->target_rate.setZero();
  }
  for (Stage& each : stages_) each.stage->restart();
}

void ForceStages::see(const Eigen::VectorXd& measured, Eigen::VectorXd& force) noexcept {
  for (Stage& each : stages_) each.stage->correct(measured, force);
  seen_twice_ = seen_;
  std::swap(now_.force, last_.force);
  std::swap(now_.measured_rate, last_.measured_rate);
  now_.force = force;
  if (seen_)
    now_.measured_rate = (measured - last_measured_) / step_s_;
  else
    now_.measured_rate.setZero();
  last_measured_ = measured;
  seen_ = true;
}

void ForceStages::update(const Eigen::VectorXd& target_rate, bool of_last_tick, Eigen::VectorXd& force) noexcept {
  if (of_last_tick && !seen_twice_) return;  // no measurement at that instant
  StageInput& input = of_last_tick ? last_ : now_;
  input.target_rate = target_rate;
  for (Stage& each : stages_) each.stage->update(input, force);
}

void ForceStages::readContact(Eigen::VectorXd& contact) const noexcept {
  contact.setZero();
  for (const Stage& each : stages_) each.stage->readContact(contact);
}

std::vector<Tunable> ForceStages::tunables() const {
  std::vector<Tunable> all;
  for (std::size_t s = 0; s < stages_.size(); ++s)
    for (Tunable& tunable : stages_[s].stage->tunables()) {
      tunable.field = "/coupling/force_stages/" + std::to_string(s) + tunable.field;
      all.push_back(std::move(tunable));
    }
  return all;
}

bool ForceStages::tune(std::size_t index, double value) noexcept {
  for (Stage& each : stages_) {
    if (index < each.tunables) {
      each.stage->tune(index, value);
      return true;
    }
    index -= each.tunables;
  }
  return false;
}

std::vector<Channel> ForceStages::channels() const {
  std::vector<Channel> all;
  for (const Stage& each : stages_) {
    const std::vector<Channel> own = each.stage->channels();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

void ForceStages::readChannels(std::span<double> values) const noexcept {
  for (const Stage& each : stages_) {
    each.stage->readChannels(values.first(each.channels));
    values = values.subspan(each.channels);
  }
}

std::vector<ForceStageSpecPtr> parseForceStages(const Json& settings) {
  std::vector<ForceStageSpecPtr> stages;
  const auto all = forceStages();
  for (const Json& stage : settings.value("force_stages", Json::array()))
    stages.push_back(
        std::ranges::find(all, stage.at("stage").get<std::string>(), &ForceStageEntry::name)->parse(stage));
  return stages;
}

bool detectsContact(std::span<const ForceStageSpecPtr> stages, std::size_t i) noexcept {
  return std::ranges::any_of(stages, [i](const ForceStageSpecPtr& stage) {
    return stage->detectsContact() && (stage->interface() == 0 || stage->interface() == static_cast<int>(i) + 1);
  });
}

void checkForceStages(std::span<const ForceStageSpecPtr> stages, std::size_t interfaces, Checks& checks) {
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const std::string where = "/force_stages/" + std::to_string(s) + "/interface";
    Checks found;
    stages[s]->check(found);
    checks.take(found, "/force_stages/" + std::to_string(s));
    const int own = stages[s]->interface();
    if (own > static_cast<int>(interfaces)) {
      checks.fault(where, "is " + std::to_string(own) + ", but the cut has " + std::to_string(interfaces) +
                              " interface degrees of freedom; enter 0 for all of them or an existing one.");
      continue;
    }
    for (std::size_t other = 0; other < s; ++other) {
      const int its = stages[other]->interface();
      if (stages[s]->name() != stages[other]->name()) continue;
      if (own == 0 || its == 0 || own == its) {
        checks.fault(
            where,
            "this stage and number " + std::to_string(other + 1) +
                " of the list change the same force in the same way; remove one, or give each an interface of its "
                "own.");
        break;
      }
    }
  }
}

}  // namespace hyb
