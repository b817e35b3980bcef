#include "core/exchange/import.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/checks.h"
#include "core/base/error.h"
#include "core/base/file_bytes.h"
#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/base/sha256.h"
#include "core/base/unit.h"
#include "core/base/words.h"
#include "core/loop/row.h"
#include "core/record/run_file_writer.h"
#include "core/record/run_table.h"

namespace hyb {
namespace {

const Table& tableAt(const ForeignFile& file, std::size_t place) {
  if (place < file.tables.size()) return file.tables[place];
  throw InputError("table " + std::to_string(place + 1), "is not in the file, which has " +
                                                             std::to_string(file.tables.size()) +
                                                             (file.tables.size() == 1 ? " table." : " tables."));
}

/// "Force's raw" -> "force_s_raw".
std::string channelName(const std::string& title) {
  std::string name;
  for (const char c : lowered(title)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain)
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name.empty() ? "channel" : name;
}

/// Columns that every run file has of its own.
std::set<std::string> clockNames() { return {"time", "tick", "flags"}; }

bool isTimeName(const std::string& title) {
  const std::string name = channelName(title);
  for (const char* known : {"t", "time", "zeit", "time_s", "time_sec", "time_ms", "t_s", "times", "timestamp"})
    if (name == known) return true;
  return false;
}

bool ascends(const std::vector<double>& times) {
  for (std::size_t k = 1; k < times.size(); ++k)
    if (!(times[k] > times[k - 1])) return false;
  return times.size() > 1 && std::isfinite(times.front());
}

/// Rate of times that are even within a hundredth of a step; 0 if they are not.
double evenRate(const std::vector<double>& times) {
  constexpr double kJitter = 0.01;
  const double steps = static_cast<double>(times.size() - 1), step = (times.back() - times.front()) / steps;
  for (std::size_t k = 0; k < times.size(); ++k)
    if (std::abs(times[k] - times.front() - static_cast<double>(k) * step) > kJitter * step) return 0.0;
  // Times with few digits give 999.9998 Hz for 1000.
  const double rate = 1.0 / step, whole = std::round(rate);
  const bool near_whole = whole >= 1.0 && std::abs(rate / whole - 1.0) * steps < kJitter;
  return near_whole ? whole : rate;
}

/// Rate of uneven times: that of their median step.
double medianRate(const std::vector<double>& times) {
  std::vector<double> steps;
  for (std::size_t k = 1; k < times.size(); ++k) steps.push_back(times[k] - times[k - 1]);
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return 1.0 / *middle;
}

/// SI unit of a signal of the interface along a straight axis.
std::string usualUnit(ColumnRole role) {
  if (role == ColumnRole::force || role == ColumnRole::modelled_force) return "N";
  return role == ColumnRole::velocity ? "m/s" : "m";
}

/// Multiplies by a factor. 100 um/m are 1e-4 exactly: a decimal fraction divides by its whole number.
void convert(std::vector<double>& values, double factor) {
  const double divisor = std::round(1.0 / factor);
  if (factor == 1.0) return;
  if (std::abs(divisor) > 1.0 && factor == 1.0 / divisor)
    for (double& value : values) value /= divisor;
  else
    for (double& value : values) value *= factor;
}

/// Values at even times by straight lines between the rows; a missing value makes its neighbourhood missing.
std::vector<double> interpolated(const std::vector<double>& times, const std::vector<double>& values, double start_s,
                                 double rate_hz, std::size_t rows) {
  std::vector<double> even(rows, kNoValue);
  std::size_t k = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const double time = start_s + static_cast<double>(row) / rate_hz;
    while (k + 2 < times.size() && times[k + 1] <= time) ++k;
    const double share = (time - times[k]) / (times[k + 1] - times[k]);
    even[row] = share <= 0.0   ? values[k]
                : share >= 1.0 ? values[k + 1]
                               : values[k] + share * (values[k + 1] - values[k]);
  }
  return even;
}

/// Time base of an import.
struct TimeBase {
  double rate_hz = 0.0, start_s = 0.0;
  std::size_t rows = 0;
  std::vector<double> times;  // of the rows of the file; empty: they are even
};

TimeBase timeBaseOf(const Table& table, const ImportPlan& plan, std::vector<std::string>& notes) {
  TimeBase base;
  base.rows = table.rows;
  if (!plan.time) {
    base.rate_hz = plan.rate_hz.value_or(table.rate_hz);
    base.start_s = table.start_s;
    if (plan.rate_hz && table.rate_hz > 0.0 && *plan.rate_hz != table.rate_hz)
      notes.push_back("The rate is that given, " + Checks::text(*plan.rate_hz, "Hz") + "; the file has " +
                      Checks::text(table.rate_hz, "Hz") + ".");
    if (!(base.rate_hz > 0.0) || !std::isfinite(base.rate_hz))
      throw InputError("rate",
                       "The file does not tell the times of its rows; give the column of the time, or the rate.");
    return base;
  }
  if (*plan.time >= table.channels.size())
    throw InputError("time", "The file has no column " + std::to_string(*plan.time + 1) + ".");
  const std::string& name = table.channels[*plan.time].name;
  const std::optional<SiUnit> unit = siUnit(plan.time_unit);
  if (!unit || unit->name != "s")
    throw InputError(name, "\"" + plan.time_unit + "\" is no unit of time; give s, ms or us.");
  std::vector<double> times = table.column(*plan.time);
  for (double& time : times) time *= unit->factor;
  for (std::size_t k = 0; k < times.size(); ++k)
    if (!std::isfinite(times[k]) || (k > 0 && !(times[k] > times[k - 1])))
      throw InputError(name, "row " + std::to_string(k + 1) + " of the time " +
                                 (std::isfinite(times[k]) ? "is not after the one before" : "has no value") +
                                 "; correct the file, or give the rate in place of the column of the time.");
  base.start_s = times.front();
  base.rate_hz = evenRate(times);
  if (base.rate_hz > 0.0 && (!plan.rate_hz || *plan.rate_hz == base.rate_hz)) return base;
  const bool uneven = !(base.rate_hz > 0.0);
  base.rate_hz = plan.rate_hz ? *plan.rate_hz : medianRate(times);
  if (!(base.rate_hz > 0.0) || !std::isfinite(base.rate_hz))
    throw InputError("rate", Checks::text(base.rate_hz, "Hz") + " is no rate; give a positive one.");
  const double length = (times.back() - times.front()) * base.rate_hz;
  constexpr double kMostRows = 2e9;
  if (!(length < kMostRows))
    throw InputError("rate", "The record would have more than 2,000,000,000 rows; give a lower rate.");
  base.rows = static_cast<std::size_t>(std::floor(length + 1e-6)) + 1;
  base.times = std::move(times);
  notes.push_back(uneven ? "The rows are at uneven times; they were interpolated linearly to " +
                               Checks::text(base.rate_hz, "Hz") + "."
                         : "The rows were interpolated linearly to " + Checks::text(base.rate_hz, "Hz") + ".");
  return base;
}

}  // namespace

ImportPlan suggestedPlan(const ForeignFile& file, std::size_t place) {
  const Table& table = tableAt(file, place);
  ImportPlan plan;
  plan.table = place;
  for (std::size_t c = 0; c < table.channels.size() && !plan.time; ++c) {
    const Channel& channel = table.channels[c];
    if (channel.role != ColumnRole::time && !isTimeName(channel.name)) continue;
    std::string unit = channel.units;
    if (unit.empty()) unit = channelName(channel.name).ends_with("_ms") ? "ms" : "s";
    if (const std::optional<SiUnit> known = siUnit(unit); !known || known->name != "s") continue;
    if (channel.role != ColumnRole::time && !ascends(table.column(c))) continue;
    plan.time = c;
    plan.time_unit = unit;
  }
  std::set<std::string> used = clockNames();
  for (std::size_t c = 0; c < table.channels.size(); ++c) {
    if (c == plan.time) continue;
    std::string name = channelName(table.channels[c].name);
    for (int k = 2; !used.insert(name).second; ++k)
      name = channelName(table.channels[c].name) + "_" + std::to_string(k);
    plan.channels.push_back({c, name, table.channels[c].units, false});
  }
  return plan;
}

ImportedRecord imported(const ForeignFile& file, const ImportPlan& plan) {
  const Table& from = tableAt(file, plan.table);
  if (from.rows < 2) throw InputError("table " + std::to_string(plan.table + 1), "has fewer than two rows.");
  if (plan.channels.empty()) throw InputError("channels", "No column becomes a channel; choose at least one.");
  ImportedRecord made;
  const TimeBase base = timeBaseOf(from, plan, made.notes);
  std::vector<Channel> channels;
  std::vector<std::vector<double>> columns;
  std::set<std::string> used = clockNames();
  for (const ImportedChannel& one : plan.channels) {
    if (one.column >= from.channels.size())
      throw InputError(one.name, "The file has no column " + std::to_string(one.column + 1) + ".");
    const Channel& source = from.channels[one.column];
    if (one.name.empty() || one.name != channelName(one.name))
      throw InputError(source.name, "\"" + one.name + "\" is no name of a channel; use small letters, digits and _.");
    if (!used.insert(one.name).second)
      throw InputError(source.name, "\"" + one.name + "\" is the name of another channel; give each its own.");
    const std::optional<SiUnit> unit = siUnit(one.unit);
    if (!unit)
      made.notes.push_back("\"" + one.name + "\": the unit \"" + one.unit +
                           "\" is not known; its values stay as they are.");
    Channel channel{one.name, unit ? unit->name : one.unit, source.name};
    describeByName(channel);
    if (one.unit.empty() && channel.kind) {  // the meaning of the name has a unit
      channel.units = usualUnit(channel.role);
      describeByName(channel);
      made.notes.push_back("\"" + one.name + "\" has no unit in the file and was taken in " + channel.units + ".");
    }
    if (!source.description.empty() && source.description != source.name)
      channel.description += ", " + source.description;
    std::vector<double> values = from.column(one.column);
    convert(values, (one.inverted ? -1.0 : 1.0) * (unit ? unit->factor : 1.0));
    if (!base.times.empty()) values = interpolated(base.times, values, base.start_s, base.rate_hz, base.rows);
    channels.push_back(std::move(channel));
    columns.push_back(std::move(values));
  }
  made.table = tableInMemory(std::move(channels), std::move(columns));
  made.table.title = from.title;
  made.table.rate_hz = base.rate_hz;
  made.table.start_s = base.start_s;
  made.table.facts = from.facts;
  return made;
}

namespace {

/// Signals of the interfaces that the names of the channels tell; throws InputError for a unit that a channel cannot
/// have.
std::vector<AxisSignals> interfacesOf(const Table& table) {
  int interfaces = 0;
  for (const Channel& channel : table.channels) interfaces = std::max(interfaces, channel.interface);
  constexpr int kMostInterfaces = 64;
  if (interfaces > kMostInterfaces)
    throw InputError("channels", "Interface " + std::to_string(interfaces) + " is beyond the 64 that a test can have.");
  std::vector<AxisSignals> axes(static_cast<std::size_t>(interfaces));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto kind = [&](ColumnRole role) -> std::optional<SignalKind> {
      const std::optional<std::size_t> place = find(table, role, static_cast<int>(i) + 1);
      return place ? table.channels[*place].kind : std::nullopt;
    };
    AxisSignals& axis = axes[i];
    if (const auto force = kind(ColumnRole::force); force == SignalKind::displacement || force == SignalKind::rotation)
      throw InputError(columnName(ColumnRole::force, i),
                       "is not in a unit of force or moment; correct the unit, or give it another name.");
    if (const auto motion = kind(ColumnRole::measured))
      axis.motion = *motion;
    else if (const auto of_force = kind(ColumnRole::force); of_force)
      axis.motion = facts(*of_force).partner;
    axis.target = kind(ColumnRole::target).value_or(axis.motion);
    axis.command = kind(ColumnRole::command).value_or(axis.target);
  }
  return axes;
}

/// The rows of the record in the columns of a run file.
struct RowSource {
  std::vector<std::pair<std::size_t, std::size_t>> copied;  // column of the row, channel of the record
  struct Gap {
    std::size_t to, target, tracked;
  };
  std::vector<Gap> gaps;  // to compute, from columns of the row
};

RowSource sourceOf(const Table& table, const RowLayout& layout) {
  RowSource source;
  for (std::size_t c = 0; c < table.channels.size(); ++c) {
    const Channel& channel = table.channels[c];
    const std::optional<std::size_t> place = layout.find(channel.name);
    if (!place)
      throw InputError(channel.name, "is a name that the run file has no column for; give the channel another name.");
    if (channel.role != ColumnRole::further && layout.units(*place) != channel.units)
      throw InputError(channel.name, "is in \"" + channel.units + "\", and a channel of this name is in " +
                                         layout.units(*place) + "; correct the unit, or give it another name.");
    source.copied.emplace_back(*place, c);
  }
  for (std::size_t i = 0; i < layout.interfaces(); ++i) {
    const auto has = [&](std::size_t column) {
      return std::ranges::find(source.copied, column, &std::pair<std::size_t, std::size_t>::first) !=
             source.copied.end();
    };
    if (!has(layout.gap(i)) && has(layout.target(i)) && has(layout.tracked(i)))
      source.gaps.push_back({layout.gap(i), layout.target(i), layout.tracked(i)});
  }
  return source;
}

void refuseOtherProject(const std::string& project_json, const Table& table, std::size_t interfaces) {
  const Json project = Json::parse(project_json, nullptr, false);
  if (project.is_discarded()) throw InputError("project", "is no JSON.");
  const double rate = project.value(Json::json_pointer("/loop/rate_hz"), 0.0);
  if (rate > 0.0 && std::abs(table.rate_hz / rate - 1.0) > 1e-9)
    throw InputError("project", "runs at " + Checks::text(rate, "Hz") + ", and the record has " +
                                    Checks::text(table.rate_hz, "Hz") + "; give the rate of the project.");
  if (interfaces == 0)
    throw InputError("project", "needs a channel of an interface; name at least target_1 and measured_1.");
}

}  // namespace

void writeImported(const ImportedRecord& record, const ImportOrigin& origin, const std::filesystem::path& run_file) {
  const Table& table = record.table;
  const std::vector<AxisSignals> axes = interfacesOf(table);
  std::vector<Channel> excitations, further;
  bool reference = false;
  for (const Channel& channel : table.channels) {
    if (channel.role == ColumnRole::excitation) excitations.push_back(channel);
    if (channel.role == ColumnRole::further) further.push_back(channel);
    reference = reference || channel.role == ColumnRole::reference;
  }
  if (!origin.project_json.empty()) refuseOtherProject(origin.project_json, table, axes.size());
  const RowLayout layout(axes.size(), excitations, reference, {}, axes, further);
  const RowSource source = sourceOf(table, layout);

  RunFileHeader header;
  header.title = origin.title.empty() ? table.title : origin.title;
  header.operator_name = origin.operator_name;
  for (const auto& [name, text] : table.facts)
    if (name == "started_at") header.started_at = text;
  header.realtime = {Realtime::unknown, "imported"};
  header.rate_hz = table.rate_hz;
  header.project_json = origin.project_json.empty() ? "{}" : origin.project_json;
  header.used = {{"imported_from", origin.file.filename().string()},
                 {"imported_start_s", Checks::text(table.start_s, "")}};
  if (const std::optional<std::string> bytes = bytesOf(origin.file)) {
    Sha256 sha;
    sha.update(bytes->data(), bytes->size());
    header.used.emplace_back("imported_sha256", sha.hex());
  }
  if (!origin.project_folder.empty()) header.used.emplace_back("project_folder", origin.project_folder.string());
  std::string notes;
  for (const std::string& note : record.notes) notes += (notes.empty() ? "" : " ") + note;
  if (!notes.empty()) header.used.emplace_back("import_notes", notes);

  constexpr std::size_t kChunkRows = 4096, kBlock = 1u << 14;
  RunFileWriter writer(run_file, header, layout, {}, kChunkRows);
  for (std::uint64_t first = 0; first < table.rows; first += kBlock) {
    const std::uint64_t count = std::min<std::uint64_t>(kBlock, table.rows - first);
    std::vector<double> rows(count * layout.width(), kNoValue);
    for (std::uint64_t k = 0; k < count; ++k) {
      double* row = &rows[k * layout.width()];
      row[RowLayout::kTick] = static_cast<double>(first + k);
      row[RowLayout::kTime] = static_cast<double>(first + k) / table.rate_hz;
      for (const std::size_t zero : {RowLayout::kFlags, RowLayout::kWakeLate, RowLayout::kCompute, RowLayout::kIo})
        row[zero] = 0.0;
    }
    for (const auto& [place, channel] : source.copied) {
      const std::vector<double> values = table.read(channel, first, count);
      for (std::uint64_t k = 0; k < count; ++k) rows[k * layout.width() + place] = values[k];
    }
    for (const RowSource::Gap& gap : source.gaps)
      for (std::uint64_t k = 0; k < count; ++k) {
        double* row = &rows[k * layout.width()];
        row[gap.to] = row[gap.tracked] - row[gap.target];
      }
    writer.append(rows);
  }
  writer.close({.complete = true,
                .valid = true,
                .stop_reason = "imported from " + origin.file.filename().string(),
                .ended = EndReason::imported});
}

}  // namespace hyb
