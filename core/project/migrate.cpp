#include "core/project/migrate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/project/schema.h"

namespace hyb {
namespace {

/// To 2: the external program, "external" with its "site", moves from the integrator to the coupling schemes.
void externalIsACoupling(Json& document) {
  const auto integrator = document.find("integrator");
  if (integrator == document.end() || !integrator->is_object()) return;
  const auto scheme = integrator->find("scheme");
  if (scheme == integrator->end() || *scheme != "external") return;
  Json coupling = {{"scheme", "external"}};
  if (const auto site = integrator->find("site"); site != integrator->end() && site->is_object())
    coupling.update(*site);
  document.erase("integrator");
  document["coupling"] = std::move(coupling);
}

/// Whether an axis may rotate, as far as kinds, names and motions show.
bool mayTurn(const Json& document) {
  const auto at = [&](const char* pointer) {
    const Json::json_pointer place(pointer);
    return document.contains(place) ? document.at(place) : Json();
  };
  const auto any = [&](const char* pointer, auto&& turns) {
    const Json list = at(pointer);
    return list.is_array() && std::any_of(list.begin(), list.end(), turns);
  };
  const auto turns = [](const Json& axis) { return axis.is_object() && axis.value("motion", Json()) == "rotation"; };
  const Json actuators = at("/partition/actuators"), kind = at("/structure/kind");
  if (actuators.is_array() && !actuators.empty()) return any("/partition/actuators", turns);
  return kind == "beam" || kind == "frame" || any("/structure/dofs", turns) ||
         any("/partition/interface", [](const Json& name) {
           return name.is_string() && name.get_ref<const std::string&>().ends_with(".rotation");
         });
}

/// To 2: limits on rotations have thresholds in rad and N m; before, the number for displacements also applied to them.
void limitsOfTurningAxes(Json& document) {
  const Json::json_pointer place("/safety/limits");
  if (!mayTurn(document) || !document.contains(place) || !document.at(place).is_array()) return;
  Json& limits = document.at(place);
  constexpr std::array<std::pair<const char*, const char*>, 3> keys{{{"threshold_m", "threshold_rad"},
                                                                     {"threshold_m_per_s", "threshold_rad_per_s"},
                                                                     {"threshold_n", "threshold_n_m"}}};
  Json added = Json::array();
  for (const Json& limit : limits)
    for (const auto& [before, now] : keys) {
      if (!limit.is_object() || !limit.contains(before)) continue;
      Json turning = Json::object();
      for (const auto& [key, value] : limit.items()) turning[key == before ? now : key] = value;
      added.push_back(std::move(turning));
    }
  for (Json& limit : added) limits.push_back(std::move(limit));
}

void toVersion2(Json& document) {
  externalIsACoupling(document);
  limitsOfTurningAxes(document);
}

// Append one function per new version of the format. Never change a released one.
constexpr std::array<MigrationStep, 1> kSteps{toVersion2};

}  // namespace

void migrate(Json& document, std::span<const MigrationStep> steps) {
  const std::size_t today = steps.size() + 1;
  const auto version = document.find("version");
  if (version == document.end())
    throw InputError("/version", "is missing; add \"version\": " + std::to_string(today) + ".");
  const double number = version->is_number() ? version->get<double>() : 0.0;
  if (!(number >= 1.0 && std::trunc(number) == number))
    throw InputError("/version", "is " + version->dump(-1, ' ', false, Json::error_handler_t::replace) +
                                     "; give the whole number of the project format, today " + std::to_string(today) +
                                     ".");
  if (number > static_cast<double>(today))
    throw InputError("/version", "is " + numberText(number) + ", but this program knows formats up to " +
                                     std::to_string(today) + "; open the project with a newer HybridBench.");
  for (auto v = static_cast<std::size_t>(number); v < today; ++v) {
    steps[v - 1](document);
    document["version"] = v + 1;
  }
}

void migrate(Json& document) { migrate(document, kSteps); }

}  // namespace hyb
