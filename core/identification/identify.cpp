#include "core/identification/identify.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "core/base/error.h"
#include "core/base/figure_text.h"
#include "core/base/numbers.h"
#include "core/identification/local_response.h"
#include "core/identification/simulate.h"

namespace hyb {
namespace {

constexpr std::size_t kFewestPeriods = 2;  // their spread tells the errors
constexpr std::size_t kSkippedFrom = 3;    // with so many, the first one is left out, because it has a transient
constexpr double kPowerOfBand = 1e-4;      // of the largest line: amplitudes of 1 %
constexpr std::size_t kFewestRows = 64;
constexpr int kProposedPoles = 5;
constexpr double kFitsShare = 0.6;  // of the work, before the fit to the record
constexpr double kOneTone = 2.5;    // lines; one sine has 2.0 to 2.2, a resonance that rings through a record has more

/// Reports the progress, and returns whether to continue.
class Progress {
 public:
  explicit Progress(const IdentifySpec& spec) : watch_(spec.watch) {
    const double orders = spec.poles && !spec.compare_orders ? 0.0 : 0.5 * kProposedPoles * (kProposedPoles + 1);
    fits_ = (orders + (spec.poles ? 1.0 : 0.0)) * (spec.delay_s ? 1.0 : 2.0);
  }
  void fit() { tell(kFitsShare * std::min(1.0, done_++ / fits_)); }
  void step() {
    constexpr double kUsualSteps = 60.0;
    steps_ += 1.0;
    tell(kFitsShare + (1.0 - kFitsShare) * steps_ / (steps_ + kUsualSteps));
  }

 private:
  void tell(double done) const {
    if (watch_ && !watch_(done)) throw IdentificationCancelled();
  }
  const std::function<bool(double)>& watch_;
  double fits_ = 1.0, done_ = 0.0, steps_ = 0.0;
};

/// Samples in `seconds`, if integer.
std::optional<std::size_t> wholeRows(double seconds, double rate_hz) {
  const double rows = seconds * rate_hz, nearest = std::round(rows);
  constexpr double kLongest = 1e8;
  if (!(std::abs(rows - nearest) < 1e-6) || !(nearest >= 4.0 && nearest <= kLongest)) return std::nullopt;
  return static_cast<std::size_t>(nearest);
}

void requireMotion(std::span<const double> samples, const std::string& what) {
  for (const double value : samples)
    if (!std::isfinite(value))
      throw InputError(what, "has readings that are not numbers; choose another channel, or a run without them.");
  const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
  if (!(*most > *least))
    throw InputError(what, "is constant in these rows; choose another channel, or record a run that excites it.");
}

SegmentSpec wholePeriods(double rate_hz, std::size_t period) {
  return {rate_hz, period, period, SegmentSpec::Window::none};
}

SegmentSpec segmentsOf(const IdentifySpec& spec, std::size_t rows) {
  SegmentSpec segments{spec.rate_hz, segmentFor(rows), 0, SegmentSpec::Window::hann};
  if (spec.segment_s) {
    const double asked = std::round(*spec.segment_s * spec.rate_hz);
    if (!(asked >= 16.0 && asked <= static_cast<double>(rows)))
      throw InputError("segment", "is " + quantityText(*spec.segment_s, "s") + "; give at least 16 ticks (" +
                                      quantityText(16.0 / spec.rate_hz, "s") + ") and at most the " +
                                      quantityText(static_cast<double>(rows) / spec.rate_hz, "s") +
                                      " that are analysed.");
    segments.length = static_cast<std::size_t>(asked);
  } else if (spec.period_s) {
    const auto period = wholeRows(*spec.period_s, spec.rate_hz);
    if (period && rows >= kFewestPeriods * *period) segments = wholePeriods(spec.rate_hz, *period);
  }
  if (segments.hop == 0) segments.hop = std::max<std::size_t>(1, segments.length / 2);
  return segments;
}

MeasuredResponse responseOf(std::span<const double> input, std::span<const double> output,
                            const SegmentSpec& segments) {
  CrossSpectra spectra(segments);
  std::size_t first = 0;
  const bool periodic = segments.window == SegmentSpec::Window::none;
  if (periodic) {  // whole periods up to the end
    const std::size_t periods = input.size() / segments.length;
    first = input.size() - (periods - (periods >= kSkippedFrom ? 1 : 0)) * segments.length;
  }
  spectra.add(input.subspan(first), output.subspan(first));
  MeasuredResponse response = spectra.response();
  if (!periodic) return response;
  std::vector<double> powers;
  for (const ResponseLine& line : response.lines) powers.push_back(line.input_power);
  std::vector<ResponseLine> excited;
  for (const std::size_t k : excitedLines(powers)) excited.push_back(response.lines[k]);
  response.lines = std::move(excited);
  return response;
}

std::pair<double, double> bandOf(const IdentifySpec& spec, const MeasuredResponse& response) {
  if (spec.band_hz) {
    const auto [from_hz, to_hz] = *spec.band_hz;
    if (!(from_hz >= 0.0 && from_hz < to_hz && to_hz <= 0.5 * spec.rate_hz))
      throw InputError("band", "is " + figureText(from_hz) + " to " + figureText(to_hz) +
                                   " Hz; give 0 <= FROM < TO, with TO at most half the rate (" +
                                   figureText(0.5 * spec.rate_hz) + " Hz).");
    return {from_hz, to_hz};
  }
  double largest = 0.0;
  for (const ResponseLine& line : response.lines) largest = std::max(largest, line.input_power);
  std::pair<double, double> band{0.0, 0.0};
  for (const ResponseLine& line : response.lines) {
    if (line.input_power < kPowerOfBand * largest) continue;
    if (band.second == 0.0) band.first = line.frequency_hz;
    band.second = line.frequency_hz;
  }
  return band;
}

void checkOrder(const IdentifySpec& spec) {
  const auto bad = [](const std::string& what, int count, const std::string& range) {
    throw InputError("order", "has " + std::to_string(count) + " " + what + "; give " + range + ".");
  };
  if (spec.poles && (*spec.poles < 1 || *spec.poles > kMostPoles))
    bad("poles", *spec.poles, "1 to " + std::to_string(kMostPoles));
  if (spec.zeros && !spec.poles) throw InputError("order", "has only zeros; enter the number of poles as well.");
  if (spec.zeros && (*spec.zeros < 0 || *spec.zeros > *spec.poles))
    bad("zeros", *spec.zeros, "0 to as many as there are poles");
  if (spec.delay_s && !(*spec.delay_s >= 0.0 && *spec.delay_s <= kMostDelay_s))
    throw InputError("delay", "is " + figureText(*spec.delay_s) + " s; give 0 to 10 s.");
}

/// The fit of a given order; an unknown delay is only included with strong evidence.
std::optional<OrderCandidate> fitGiven(const FitOrder& fit, const IdentifySpec& spec) {
  OrderSpec order{*spec.poles, spec.zeros.value_or(0), spec.delay_s.value_or(0.0)};
  const auto fixed = fit(order);
  std::optional<OrderCandidate> found;
  if (fixed) found = {order, *fixed};
  if (spec.delay_s) return found;
  order.delay_s = std::nullopt;
  const auto free = fit(order);
  if (free && (!found || free->criterion + kStrongEvidence < found->fit.criterion)) found = {order, *free};
  return found;
}

/// Fits the model to the lines, or to all rows without a given band, because then more than the lines counts.
void refine(Identification& result, const OrderCandidate& start, std::span<const double> input,
            std::span<const double> output, const IdentifySpec& spec, Progress& progress) {
  const double step_s = 1.0 / spec.rate_hz;
  result.order = start.order;
  result.model = start.fit.model;
  RecordFitSpec record;
  record.hold = spec.hold;
  record.find_delay = !start.order.delay_s;
  // A stepped sine may have more rows than a fit to the record bears, and its response holds what they say.
  if (stable(*result.model) && result.method != ResponseMethod::steps) {
    if (!spec.band_hz)
      result.record = fitRecord(start.fit.model, record, input, output, step_s, [&] { progress.step(); });
    result.from_record = result.record.has_value();
    if (result.record)
      result.model = result.record->model;
    else
      result.record = judgeRecord(*result.model, record, input, output, step_s);
  }
  result.deviation_percent = deviationPercent(result.response, *result.model, spec.hold, step_s);
}

/// Equivalent number of lines of equal size with the same power; after a Hann window, so that a sine between two lines
/// counts no more than one on a line.
double tonesOf(const RecordSpectra& spectra) {
  double sum = 0.0, squares = 0.0;
  for (std::size_t k = 1; k + 1 < spectra.input.size(); ++k) {
    const double power = std::norm(spectra.input[k] - 0.5 * (spectra.input[k - 1] + spectra.input[k + 1]));
    sum += power;
    squares += power * power;
  }
  return squares > 0.0 ? sum * sum / squares : 0.0;
}

void append(std::vector<IdentificationFinding>& all, std::vector<IdentificationFinding> more) {
  for (IdentificationFinding& finding : more) all.push_back(std::move(finding));
}

/// Response and band from a record of any other excitation; its spectra in that band.
RecordSpectra takeRecord(Identification& result, std::span<const double> input, std::span<const double> output,
                         const IdentifySpec& spec) {
  const std::size_t rows = input.size();
  result.segments = segmentsOf(spec, rows);
  MeasuredResponse all = responseOf(input, output, result.segments);
  std::tie(result.from_hz, result.to_hz) = bandOf(spec, all);
  RecordSpectra spectra = recordSpectra(input, output, spec.rate_hz, result.from_hz, result.to_hz);
  result.method = spec.segment_s                                        ? ResponseMethod::segments
                  : result.segments.window == SegmentSpec::Window::none ? ResponseMethod::periods
                                                                        : ResponseMethod::local;
  result.response = result.method == ResponseMethod::local ? localResponse(spectra, spec.rate_hz, rows)
                                                           : all.within(result.from_hz, result.to_hz);
  // A single period tells no errors, but few sines have no other response.
  if (const auto period = spec.period_s ? wholeRows(*spec.period_s, spec.rate_hz) : std::nullopt;
      result.response.lines.empty() && result.method == ResponseMethod::local && period && rows >= *period) {
    result.method = ResponseMethod::periods;
    result.segments = wholePeriods(spec.rate_hz, *period);
    all = responseOf(input, output, result.segments);
    std::tie(result.from_hz, result.to_hz) = bandOf(spec, all);
    result.response = all.within(result.from_hz, result.to_hz);
  }
  return spectra;
}

/// Response and band from stepped sines.
void takeSteps(Identification& result, std::span<const double> input, std::span<const double> output,
               const IdentifySpec& spec) {
  SteppedResponse stepped = steppedResponse(input, output, spec.rate_hz, spec.steps_from_s, spec.steps);
  result.method = ResponseMethod::steps;
  append(result.findings, findingsOf(stepped));
  if (stepped.response.lines.empty())
    throw InputError("input", "holds no complete frequency of the stepped sine. " +
                                  (result.findings.empty() ? std::string() : result.findings.front().sentence));
  std::tie(result.from_hz, result.to_hz) = bandOf(spec, stepped.response);
  const auto inside = [&](const ResponseLine& line) {
    return line.frequency_hz >= result.from_hz && line.frequency_hz <= result.to_hz;
  };
  result.response = stepped.response;
  result.response.lines.clear();
  for (std::size_t k = 0; k < stepped.phasors.size(); ++k) {
    if (!inside(stepped.response.lines[k])) continue;
    result.response.lines.push_back(stepped.response.lines[k]);
    result.phasors.push_back(std::move(stepped.phasors[k]));
  }
}

}  // namespace

std::string_view name(ResponseMethod method) noexcept {
  constexpr std::array<std::string_view, 4> names{"periods", "local-polynomials", "segments", "stepped-sine"};
  return names[static_cast<std::size_t>(method)];
}

double deviationPercent(const MeasuredResponse& response, const TransferModel& model, Hold hold, double step_s) {
  double left = 0.0, whole = 0.0;
  for (const ResponseLine& line : response.lines) {
    if (!(line.coherence > 0.0)) continue;
    left += std::norm(line.h1 - sampledResponse(model, line.frequency_hz, step_s, hold));
    whole += std::norm(line.h1);
  }
  return whole > 0.0 ? 100.0 * std::sqrt(left / whole) : kNoValue;
}

Identification identify(std::span<const double> input, std::span<const double> output, const IdentifySpec& spec) {
  checkOrder(spec);
  const std::size_t rows = std::min(input.size(), output.size());
  if (rows < kFewestRows)
    throw InputError("input", "has " + std::to_string(rows) + " rows for the analysis; at least " +
                                  std::to_string(kFewestRows) + " are needed, record for longer.");
  input = input.first(rows);
  output = output.first(rows);
  requireMotion(input, "input");
  requireMotion(output, "output");
  const double step_s = 1.0 / spec.rate_hz;

  Identification result;
  result.rows = rows;
  const bool stepped = !spec.steps.empty() && !spec.segment_s;
  RecordSpectra spectra;
  if (stepped)
    takeSteps(result, input, output, spec);
  else
    spectra = takeRecord(result, input, output, spec);
  append(result.findings, findingsOf(result.response, result.method == ResponseMethod::periods || stepped));

  Progress progress(spec);
  const FitOrder fit = [&](const OrderSpec& order) {
    progress.fit();
    return stepped ? fitResponse(result.response, order, spec.hold, step_s)
                   : fitSpectra(spectra, order, spec.hold, step_s);
  };
  if (!spec.poles || spec.compare_orders) result.choice = proposeOrder(fit, spec.delay_s, kProposedPoles);
  result.proposed = !spec.poles;
  std::optional<OrderCandidate> start;
  if (spec.poles)
    start = fitGiven(fit, spec);
  else if (!result.choice.candidates.empty())
    start = result.choice.best();
  const bool one_line = (stepped || result.method == ResponseMethod::periods) && result.response.lines.size() == 1;
  if (one_line || (spectra.frequency_hz.size() >= 3 && tonesOf(spectra) < kOneTone)) {
    result.findings.push_back({IdentificationFinding::What::too_few_data,
                               "Nearly all of the input is one sine, which determines the response only at its own "
                               "frequency. Excite a band, for example with the signal band-sines."});
    if (result.proposed) return result;
  }
  if (!start) {
    result.findings.push_back(
        {IdentificationFinding::What::too_few_data,
         "The input reaches " + std::to_string(stepped ? result.response.lines.size() : spectra.frequency_hz.size()) +
             " lines from " + figureText(result.from_hz) + " to " + figureText(result.to_hz) +
             " Hz, too few for a model. Excite a band, for example with the signal band-sines, or record for "
             "longer."});
    return result;
  }
  refine(result, *start, input, output, spec, progress);
  append(result.findings, findingsOf(*result.model));
  if (spec.poles) append(result.findings, findingsOf(start->order, start->fit, result.choice));
  return result;
}

}  // namespace hyb
