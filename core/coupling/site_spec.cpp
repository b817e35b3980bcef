#include "core/coupling/site_spec.h"

#include "core/base/error.h"
#include "core/base/json.h"

namespace hyb {

SiteSpec siteOf(const Json& settings, std::string_view conversation) {
  SiteSpec site;
  site.conversation = conversation;
  read(settings, "listen", site.listen);
  read(settings, "length_factor", site.length_factor);
  read(settings, "force_factor", site.force_factor);
  read(settings, "time_factor", site.time_factor);
  return site;
}

void requireExchange(const std::shared_ptr<TargetExchange>& exchange, std::string_view scheme) {
  if (exchange) return;
  throw InputError("/coupling/scheme", "is \"" + std::string(scheme) +
                                           "\": the test needs a connection from another program, which is not "
                                           "possible here; use \"run\".");
}

}  // namespace hyb
