#include "core/assess/adopt_model.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "core/base/figure_text.h"
#include "core/base/json.h"
#include "core/compensation/inverse_model.h"
#include "core/run/build.h"
#include "core/transfer/actuator_like.h"

namespace hyb {
namespace {

/// Number of digits of identified values in a project.
double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return std::strtod(text, nullptr);
}

/// For example "command_2" -> 2; 0 for any other name.
int numberAfter(const std::string& name, std::string_view start) {
  if (!name.starts_with(start)) return 0;
  int number = 0;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + start.size(), end, number);
  return error == std::errc() && rest == end ? number : 0;
}

class Adoption {
 public:
  Adoption(const Json& project, const std::filesystem::path& folder, const RunIdentification& identified)
      : identified_(identified), folder_(folder) {
    adopted_.document = project;
  }

  AdoptedModel run(const AdoptInto& into) {
    const int number = numberAfter(identified_.input, "command_");
    if (number == 0 || numberAfter(identified_.output, "measured_") != number)
      throw InputError("write",
                       "needs the command and the measured motion of one interface, as command_1 and "
                       "measured_1; it is " +
                           identified_.input + " and " + identified_.output + ".");
    if (!identified_.found.model)
      throw InputError("write", "no model was identified. " + identified_.found.findings.back().sentence);
    if (!stable(*identified_.found.model))
      throw InputError(
          "write", "the model is unstable and cannot represent a rig; use fewer poles, or a band with high coherence.");
    interfaces_ = buildPartition(parseProject(adopted_.document, folder_)).interface.size();
    axis_ = static_cast<std::size_t>(number) - 1;
    if (axis_ >= interfaces_)
      throw InputError("write", "the project has " + std::to_string(interfaces_) +
                                    " interfaces; there is no interface " + std::to_string(number) + ".");
    if (into.twin) actuator();
    if (into.compensation) compensator();
    const std::vector<Issue> issues = validate(adopted_.document, folder_);
    if (!issues.empty()) throw InputError(issues);
    return std::move(adopted_);
  }

 private:
  /// Fits the same record with these poles and no zeros. delay: if empty, it is identified too.
  Identification fitted(int poles, const std::optional<double>& delay_s) const {
    IdentifySpec spec = identified_.spec;
    spec.poles = poles;
    spec.zeros = 0;
    spec.delay_s = delay_s;
    spec.compare_orders = false;
    return identify(identified_.input_samples, identified_.output_samples, spec);
  }
  std::string nearness(const Identification& fit) const {
    return fit.record ? "fits the record with " + figureText(fit.record->fit_percent, 4) + " %"
                      : "deviates from the response by " + figureText(fit.deviation_percent) + " %";
  }

  void actuator() {
    const Json::json_pointer place("/rig/actuators");
    if (!adopted_.document.contains(place) || adopted_.document.at(place).empty()) {
      adopted_.remarks.push_back("The project has no twin: /rig/actuators is empty, so no actuator was changed.");
      return;
    }
    Json actuators = adopted_.document.at(place);
    if (actuators.size() == 1)
      while (actuators.size() < interfaces_) actuators.push_back(actuators.front());
    Json& actuator = actuators.at(std::min(axis_, actuators.size() - 1));
    const Json before = actuator, list_before = adopted_.document.at(place);
    const TransferModel& model = *identified_.found.model;
    std::vector<Issue> issues;
    if (const auto own = settingsOf(model, before); own && fits(actuators, actuator, *own, issues)) {
      tellActuator(list_before, before, *own);
      return;
    }
    for (int poles = std::min(kMostActuatorPoles, model.poleCount()); poles > 0; --poles) {
      const Identification other = fitted(poles, std::nullopt);
      const auto settings = other.model ? settingsOf(*other.model, before) : std::optional<Json>();
      if (!settings || !fits(actuators, actuator, *settings, issues)) continue;
      adopted_.remarks.push_back("No actuator model represents " + orderText(model.poleCount(), model.zeroCount()) +
                                 "; the twin now has one of " + orderText(poles, 0) + " and " +
                                 quantityText(other.model->delay_s, "s") + " of delay, which " + nearness(other) + ".");
      tellActuator(list_before, before, *settings);
      return;
    }
    if (!issues.empty()) throw InputError(issues);
    throw InputError("write",
                     "no actuator model represents this model, or one of two poles and a delay; use a band with high "
                     "coherence (--band), or another run.");
  }

  /// Settings of an actuator with this response. Limits, spring and further settings of the same model stay.
  static std::optional<Json> settingsOf(const TransferModel& model, const Json& before) {
    std::optional<Json> settings = actuatorLike({model.numerator, model.denominator});
    if (!settings) return settings;
    for (auto& [key, value] : settings->items())
      if (value.is_number()) value = rounded(value.get<double>());
    (*settings)["delay_s"] = rounded(model.delay_s);
    for (const char* kept :
         {"stroke_m", "velocity_limit_m_per_s", "acceleration_limit_m_per_s2", "force_limit_n", "spring"})
      if (before.contains(kept)) (*settings)[kept] = before.at(kept);
    return settings;
  }
  /// Writes it there if the project stays valid. `issues`: what would be wrong.
  bool fits(const Json& actuators, Json& actuator, const Json& settings, std::vector<Issue>& issues) {
    const Json before = actuator;
    actuator = settings;
    Json document = adopted_.document;
    document["rig"]["actuators"] = actuators;
    const std::vector<Issue> found = validate(document, folder_);
    if (found.empty()) {
      adopted_.document = std::move(document);
      return true;
    }
    actuator = before;
    if (issues.empty()) issues = found;
    return false;
  }

  /// Turns one actuator that serves all axes into one for each.
  void tellActuator(const Json& list_before, const Json& before, const Json& settings) {
    const Json& now = adopted_.document.at("rig").at("actuators");
    if (now.size() != list_before.size())
      adopted_.changes.push_back({"/rig/actuators", list_before, now});
    else
      replace("/rig/actuators/" + std::to_string(axis_), before, settings);
  }
  /// Lists the differences, key by key.
  void replace(const std::string& pointer, const Json& before, const Json& after) {
    for (const auto& [key, value] : before.items())
      if (!after.contains(key)) adopted_.changes.push_back({pointer + "/" + key, value, nullptr});
    for (const auto& [key, value] : after.items()) {
      const Json old = before.contains(key) ? before.at(key) : Json(nullptr);
      if (old != value) adopted_.changes.push_back({pointer + "/" + key, old, value});
    }
  }

  void compensator() {
    Json& section = adopted_.document["compensation"];
    const bool list = section.is_array();
    if (list && axis_ >= section.size()) return;
    Json& settings = list ? section.at(axis_) : section;
    const std::string where = list ? "/compensation/" + std::to_string(axis_) : "/compensation";
    if (!holdsModel(settings)) {
      adopted_.remarks.push_back("The compensation " + quotedMethod(settings) +
                                 " uses no model, so it was not changed. To use the model, choose a compensation that "
                                 "is based on one (section Compensation).");
      return;
    }
    if (!list && interfaces_ > 1) {
      adopted_.remarks.push_back(
          "One model of /compensation serves all interfaces, so it was not changed; give a list with a method for "
          "each.");
      return;
    }
    const TransferModel* model = &*identified_.found.model;
    Identification other;
    constexpr double kNoDelay_s = 1e-9;
    constexpr int kMostInverted = 5;  // poles
    if (model->zeroCount() > 0 || model->delay_s > kNoDelay_s || model->poleCount() > kMostInverted) {
      other = fitted(std::min(model->poleCount() + (model->delay_s > kNoDelay_s ? 1 : 0), kMostInverted), 0.0);
      if (!other.model || !stable(*other.model)) {
        adopted_.remarks.push_back(
            "No stable model without zeros and delay fits the record, so the compensation was not changed.");
        return;
      }
      model = &*other.model;
      adopted_.remarks.push_back(
          "An inverse has no zeros, no delay and at most 5 poles. The compensation now has a model of " +
          orderText(model->poleCount(), 0) + ", which " + nearness(other) + ".");
    }
    if (!(model->numerator[0] > 0.0)) {
      adopted_.remarks.push_back(
          "The model reverses the sign, which the compensation does not support; it was not changed.");
      return;
    }
    std::vector<double> denominator = highestFirst(model->denominator);
    for (double& coefficient : denominator) coefficient = rounded(coefficient);
    const Json before = settings;
    setModel(settings, rounded(model->numerator[0]), denominator);
    replace(where, before, settings);
  }
  static std::string quotedMethod(const Json& settings) {
    return settings.is_object() ? "\"" + text(settings, "method") + "\"" : "of this interface";
  }

  const RunIdentification& identified_;
  std::filesystem::path folder_;
  AdoptedModel adopted_;
  std::size_t interfaces_ = 0, axis_ = 0;
};

}  // namespace

AdoptedModel adoptModel(const Json& project, const std::filesystem::path& folder, const RunIdentification& identified,
                        const AdoptInto& into) {
  return Adoption(project, folder, identified).run(into);
}

}  // namespace hyb
