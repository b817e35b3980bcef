#include <algorithm>
#include <array>

#include "core/base/json.h"
#include "core/transfer/laws/bouc_wen.h"
#include "core/transfer/laws/contact.h"
#include "core/transfer/laws/cubic.h"
#include "core/transfer/laws/foot.h"
#include "core/transfer/laws/friction.h"
#include "core/transfer/laws/impact.h"
#include "core/transfer/laws/table.h"
#include "core/transfer/specimen_law.h"

namespace hyb {
namespace {

constexpr std::array kLaws{
    SpecimenLawEntry{"contact", parseContact},   SpecimenLawEntry{"impact", parseImpact},
    SpecimenLawEntry{"table", parseForceTable},  SpecimenLawEntry{"foot", parseFoot},
    SpecimenLawEntry{"friction", parseFriction}, SpecimenLawEntry{"bouc-wen", parseBoucWen},
    SpecimenLawEntry{"cubic", parseCubic},
};

}  // namespace

std::span<const SpecimenLawEntry> specimenLaws() noexcept { return kLaws; }

SpecimenLawSpec parseSpecimenLaw(const Json& settings) {
  const std::string name = text(settings, "law");
  const auto entry = std::find_if(kLaws.begin(), kLaws.end(), [&](const auto& e) { return e.name == name; });
  if (entry == kLaws.end()) throw InputError("/law", "is \"" + name + "\", which is not a specimen law.");
  SpecimenLawSpec spec;
  spec.law = entry->parse(settings);
  read(settings, "interface", spec.interface);
  read(settings, "dof", spec.dof);
  return spec;
}

std::string describe(const SpecimenLawSpec& law) {
  return std::string(law.law->name()) + " at " +
         (law.dof.empty() ? "interface " + std::to_string(law.interface) : '"' + law.dof + '"');
}

}  // namespace hyb
