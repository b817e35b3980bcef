#include "core/project/migrate.h"

#include <cmath>

#include "core/project/schema.h"

namespace hyb {
namespace {

// Append one function per new version of the format; never change one that was released.
constexpr std::span<const MigrationStep> kSteps{};

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
