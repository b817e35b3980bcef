#include <algorithm>
#include <functional>

#include "core/project/reading.h"
#include "core/project/schema.h"
#include "core/structure/modes.h"
#include "core/transfer/twin.h"

namespace hyb {
namespace {

template <typename Items>
std::optional<std::size_t> indexOf(const Items& items, const std::string& name) {
  const auto it = std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
  return it == items.end() ? std::nullopt : std::optional(static_cast<std::size_t>(it - items.begin()));
}

template <typename Items>
std::vector<std::string> namesOf(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

class MeaningCheck {
 public:
  MeaningCheck(const std::set<std::string>& broken, Project& project, std::vector<Issue>& issues)
      : broken_(broken), project_(project), issues_(issues) {}

  void run() {
    if (good("structure")) collect([&] { model_ = buildModel(project_.structure); });
    if (model_ && good("partition")) collect([&] { partition_ = cut(*model_, project_.partition); });
    if (good("excitation")) {
      checkSignals();
      resolveLoads();
    }
    if (good("compensation")) checkCompensation();
    if (good("loop")) checkTimes();
    if (good("loop") && partition_) checkRate();
    if (good("safety") && partition_) checkLimits();
    if (good("rig") && good("loop") && partition_ && clean("/loop/rate_hz"))  // counts, sensors, delays, stability
      collect([&] { makeTwin(*partition_, project_.twin, 1.0 / project_.loop.rate_hz); });
  }

 private:
  bool good(const char* section) const { return !broken_.contains(section); }
  bool clean(const std::string& prefix) const {
    return std::none_of(issues_.begin(), issues_.end(), [&](const Issue& i) { return i.where.starts_with(prefix); });
  }
  void say(const std::string& where, std::string message) {
    for (const Issue& issue : issues_)
      if (issue.where == where && issue.message == message) return;
    issues_.push_back({where, std::move(message)});
  }
  void collect(const std::function<void()>& work, const std::string& prefix = "") {
    try {
      work();
    } catch (const InputError& error) {
      for (const Issue& issue : error.issues()) say(prefix + issue.where, issue.message);
    }
  }
  std::string unknown(const std::string& name, const std::string& what, const std::vector<std::string>& known) {
    return "\"" + name + "\" is no " + what + ". " + hint(name, known) +
           (known.empty() ? "There is none yet: add one first." : "There are " + quotedList(known, "and") + ".");
  }

  void checkSignals() {
    const auto& signals = project_.excitation.signals;
    for (std::size_t j = 0; j < signals.size(); ++j) {
      const std::string where = "/excitation/signals/" + std::to_string(j);
      if (*indexOf(signals, signals[j].name) < j)
        say(where + "/name", "\"" + signals[j].name + "\" is the name of another signal; give each its own.");
      std::visit([&](const auto& shape) { checkShape(shape, where); }, signals[j].shape);
    }
  }

  void checkBelowNyquist(double frequency_hz, const std::string& where) {
    const double bound = 0.5 * project_.loop.rate_hz;
    if (good("loop") && !(frequency_hz < bound))
      say(where, numberText(frequency_hz) + " Hz is not below half the loop's rate (" + numberText(bound) +
                     " Hz); lower it, or raise /loop/rate_hz.");
  }
  void checkShape(const SineSpec& sine, const std::string& where) {
    checkBelowNyquist(sine.frequency_hz, where + "/frequency_hz");
  }
  void checkShape(const MultiSineSpec& sum, const std::string& where) {
    const Json& components = project_.document.at(Json::json_pointer(where + "/components"));
    for (std::size_t c = 0; c < sum.components.size(); ++c) {
      const std::string component = where + "/components/" + std::to_string(c);
      checkBelowNyquist(sum.components[c].frequency_hz, component + "/frequency_hz");
      const char* key = components[0].contains("amplitude_n") ? "amplitude_n" : "amplitude_m";
      if (!components[c].contains(key))
        say(component, "has another unit than the first component; give \"" + std::string(key) + "\" in all of them.");
    }
  }
  void checkShape(const SweepSpec& sweep, const std::string& where) {
    checkBelowNyquist(sweep.start_hz, where + "/start_hz");
    checkBelowNyquist(sweep.end_hz, where + "/end_hz");
  }
  void checkShape(const SquareSpec& square, const std::string& where) {
    checkBelowNyquist(square.frequency_hz, where + "/frequency_hz");
    if (square.rise_s > 0.5 / square.frequency_hz)
      say(where + "/rise_s", numberText(square.rise_s) + " s is longer than half a period (" +
                                 numberText(0.5 / square.frequency_hz) + " s); shorten it or lower the frequency.");
  }
  void checkShape(const GroundMotionSignal& motion, const std::string& where) {
    checkBelowNyquist(motion.spec.band_high_hz, where + "/band_high_hz");
    if (motion.spec.band_low_hz >= motion.spec.band_high_hz)
      say(where + "/band_low_hz", numberText(motion.spec.band_low_hz) + " Hz is not below the upper end of the band (" +
                                      numberText(motion.spec.band_high_hz) + " Hz); swap or correct them.");
    try {
      readGroundMotion(motion.file, motion.format, motion.unit);
    } catch (const InputError& error) {
      for (const Issue& issue : error.issues()) say(where + "/file", issue.where + ": " + issue.message);
    } catch (const DeviceError& error) {
      say(where + "/file", error.what());
    }
  }

  void resolveLoads() {
    const auto& signals = project_.excitation.signals;
    const Json& loads = project_.document.at("excitation").at("loads");
    for (std::size_t l = 0; l < loads.size(); ++l) {
      const std::string where = "/excitation/loads/" + std::to_string(l);
      Load load;
      load.factor = loads[l].value("factor", 1.0);
      const bool on_support = loads[l].contains("support");
      load.on = on_support ? LoadTarget::support_motion : LoadTarget::force;
      const std::string target = loads[l].at(on_support ? "support" : "mass").get<std::string>();
      const auto signal_name = loads[l].at("signal").get<std::string>();
      const auto signal = indexOf(signals, signal_name);
      if (!signal)
        say(where + "/signal", unknown(signal_name, "signal", namesOf(signals)));
      else if ((signals[*signal].units == "m") != on_support)
        say(where + "/signal", "\"" + signal_name + "\" is in " + signals[*signal].units + ", but a load on a " +
                                   (on_support ? "support needs metres: give the signal \"amplitude_m\"."
                                               : "mass needs newtons: give the signal \"amplitude_n\"."));
      load.signal = signal.value_or(0);
      if (model_) load.target = resolveTarget(on_support, target, where);
      project_.excitation.loads.push_back(load);
    }
  }

  std::size_t resolveTarget(bool on_support, const std::string& name, const std::string& where) {
    if (on_support) {
      const auto support = std::find(model_->supports.begin(), model_->supports.end(), name);
      if (support != model_->supports.end()) return static_cast<std::size_t>(support - model_->supports.begin());
      say(where + "/support", unknown(name, "support", model_->supports));
      return 0;
    }
    const auto mass = indexOf(model_->dofs, name);
    if (!mass) {
      say(where + "/mass", unknown(name, "mass", names(model_->dofs)));
    } else if (partition_) {
      const std::vector<std::string> computed = names(partition_->numerical.dofs);
      if (std::find(computed.begin(), computed.end(), name) == computed.end())
        say(where + "/mass", "\"" + name +
                                 "\" stands on the rig, where a computed force cannot push it; choose one of " +
                                 quotedList(computed) + ".");
    }
    return mass.value_or(0);
  }

  void checkCompensation() {
    if (project_.compensation.method == CompensationMethod::none) return;
    AdaptiveForwardPredictionParams& params = project_.compensation.params;
    const Json& section = project_.document.at("compensation");
    const auto count = partition_ ? static_cast<Eigen::Index>(partition_->interface.size())
                                  : std::max(params.prediction.prediction_ticks.size(), params.prediction.gain.size());
    bool fits = true;
    const auto spread = [&](const char* key, Eigen::VectorXd& values) {
      if (!section.contains(key) || !section.at(key).is_array()) {
        values = Eigen::VectorXd::Constant(count, values[0]);
      } else if (values.size() != count) {
        fits = false;
        say("/compensation/" + std::string(key), "has " + std::to_string(values.size()) + " entries for " +
                                                     std::to_string(count) +
                                                     " interface degrees of freedom; give one for each, or a single "
                                                     "number for all.");
      }
    };
    spread("prediction_ticks", params.prediction.prediction_ticks);
    spread("gain", params.prediction.gain);
    if (!fits) return;
    collect([&] {
      if (project_.compensation.method == CompensationMethod::forward_prediction)
        params.prediction.validate();
      else
        params.validate();
    });
  }

  void checkTimes() {
    const LoopConfig& loop = project_.loop;
    if (loop.duration_s <= 0.0) return;
    const std::string duration = numberText(loop.duration_s) + " s";
    const auto before = [&](double time_s, const std::string& where) {
      if (!(time_s < loop.duration_s))
        say(where, numberText(time_s) + " s is not before the end of the test (" + duration +
                       "); set it earlier, or lengthen /loop/duration_s.");
    };
    if (loop.soft_start_s + loop.soft_end_s > loop.duration_s)
      say("/loop/soft_end_s", "soft start and soft end take " + numberText(loop.soft_start_s + loop.soft_end_s) +
                                  " s of a test of " + duration + "; shorten them, or lengthen /loop/duration_s.");
    if (loop.measured_from_s >= 0.0) before(loop.measured_from_s, "/loop/measured_from_s");
    if (good("analysis")) before(project_.analysis.start_s, "/analysis/start_s");
  }

  void checkRate() {
    const double highest_hz = modes(partition_->numerical).frequency_hz.maxCoeff();
    if (!(highest_hz < 0.5 * project_.loop.rate_hz))
      say("/loop/rate_hz", numberText(project_.loop.rate_hz) +
                               " Hz is too slow for the computed part, whose highest natural frequency is " +
                               numberText(highest_hz) +
                               " Hz; more than twice that is needed. Raise the rate, or make "
                               "the stiff links softer or the light masses heavier.");
  }

  void checkLimits() {
    const auto count = static_cast<int>(partition_->interface.size());
    for (std::size_t l = 0; l < project_.limits.size(); ++l)
      if (project_.limits[l].interface > count)
        say("/safety/limits/" + std::to_string(l) + "/interface",
            "there is no interface " + std::to_string(project_.limits[l].interface) + "; the cut has " +
                std::to_string(count) + ". Give its number from 1, or 0 for each of them.");
  }

  const std::set<std::string>& broken_;
  Project& project_;
  std::vector<Issue>& issues_;
  std::optional<Model> model_;
  std::optional<Partition> partition_;
};

}  // namespace

void checkMeaning(const std::set<std::string>& broken, Project& project, std::vector<Issue>& issues) {
  MeaningCheck(broken, project, issues).run();
}

}  // namespace hyb
