#include "core/error.h"
#include "core/json.h"
#include "core/project/address.h"
#include "core/project/reading.h"

namespace hyb {

SiteSpec parseSite(const Json& section) {
  SiteSpec site;
  read(section, "listen", site.listen);
  read(section, "ramp_ticks", site.ramp_ticks);
  read(section, "settle_ticks", site.settle_ticks);
  read(section, "length_factor", site.length_factor);
  read(section, "force_factor", site.force_factor);
  read(section, "time_factor", site.time_factor);
  read(section, "stiffness_n_per_m", site.stiffness_n_per_m);
  site.on_fault = text(section, "on_fault") == "silence" ? SiteFaultAnswer::silence : SiteFaultAnswer::nan;
  return site;
}

void checkSite(const Json& integrator, std::size_t interfaces, std::vector<Issue>& issues) {
  const bool external = text(integrator, "scheme") == "external";
  const bool given = integrator.contains("site");
  if (external && !given)
    issues.push_back({"/integrator/site",
                      "is missing; an external scheme needs the place where the program that "
                      "computes connects, and the units it speaks."});
  if (!external && given)
    issues.push_back({"/integrator/site", "belongs to the scheme \"external\"; choose that, or take it out."});
  if (!external || !given) return;
  const SiteSpec site = parseSite(integrator.at("site"));
  try {
    parseAddress(site.listen, "/integrator/site/listen");
  } catch (const InputError& error) {
    issues.insert(issues.end(), error.issues().begin(), error.issues().end());
  }
  const std::size_t entries = site.stiffness_n_per_m.size();
  if (entries != interfaces * interfaces)
    issues.push_back({"/integrator/site/stiffness_n_per_m",
                      "has " + std::to_string(entries) + " entries; give " + std::to_string(interfaces * interfaces) +
                          ", the stiffness matrix of the tested part at its " + std::to_string(interfaces) +
                          " interface degrees of freedom, row after row."});
}

}  // namespace hyb
