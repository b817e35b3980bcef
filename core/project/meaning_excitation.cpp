#include "core/base/json.h"
#include "core/excitation/band_signal.h"
#include "core/project/meaning.h"
#include "core/project/schema.h"

namespace hyb {
namespace {

class SignalCheck {
 public:
  SignalCheck(Project& project, std::optional<double> rate_hz, Findings& findings)
      : project_(project), rate_hz_(rate_hz), findings_(findings) {}

  void run() {
    const auto& signals = project_.excitation.signals;
    for (std::size_t j = 0; j < signals.size(); ++j) {
      const std::string where = "/excitation/signals/" + std::to_string(j);
      if (*indexOf(signals, signals[j].name) < j)
        findings_.say(where + "/name",
                      "\"" + signals[j].name + "\" is the name of another signal; give each signal its own name.");
      std::visit([&](const auto& shape) { check(shape, where); }, signals[j].shape);
    }
  }

 private:
  const Json& at(const std::string& where) const { return project_.document.at(Json::json_pointer(where)); }

  void belowNyquist(double frequency_hz, const std::string& where) {
    if (rate_hz_ && !(frequency_hz < 0.5 * *rate_hz_))
      findings_.say(where, numberText(frequency_hz) + " Hz is not below half the loop's rate (" +
                               numberText(0.5 * *rate_hz_) + " Hz); lower it, or raise /loop/rate_hz.");
  }
  void check(const SineSpec& sine, const std::string& where) {
    belowNyquist(sine.frequency_hz, where + "/frequency_hz");
  }
  void checkBandOf(const Json& signal, const std::string& where) {
    Checks checks;
    checkBand(checks, {0.0, signal.at("from_hz").get<double>(), signal.at("to_hz").get<double>(),
                       signal.at("period_s").get<double>()});
    belowNyquist(signal.at("to_hz").get<double>(), where + "/to_hz");
    try {
      checks.throwIfAny();
    } catch (const InputError& error) {
      for (const Issue& issue : error.issues()) findings_.say(where + issue.where, issue.message + ".");
    }
  }
  void check(const MultiSineSpec& sum, const std::string& where) {
    if (!at(where).contains("components")) return checkBandOf(at(where), where);
    const Json& components = at(where + "/components");
    for (std::size_t c = 0; c < sum.components.size(); ++c) {
      const std::string component = where + "/components/" + std::to_string(c);
      belowNyquist(sum.components[c].frequency_hz, component + "/frequency_hz");
      for (const char* key : {"amplitude_m", "amplitude_mps2", "amplitude_n"})
        if (components[0].contains(key) && !components[c].contains(key))
          findings_.say(component, "has a different unit from the first component; use \"" + std::string(key) +
                                       "\" in all of them.");
    }
  }
  void check(const SteppedSineSpec& stepped, const std::string& where) {
    Checks checks;
    checkSteppedSine(checks, stepped);
    for (const char* key : {"from_hz", "to_hz"}) belowNyquist(at(where).at(key).get<double>(), where + "/" + key);
    try {
      checks.throwIfAny();
    } catch (const InputError& error) {
      for (const Issue& issue : error.issues()) findings_.say(where + issue.where, issue.message + ".");
      return;
    }
    if (rate_hz_) remarkOnTimes(stepped, where);
  }
  /// A frequency that is measured before all of the excitation acts, or after its end, is lost.
  void remarkOnTimes(const SteppedSineSpec& stepped, const std::string& where) {
    const LoopConfig& loop = project_.loop;
    const std::vector<SineStep> steps = stepsOf(stepped);
    const double full_s = std::max(loop.soft_start_s, project_.analysis.start_s - loop.excitation_from_s);
    if (steps.front().measured_s < full_s)
      project_.notes.push_back("The first frequency of the stepped sine \"" + text(at(where), "name") +
                               "\" is measured from " + numberText(steps.front().measured_s) +
                               " s, but soft start and start of the analysis last until " + numberText(full_s) +
                               " s. Lengthen the settling (" + where + "/settle_s) to this time, or shorten both.");
    const double whole_s = loop.excitation_s() - loop.excitation_from_s - loop.soft_end_s;
    if (loop.excitation_s() > 0.0 && steps.back().end_s > whole_s) {
      const auto lost = std::ranges::count_if(steps, [&](const SineStep& step) { return step.end_s > whole_s; });
      project_.notes.push_back("The stepped sine \"" + text(at(where), "name") + "\" takes " +
                               numberText(steps.back().end_s) + " s, but the excitation lasts " +
                               numberText(std::max(0.0, whole_s)) + " s without its soft end: " + std::to_string(lost) +
                               " of " + std::to_string(steps.size()) +
                               " frequencies are not measured. Set /loop/duration_s to at least " +
                               numberText(steps.back().end_s + loop.soft_end_s + loop.excitation_from_s) + " s.");
    }
  }
  void check(const SweepSpec& sweep, const std::string& where) {
    belowNyquist(sweep.start_hz, where + "/start_hz");
    belowNyquist(sweep.end_hz, where + "/end_hz");
  }
  void check(const SquareSpec& square, const std::string& where) {
    belowNyquist(square.frequency_hz, where + "/frequency_hz");
    if (square.rise_s > 0.5 / square.frequency_hz)
      findings_.say(where + "/rise_s", numberText(square.rise_s) + " s is longer than half a period (" +
                                           numberText(0.5 / square.frequency_hz) +
                                           " s); shorten it or lower the frequency.");
    mayJump(square.rise_s, where);
  }
  void check(const StepSpec& step, const std::string& where) { mayJump(step.rise_s, where); }
  void mayJump(double rise_s, const std::string& where) {
    if (rise_s == 0.0 && at(where).contains("amplitude_m"))
      findings_.say(where + "/rise_s", "is 0, but a support cannot jump; give the rise time of the motion.");
  }
  void check(const GroundMotionSignal& motion, const std::string& where) {
    if (motion.acceleration) {
      for (const char* key : {"band_low_hz", "band_high_hz", "peak_m"})
        if (at(where).contains(key))
          findings_.say(where + "/" + key,
                        "belongs to the displacement of a support; remove it, or set \"output\" to \"displacement\".");
    } else {
      belowNyquist(motion.spec.band_high_hz, where + "/band_high_hz");
      if (motion.spec.band_low_hz >= motion.spec.band_high_hz)
        findings_.say(where + "/band_low_hz", numberText(motion.spec.band_low_hz) +
                                                  " Hz is not below the upper end of the band (" +
                                                  numberText(motion.spec.band_high_hz) + " Hz); swap or correct them.");
    }
    std::optional<GroundMotion> record;
    try {
      record = readRecord(motion);
      for (const std::string& remark : record->notes)
        project_.notes.push_back(motion.file.filename().string() + ": " + remark);
    } catch (const InputError& error) {
      for (const Issue& issue : error.issues()) findings_.say(where + "/file", issue.where + ": " + issue.message);
    } catch (const DeviceError& error) {
      findings_.say(where + "/file", error.what());
    }
    if (record) checkPart(*record, motion, where);
  }
  void checkPart(const GroundMotion& record, const GroundMotionSignal& motion, const std::string& where) {
    try {
      partOf(record, motion.spec);
    } catch (const InputError& error) {
      for (const Issue& issue : error.issues()) findings_.say(where + issue.where, issue.message + ".");
    }
  }

  Project& project_;
  std::optional<double> rate_hz_;
  Findings& findings_;
};

class LoadCheck {
 public:
  LoadCheck(const Model* model, const Partition* whole, Project& project, Findings& findings)
      : model_(model), whole_(whole), project_(project), findings_(findings) {}

  void run() {
    const Json excitation = sectionWithDefaults(project_.document, "excitation");
    const Json& loads = excitation.at("loads");
    for (std::size_t l = 0; l < loads.size(); ++l)
      project_.excitation.loads.push_back(resolve(loads[l], "/excitation/loads/" + std::to_string(l)));
  }

 private:
  Load resolve(const Json& object, const std::string& where) {
    // Links of lumped structures end at moving supports. All other structures stand on a common ground, and their
    // motion is relative to it.
    const bool lumped = std::holds_alternative<LumpedStructure>(project_.structure.kind);
    const std::string key = object.contains("support") ? "support" : object.contains("mass") ? "mass" : "dof";
    Load load;
    load.factor = object.value("factor", 1.0);
    load.on = key != "support" ? LoadTarget::force
              : lumped         ? LoadTarget::support_motion
                               : LoadTarget::support_acceleration;
    load.signal = signal(text(object, "signal"), key, load.on, where + "/signal");
    if (model_ == nullptr) return load;
    const std::string name = text(object, key.c_str());
    load.target = key == "support" ? support(name, load.on, where + "/support") : dof(name, key, where + "/" + key);
    return load;
  }

  std::size_t signal(const std::string& name, const std::string& key, LoadTarget on, const std::string& where) {
    const auto& signals = project_.excitation.signals;
    const auto found = indexOf(signals, name);
    if (!found) {
      std::vector<std::string> known;
      for (const SignalSpec& spec : signals) known.push_back(spec.name);
      findings_.say(where, unknownName(name, "signal", known));
      return 0;
    }
    const std::string& units = signals[*found].units;
    const std::string what = key == "dof" ? "degree of freedom" : key;
    std::string need;
    if (on == LoadTarget::support_motion && units != "m")
      need = "support needs a signal in metres: use \"amplitude_m\".";
    else if (on == LoadTarget::support_acceleration && units != "m/s2")
      need =
          "ground needs an acceleration: use \"amplitude_mps2\", or for a ground motion \"output\": \"acceleration\".";
    else if (on == LoadTarget::force && units != "N")
      need = what + " needs a signal in newtons: use \"amplitude_n\".";
    if (!need.empty()) findings_.say(where, "\"" + name + "\" is in " + units + ", but a load on a " + need);
    return *found;
  }

  std::size_t support(const std::string& name, LoadTarget on, const std::string& where) {
    const auto found = std::find(model_->supports.begin(), model_->supports.end(), name);
    if (found == model_->supports.end()) {
      findings_.say(where, unknownName(name, "support", model_->supports));
      return 0;
    }
    if (whole_ != nullptr) {
      const std::vector<std::string>& driven = whole_->driven_specimen;
      if (std::find(driven.begin(), driven.end(), name) != driven.end())
        findings_.say(where, "\"" + name +
                                 "\" cannot move on the rig, but a link of the specimen ends at it; assign that link "
                                 "to the numerical substructure, or move another support.");
      if (on == LoadTarget::support_acceleration && !whole_->inner_ground_dofs.empty())
        project_.notes.push_back("\"" + name + "\" excites the masses inside the specimen (" +
                                 someOf(whole_->inner_ground_dofs, "and") +
                                 ") in the structure. The rig does not move, so no actuator applies this load and it "
                                 "is left out. If these masses matter, move the cut closer to them.");
    }
    return static_cast<std::size_t>(found - model_->supports.begin());
  }

  std::size_t dof(const std::string& name, const std::string& key, const std::string& where) {
    const auto found = indexOf(model_->dofs, name);
    if (!found) {
      findings_.say(where, unknownName(name, key == "mass" ? "mass" : "degree of freedom", names(model_->dofs)));
    } else if (whole_ != nullptr && !indexOf(whole_->numerical.dofs, name)) {
      findings_.say(where, "\"" + name + "\" is on the rig, where a computed force cannot act; choose one of " +
                               someOf(names(whole_->numerical.dofs), "or") + ".");
    }
    return found.value_or(0);
  }

  const Model* model_;
  const Partition* whole_;
  Project& project_;
  Findings& findings_;
};

}  // namespace

void checkSignals(Project& project, std::optional<double> rate_hz, Findings& findings) {
  SignalCheck(project, rate_hz, findings).run();
}

void resolveLoads(const Model* model, const Partition* whole, Project& project, Findings& findings) {
  LoadCheck(model, whole, project, findings).run();
}

}  // namespace hyb
