#include <cstdint>
#include <cstdlib>

#include "hardware/opensees_session.h"

/// What a client of the generic protocol sends, whole and in two segments: both give the same steps.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hyb;
  using Step = Conversation::Step;
  SiteSpec site;
  site.stiffness_n_per_m = {1.0, 2.0, 3.0, 4.0};
  const ExternalAnswer answer{{0.1, 0.2}, {1.0, 2.0}, 0.5, 1};
  const auto stepsOf = [&](std::size_t cut) {
    OpenSeesSession session(site, 2);
    std::vector<Step> steps;
    for (const std::span<const std::uint8_t> part : {std::span(data, cut), std::span(data + cut, size - cut)}) {
      session.feed(part);
      for (Step step = session.next(); step != Step::more; step = session.next()) {
        steps.push_back(step);
        if (step == Step::reply) (void)session.constantReply();
        if (step == Step::measured) (void)session.measuredReply(answer);
      }
    }
    return steps;
  };
  if (stepsOf(size) != stepsOf(size / 2)) std::abort();
  return 0;
}
