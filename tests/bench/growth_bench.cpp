/// False alarms and lead time of the limit on the energy growth: seeded delays of the actuators of five templates.
/// Arguments: first seed and number of seeds for each template (5001 40).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tests/support/growth_draw.h"

using namespace hyb::test;

int main(int count, char** arguments) {
  const std::uint64_t first = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 5001;
  const std::uint64_t seeds = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 40;
  const bool tells = count > 3;
  std::puts(
      "| template | stable | false alarms | grow slowly | of these seen | reach a limit | seen before | lead median, s "
      "| "
      "least, s |\n|---|---|---|---|---|---|---|---|---|");
  for (const GrowthCase& of : kGrowthCases) {
    int runs[3] = {0, 0, 0}, seen[3] = {0, 0, 0};
    std::vector<double> leads;
    for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
      const GrowthDraw draw = drawGrowth(of, seed);
      const auto kind = static_cast<std::size_t>(draw.kind);
      ++runs[kind];
      if (tells)
        std::printf("%s %.2f ms kind %zu limit %.3f s seen %.3f s\n", of.name, 1e3 * draw.delay_s, kind, draw.limit_s,
                    draw.seen_s);
      if (draw.kind != LoopKind::unstable ? !(draw.seen_s >= 0.0) : !(draw.seen_s < draw.limit_s)) continue;
      ++seen[kind];
      if (draw.kind == LoopKind::unstable) leads.push_back(draw.limit_s - draw.seen_s);
    }
    std::ranges::sort(leads);
    std::printf("| %s | %d | %d | %d | %d | %d | %d |", of.name, runs[0], seen[0], runs[1], seen[1], runs[2], seen[2]);
    if (leads.empty())
      std::puts(" | |");
    else
      std::printf(" %.2f | %.3f |\n", leads[leads.size() / 2], leads.front());
    std::fflush(stdout);
  }
}
