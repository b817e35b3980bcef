#include <algorithm>
#include <array>

#include "core/analysis/entries.h"
#include "core/base/error.h"
#include "core/base/words.h"

namespace hyb {
namespace {

constexpr std::array kAnalyses{
    &kSpectrumAnalysis,   &kCrossSpectrumAnalysis, &kFrequencyResponseAnalysis, &kSpectrogramAnalysis,
    &kHistogramAnalysis,  &kFourierAnalysis,       &kLowPassAnalysis,           &kHighPassAnalysis,
    &kDerivativeAnalysis, &kIntegralAnalysis,      &kResampleAnalysis,
};

}  // namespace

std::span<const Analysis* const> analyses() noexcept { return kAnalyses; }

const Analysis& analysis(const std::string& name) {
  const auto found = std::ranges::find_if(kAnalyses, [&](const Analysis* one) { return one->name == name; });
  if (found != kAnalyses.end()) return **found;
  std::vector<std::string> known;
  std::string all;
  for (const Analysis* one : kAnalyses) {
    known.emplace_back(one->name);
    all += (all.empty() ? "" : ", ") + known.back();
  }
  throw InputError(name, "is not an analysis. " + hint(name, known) + "Analyses: " + all + ".");
}

}  // namespace hyb
