#include <algorithm>
#include <array>

#include "core/base/json.h"
#include "core/compensation/adaptive_fir.h"
#include "core/compensation/adaptive_forward_prediction.h"
#include "core/compensation/adaptive_inverse_model.h"
#include "core/compensation/adaptive_phase_lead.h"
#include "core/compensation/adaptive_time_series.h"
#include "core/compensation/decoupling_inverse.h"
#include "core/compensation/feedback.h"
#include "core/compensation/forward_prediction.h"
#include "core/compensation/inverse_model.h"
#include "core/compensation/method.h"
#include "core/compensation/per_axis.h"
#include "core/compensation/phase_lead_pi.h"
#include "core/compensation/plug_in.h"
#include "core/compensation/recursive_fir.h"
#include "core/linalg/dense.h"

namespace hyb {
namespace {

class NoCompensation final : public CompensationMethod {
 public:
  std::unique_ptr<Compensator> make() const override { return makeNoCompensator(); }
  bool acts() const noexcept override { return false; }
};

CompensationMethodPtr parseNone(const Json&, const MethodContext&, Checks&) { return noCompensation(); }

constexpr std::array kMethods{
    CompensationEntry{"none", parseNone},
    CompensationEntry{"forward-prediction", parseForwardPrediction},
    CompensationEntry{"adaptive-forward-prediction", parseAdaptiveForwardPrediction},
    CompensationEntry{"inverse-model", parseInverseModel},
    CompensationEntry{"adaptive-inverse-model", parseAdaptiveInverseModel},
    CompensationEntry{"adaptive-time-series", parseAdaptiveTimeSeries},
    CompensationEntry{"adaptive-fir", parseAdaptiveFir},
    CompensationEntry{"recursive-fir", parseRecursiveFir},
    CompensationEntry{"decoupling-inverse", parseDecouplingInverse},
    CompensationEntry{"adaptive-phase-lead", parseAdaptivePhaseLead},
    CompensationEntry{"phase-lead-pi", parsePhaseLeadPi},
    CompensationEntry{"plug-in", parsePlugIn},
};

CompensationMethodPtr parseOne(const Json& settings, const std::string& where, const MethodContext& context,
                               Checks& checks) {
  const std::string name = text(settings, "method");
  const auto entry = std::find_if(kMethods.begin(), kMethods.end(), [&](const auto& e) { return e.name == name; });
  if (entry == kMethods.end()) {
    checks.fault(where + "/method", "is \"" + name + "\", which is not a compensation method.");
    return nullptr;
  }
  Checks found;
  CompensationMethodPtr method = entry->parse(settings, context, found);
  checks.take(found, where);
  return method;
}

}  // namespace

std::span<const CompensationEntry> compensationMethods() noexcept { return kMethods; }

Eigen::VectorXd axisNumbers(const Json& settings, const char* key, double fallback, const Axes& axes, Checks& checks) {
  const auto count = static_cast<Eigen::Index>(axes.count);
  const auto value = settings.find(key);
  if (value == settings.end()) return Eigen::VectorXd::Constant(count, fallback);
  if (!value->is_array()) return Eigen::VectorXd::Constant(count, value->get<double>());
  if (value->size() != axes.count) {
    checks.fault("/" + std::string(key), "has " + std::to_string(value->size()) + " entries for " +
                                             std::to_string(count) +
                                             " interface degrees of freedom; give one for each, or a single "
                                             "number for all.");
    return Eigen::VectorXd::Constant(count, fallback);
  }
  const auto list = value->get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(list.data(), count);
}

CompensationMethodPtr noCompensation() {
  static const auto none = std::make_shared<const NoCompensation>();
  return none;
}

Eigen::MatrixXcd CommandSystem::at(std::complex<double> s, double step_s) const {
  Eigen::MatrixXcd left = -a.cast<std::complex<double>>();
  left.diagonal().array() += std::exp(s * step_s);
  return c * linalg::ComplexLu(left).solve(b.cast<std::complex<double>>()) + d.cast<std::complex<double>>();
}

std::string leftOutWords(const CompensationMethod& method) {
  std::string all;
  const std::vector<PlugInFile> programs = method.notLoaded();
  for (const PlugInFile& one : programs) all += (all.empty() ? "\"" : ", \"") + one.file.filename().string() + "\"";
  if (programs.empty()) return {};
  return (programs.size() == 1 ? "The library " + all + " is" : "The libraries " + all + " are") +
         " not loaded here. The change that " + (programs.size() == 1 ? "it makes" : "they make") +
         " to the command is left out.";
}

CommandFeedback feedbackOf(const CompensationMethod& method, std::size_t axis) {
  const auto* returns = dynamic_cast<const FeedbackMethod*>(&method);
  return returns != nullptr ? returns->feedback(axis) : CommandFeedback{};
}

Axes axesAsked(const Json& section) {
  std::size_t axes = section.is_array() ? section.size() : 1;
  if (section.is_object())
    for (const auto& [key, setting] : section.items())
      if (setting.is_array() && key != "additions") axes = std::max(axes, setting.size());
  return {axes};
}

CompensationMethodPtr parseCompensation(const Json& section, const std::string& where, const MethodContext& context,
                                        Checks& checks) {
  if (!section.is_array()) return parseOne(section, where, context, checks);
  if (section.size() != context.axes.count) {
    checks.fault(where, "has " + std::to_string(section.size()) + " entries for " + std::to_string(context.axes.count) +
                            " interface degrees of freedom; give one method for each, or a single one for all.");
    return nullptr;
  }
  std::vector<CompensationMethodPtr> methods;
  for (std::size_t i = 0; i < section.size(); ++i)
    methods.push_back(
        parseOne(section[i], where + "/" + std::to_string(i), {{1, i, false}, context.step_s, context.folder}, checks));
  return std::find(methods.begin(), methods.end(), nullptr) == methods.end() ? perAxis(std::move(methods)) : nullptr;
}

}  // namespace hyb
