#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/base/json.h"
#include "core/fidelity/measure.h"
#include "core/project/face_spec.h"
#include "core/project/meaning.h"

namespace hyb {
namespace {

constexpr const char* kPlace = "/analysis/face";

/// An error that is read from the test, with the text of the catalogue.
FaceAxisWords readAs(const char* name, const char* measure) {
  const Measure& read = *findMeasure(measure);
  return {name, read.title, read.unit, read.says, &read};
}
const std::array<FaceAxisWords, kFaceAxes>& axes() {
  static const std::array<FaceAxisWords, kFaceAxes> list = {{
      readAs("delay", "fei_delay"),
      readAs("tracking-by-max", "rms_by_max"),
      readAs("tracking-by-rms", "rms_by_rms"),
      {"varied", "The varied value", "", "The value that is varied itself.", nullptr},
      {"inverse", "One over the varied value", "", "One over the value that is varied, as a controller gain.", nullptr},
  }};
  return list;
}

const Json* sectionOf(const Json& document) {
  const Json::json_pointer place(kPlace);
  return document.contains(place) && document.at(place).is_object() ? &document.at(place) : nullptr;
}

std::string unitsOf(const QuantitySpec& quantity) {
  const auto about = [&](const char* stem) { return quantity.channel.starts_with(stem); };
  switch (quantity.kind) {
    case QuantityKind::frequency:
      return "Hz";
    case QuantityKind::damping:
      return quantity.mass_kg > 0.0 ? "kg/s" : "1/s";
    case QuantityKind::expression:
      return "";
    default:
      return about("force") ? "N" : about("velocity") ? "m/s" : about("excitation") ? "" : "m";
  }
}

QuantitySpec quantityOf(const Json& section) {
  QuantitySpec quantity;
  const std::string kind = text(section, "kind");
  for (int k = 0; k <= static_cast<int>(QuantityKind::expression); ++k)
    if (kind == name(static_cast<QuantityKind>(k))) quantity.kind = static_cast<QuantityKind>(k);
  read(section, "title", quantity.title);
  read(section, "channel", quantity.channel);
  read(section, "frequency_hz", quantity.frequency_hz);
  read(section, "mass_kg", quantity.mass_kg);
  read(section, "from_s", quantity.from_s);
  read(section, "to_s", quantity.to_s);
  if (quantity.kind == QuantityKind::expression)
    quantity.expression = Expression(text(section, "expression"), std::string(kPlace) + "/quantity/expression");
  quantity.units = section.value("units", unitsOf(quantity));
  return quantity;
}

std::vector<std::string> knownChannels(std::size_t interfaces, std::size_t excitations) {
  std::vector<std::string> known;
  for (const char* stem : {"measured", "target", "command", "force", "gap", "velocity", "reference"})
    for (std::size_t i = 1; i <= interfaces; ++i) known.push_back(stem + ("_" + std::to_string(i)));
  for (std::size_t j = 1; j <= excitations; ++j) known.push_back("excitation_" + std::to_string(j));
  return known;
}

void checkVaried(const Json& document, const FaceSpec& spec, Findings& findings) {
  const std::string values = std::string(kPlace) + "/values";
  for (std::size_t p = 0; p < spec.pointers.size(); ++p)
    findings.collect([&] {
      Json copy = document;
      try {
        setValue(copy, spec.pointers[p] + "=" + Json(spec.values.empty() ? 0.0 : spec.values.front()).dump());
      } catch (const InputError& error) {
        throw InputError(std::string(kPlace) + "/pointers/" + std::to_string(p),
                         spec.pointers[p] + " " + error.issues().front().message);
      }
    });
  if (spec.values.empty() && !spec.addsDelay())
    findings.say(values, std::string("are needed, from the best test to the worst; only added delays (") + kAddedDelay +
                             ") can be planned from the stability of the loop.");
  if (!spec.values.empty() && std::set<double>(spec.values.begin(), spec.values.end()).size() < spec.values.size())
    findings.say(values, "give a value twice; use \"seeds\" to repeat tests.");
  if (spec.addsDelay() && std::any_of(spec.values.begin(), spec.values.end(), [](double v) { return v < 0.0; }))
    findings.say(values, "contain a negative delay; give delays of at least 0 s.");
  if (const std::string fault = axisFault(spec, spec.values); !fault.empty())
    findings.say(std::string(kPlace) + "/axis",
                 fault + " Choose \"delay\", \"tracking-by-max\" or \"tracking-by-rms\".");
}

void checkQuantity(const QuantitySpec& quantity, std::size_t interfaces, std::size_t excitations, double duration_s,
                   Findings& findings) {
  const std::string place = std::string(kPlace) + "/quantity";
  const std::vector<std::string> known = knownChannels(interfaces, excitations);
  for (const std::string& channel : quantity.channels())
    if (interfaces > 0 && std::find(known.begin(), known.end(), channel) == known.end())
      findings.say(place + (quantity.kind == QuantityKind::expression ? "/expression" : "/channel"),
                   unknownName(channel, "channel of the record", known));
  if (quantity.to_s > 0.0 && !(quantity.to_s > quantity.from_s))
    findings.say(place + "/to_s", "is not after from_s; give a later time, or 0 for the end of the record.");
  if (duration_s > 0.0 && std::max(quantity.from_s, quantity.to_s) > duration_s)
    findings.say(place + (quantity.to_s > duration_s ? "/to_s" : "/from_s"),
                 "is after the end of the test (/loop/duration_s); set it earlier, or lengthen the test.");
}

}  // namespace

const FaceAxisWords& words(FaceAxis axis) { return axes()[static_cast<std::size_t>(axis)]; }

std::string axisFault(const FaceSpec& spec, const std::vector<double>& values) {
  if (spec.axis != FaceAxis::varied && spec.axis != FaceAxis::inverse) return {};
  const auto error = [&](double value) { return spec.axis == FaceAxis::varied ? value : 1.0 / value; };
  const bool zero_is_ideal = !spec.addsDelay() && std::all_of(values.begin(), values.end(), [&](double value) {
    return std::isfinite(error(value)) && error(value) > 0.0 && error(value) >= error(values.front());
  });
  if (zero_is_ideal) return {};
  return std::string("This axis (") + words(spec.axis).title +
         ") is not 0 in the error-free test. It shows the sensitivity only.";
}

std::optional<FaceSpec> faceSpec(const Json& document) {
  const Json* section = sectionOf(document);
  if (section == nullptr) return std::nullopt;
  FaceSpec spec;
  read(*section, "pointers", spec.pointers);
  read(*section, "values", spec.values);
  read(*section, "count", spec.count);
  read(*section, "safe_percent", spec.safe_percent);
  read(*section, "seeds", spec.seeds);
  read(*section, "interface", spec.interface);
  for (std::size_t a = 0; a < kFaceAxes; ++a)
    if (text(*section, "axis") == axes()[a].name) spec.axis = static_cast<FaceAxis>(a);
  spec.quantity = quantityOf(section->value("quantity", Json::object()));
  FaceSettings& settings = spec.settings;
  settings.scale = text(*section, "scale") == "dB" ? FaceScale::decibel : FaceScale::linear;
  read(*section, "powers", settings.powers);
  read(*section, "zero_slope", settings.rules.zero_slope);
  read(*section, "flatter_at_zero", settings.rules.flatter_at_zero);
  read(*section, "tolerance_percent", settings.tolerance_percent);
  read(*section, "bootstraps", settings.bootstraps);
  read(*section, "bootstrap_seed", settings.seed);
  if (section->contains("reference")) settings.reference = section->at("reference").get<double>();
  settings.units = spec.quantity.units;
  return spec;
}

void checkFace(const Json& document, std::size_t interfaces, std::size_t excitations, double duration_s,
               Findings& findings) {
  findings.collect([&] {
    const std::optional<FaceSpec> spec = faceSpec(document);
    if (!spec) return;
    checkVaried(document, *spec, findings);
    checkQuantity(spec->quantity, interfaces, excitations, duration_s, findings);
    if (interfaces > 0 && spec->interface > static_cast<int>(interfaces))
      findings.say(std::string(kPlace) + "/interface", "there is no interface " + std::to_string(spec->interface) +
                                                           "; the cut has " + std::to_string(interfaces) + ".");
    const std::vector<int>& powers = spec->settings.powers;
    const std::string place = std::string(kPlace) + "/powers";
    if (!powers.empty() && (powers.front() != 0 || !std::is_sorted(powers.begin(), powers.end()) ||
                            std::adjacent_find(powers.begin(), powers.end()) != powers.end()))
      findings.say(
          place, "must start with 0 and ascend, for example 0, 1, 2 for a parabola or 0, 2 for zero slope at error 0.");
    else if (spec->settings.rules.zero_slope && std::find(powers.begin(), powers.end(), 1) != powers.end())
      findings.say(place, "contains 1, which \"zero_slope\" forbids; remove one of them.");
  });
}

}  // namespace hyb
