#include "core/fidelity/envelope.h"

#include <cmath>
#include <deque>
#include <functional>

#include "core/fidelity/record.h"

namespace hyb {

namespace {

/// The queue holds positions whose samples, oldest first, none newer beats: its front is the extreme of the window.
template <typename Beats>
std::vector<double> slide(std::span<const double> samples, std::size_t reach, const Beats& beats) {
  const std::size_t n = samples.size();
  std::vector<double> extreme(n, kNoFigure);
  std::deque<std::size_t> queue;
  std::size_t next = 0;
  for (std::size_t k = 0; k < n; ++k) {
    for (; next < n && next <= k + reach; ++next) {
      if (std::isnan(samples[next])) continue;
      while (!queue.empty() && !beats(samples[queue.back()], samples[next])) queue.pop_back();
      queue.push_back(next);
    }
    while (!queue.empty() && queue.front() + reach < k) queue.pop_front();
    if (!queue.empty()) extreme[k] = samples[queue.front()];
  }
  return extreme;
}

}  // namespace

Envelope envelope(std::span<const double> samples, std::size_t window) {
  const std::size_t reach = std::min(window / 2, samples.size());
  return {slide(samples, reach, std::less<>{}), slide(samples, reach, std::greater<>{})};
}

}  // namespace hyb
