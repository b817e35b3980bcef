#include "core/project/migrate.h"

#include <array>
#include <cmath>

#include "core/project/schema.h"

namespace hyb {
namespace {

/// 2: the program that computes in place of an integrator, "external" with its "site", is a coupling scheme.
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

// Append one function per new version of the format; never change one that was released.
constexpr std::array<MigrationStep, 1> kSteps{externalIsACoupling};

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
