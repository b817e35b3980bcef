#include "core/study/study_file.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

#include "core/base/numbers.h"
#include "core/base/sha256.h"
#include "core/base/version.h"
#include "core/project/schema.h"
#include "core/record/file_in_making.h"
#include "core/record/integrity.h"
#include "core/record/run_table.h"
#include "core/record/seal.h"
#include "core/study/search.h"
#include "core/study/study_statistics.h"
#include "core/study/study_tree.h"
#include "core/study/value_labels.h"

namespace hyb {
namespace {

namespace fs = std::filesystem;

/// Title and unit of a varied place from the project's schema; the place may exist in some runs only.
Words wordsOf(const Study& study, const std::string& name, const std::string& pointer) {
  std::string units, description;
  try {
    const Json& schema = schemaOf(study.project(0), pointer);
    units = schema.value("x-unit", "");
    description = schema.value("description", "");
  } catch (const InputError&) {
  }
  return {units, labelled(name, units), description};
}

/// One column of the plan: numbers, or texts if some values are none. `valueOf`: of a run.
template <typename ValueOf>
void writePlanned(Tree& tree, hid_t group, const Study& study, const std::string& name,
                  const std::vector<std::string>& pointers, const Words& words, bool numeric, ValueOf&& valueOf) {
  std::vector<double> numbers;
  std::vector<std::string> texts;
  for (std::size_t r = 0; r < study.runs(); ++r)
    if (numeric)
      numbers.push_back(valueOf(r).is_number() ? valueOf(r).template get<double>() : kNoValue);
    else
      texts.push_back(valueOf(r).dump(-1, ' ', true, Json::error_handler_t::replace));
  const h5::Handle set = numeric ? tree.numbers(group, name, numbers, words) : tree.texts(group, name, texts, words);
  h5::setList(set, "pointer", pointers);
}

void writePlan(Tree& tree, const Study& study) {
  const h5::Handle group = tree.group("plan");
  const auto allNumbers = [](const std::vector<Json>& values) {
    return std::ranges::all_of(values, [](const Json& value) { return value.is_number() || value.is_null(); });
  };
  for (std::size_t v = 0; v < study.variations.size(); ++v) {
    const Variation& variation = study.variations[v];
    writePlanned(tree, group, study, variation.name, variation.pointers,
                 wordsOf(study, variation.name, variation.pointers.front()), allNumbers(variation.values),
                 [&](std::size_t r) { return variation.values[study.choice(study.combinationOf(r))[v]]; });
  }
  for (std::size_t s = 0; s < study.random.settings.size(); ++s) {
    const RandomSetting& setting = study.random.settings[s];
    const Words words = setting.factor ? Words{"", setting.name, "factor on the settings of the project"}
                                       : wordsOf(study, setting.name, setting.pointers.front());
    writePlanned(tree, group, study, setting.name, setting.pointers, words, allNumbers(setting.values),
                 [&](std::size_t r) {
                   return setting.value(
                       study.random.drawn(static_cast<Eigen::Index>(study.drawnRow(r)), static_cast<Eigen::Index>(s)));
                 });
  }
}

void writeRuns(Tree& tree, const Study& study, const StudyJournal& journal) {
  const h5::Handle group = tree.group("runs");
  std::vector<std::uint8_t> status, complete, valid;
  std::vector<std::uint64_t> seeds, combinations, samples;
  std::vector<std::string> messages, labels;
  for (std::size_t r = 0; r < journal.runs().size(); ++r) {
    const StudyRun& run = journal.runs()[r];
    status.push_back(static_cast<std::uint8_t>(run.status));
    complete.push_back(run.complete);
    valid.push_back(run.valid);
    seeds.push_back(study.seed(r));
    combinations.push_back(study.combinationOf(r));
    samples.push_back(study.sampleOf(r));
    messages.push_back(run.message);
    labels.push_back(study.words(study.combinationOf(r)));
  }
  const auto flags = [&](const char* name, const std::vector<std::uint8_t>& values, const char* description) {
    return tree.column(group, name, H5T_STD_U8LE, H5T_NATIVE_UINT8, values.data(), values.size(),
                       {"", name, description});
  };
  const h5::Handle set = flags("status", status, "how the run ended: names lists the meaning of 0, 1, 2, 3");
  h5::setList(set, "names", {"pending", "done", "stopped", "failed"});
  flags("complete", complete, "1: came to its planned end");
  flags("valid", valid, "1: every signal was a number and no row was lost");
  const auto counts = [&](const char* name, const std::vector<std::uint64_t>& values, const char* description) {
    tree.column(group, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, values.data(), values.size(), {"", name, description});
  };
  counts("seed", seeds, "start of the sensor noise");
  counts("combination", combinations, "runs of one combination differ in random settings and seed only");
  counts("sample", samples, "sample of the random settings");
  tree.texts(group, "label", labels, {"", "label", "what sets the run apart, but for its seed"});
  tree.texts(group, "message", messages, {"", "message", "how the run ended, in words"});
}

void writeFigures(Tree& tree, const std::vector<FigureColumn>& columns, const StudyJournal& journal) {
  const h5::Handle group = tree.group("figures");
  for (std::size_t c = 0; c < columns.size(); ++c) {
    std::vector<double> values;
    for (const StudyRun& run : journal.runs()) values.push_back(c < run.figures.size() ? run.figures[c] : kNoValue);
    const FigureColumn& column = columns[c];
    const h5::Handle set =
        tree.numbers(group, column.name(), values,
                     {column.kind->units, labelled(column.name(), column.kind->units), column.kind->description});
    if (column.interface > 0) h5::setNumber<std::int32_t>(set, "interface", column.interface);
  }
}

/// Groups /statistics and /indices: one row for each combination and figure, and each random setting.
void writeStatistics(Tree& tree, const Study& study, const std::vector<FigureColumn>& columns,
                     const StudyJournal& journal) {
  if (std::ranges::none_of(columns, [](const FigureColumn& column) { return column.kind->measure != nullptr; })) return;
  std::vector<RunStatus> status;
  for (const StudyRun& run : journal.runs()) status.push_back(run.status);
  const std::vector<FigureStatistics> all =
      studyStatistics(study, status, columns.size(), [&](std::size_t column, std::size_t run) {
        const std::vector<double>& figures = journal.runs()[run].figures;
        return column < figures.size() ? figures[column] : kNoValue;
      });
  if (all.empty()) return;
  const h5::Handle group = tree.group("statistics");
  std::vector<std::string> labels, names, units;
  for (const FigureStatistics& entry : all) {
    labels.push_back(study.words(entry.combination));
    names.push_back(columns[entry.column].name());
    units.emplace_back(columns[entry.column].kind->units);
  }
  tree.texts(group, "label", labels, {"", "label", "what sets the combination apart"});
  tree.texts(group, "figure", names, {"", "figure", "figure in /figures"});
  tree.texts(group, "figure_units", units, {"", "units of the figure", "units of the other columns, except counts"});
  const auto numbers = [&](hid_t in, const char* name, const char* description, const auto& rows, const auto& of) {
    std::vector<double> values;
    for (const auto& row : rows) values.push_back(of(row));
    tree.numbers(in, name, values, {"", labelled(name, ""), description});
  };
  for (const StatisticColumn& column : statisticColumns())
    numbers(group, column.name, column.description, all,
            [&](const FigureStatistics& entry) { return column.of(entry.sample); });
  if (!study.random.indices) return;
  struct Row {
    std::string label, figure, setting;
    SobolIndices indices;
  };
  std::vector<Row> rows;
  for (std::size_t e = 0; e < all.size(); ++e)
    for (std::size_t s = 0; s < all[e].indices.size(); ++s)
      rows.push_back({labels[e], names[e], study.random.settings[s].name, all[e].indices[s]});
  const h5::Handle own = tree.group("indices");
  const auto texts = [&](const char* name, const char* description, std::string Row::*member) {
    std::vector<std::string> values;
    for (const Row& row : rows) values.push_back(row.*member);
    tree.texts(own, name, values, {"", name, description});
  };
  texts("label", "what sets the combination apart", &Row::label);
  texts("figure", "figure in /figures", &Row::figure);
  texts("setting", "random setting", &Row::setting);
  const auto estimate = [&](const std::string& name, const std::string& description, Estimate SobolIndices::*member) {
    numbers(own, name.c_str(), description.c_str(), rows, [&](const Row& row) { return (row.indices.*member).value; });
    numbers(own, (name + "_low").c_str(), "lower end of its 95 % interval, from the replicates", rows,
            [&](const Row& row) { return (row.indices.*member).low; });
    numbers(own, (name + "_high").c_str(), "upper end of this interval", rows,
            [&](const Row& row) { return (row.indices.*member).high; });
  };
  estimate("first_order", "share of the variance by this setting alone", &SobolIndices::first);
  estimate("total", "share of the variance by this setting alone and together with others", &SobolIndices::total);
}

/// Group /traces or /segments: these tables of the runs, from the journal's trace file.
void writeTables(Tree& tree, const char* name, const char* description, const StudyJournal& journal,
                 KeptTable StudyRun::*kept, const fs::path& raw) {
  const h5::Handle group = tree.largeGroup(name);
  h5::setText(group, "description", description);
  std::ifstream in(raw, std::ios::binary);
  for (std::size_t r = 0; r < journal.runs().size(); ++r) {
    const KeptTable& table = journal.runs()[r].*kept;
    if (table.rows == 0) continue;
    const h5::Handle own = tree.group(std::string(name) + "/" + std::to_string(r));
    in.seekg(static_cast<std::streamoff>(table.at));
    std::vector<double> values(table.rows);
    Sha256 sha;
    for (const Channel& channel : table.channels) {
      in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(double)));
      if (!in) throw DeviceError(raw.string() + ": cannot be read");
      sha.update(values.data(), values.size() * sizeof(double));
      const h5::Handle set = tree.numbers(own, channel.name, values,
                                          {channel.units, labelled(channel.name, channel.units), channel.description});
    }
    if (sha.hex() != table.sha256)
      throw DeviceError(raw.string() + ": the values of run " + std::to_string(r) +
                        " changed since they were written; repeat the study to run it again");
  }
}

std::vector<StudyTable::Column> readGroup(hid_t file, const std::string& group) {
  std::vector<StudyTable::Column> columns;
  const h5::Handle id = h5::own(H5Gopen2(file, group.c_str(), H5P_DEFAULT), "no group " + group);
  for (const std::string& name : h5::children(id, H5O_TYPE_DATASET)) {
    const std::string path = group + "/" + name;
    const h5::Handle set = h5::own(H5Dopen2(file, path.c_str(), H5P_DEFAULT), path);
    StudyTable::Column column{name, h5::text(set, "units"), h5::text(set, "description"), {}, {}};
    if (H5Tget_class(h5::own(H5Dget_type(set), path)) == H5T_STRING)
      column.words = readTexts(file, path);
    else
      column.numbers = readNumbers<double>(file, path);
    columns.push_back(std::move(column));
  }
  return columns;
}

/// Faults found by the checksums of a file; empty for an unreadable file, which its reader reports.
std::string noticeOf(const fs::path& file) {
  try {
    const Integrity integrity = checkFile(file);
    return integrity.sound() ? std::string() : integrity.sentence();
  } catch (const DeviceError&) {
    return {};
  }
}

}  // namespace

void writeStudyFile(const fs::path& file, const Study& study, const std::vector<FigureColumn>& columns,
                    const StudyJournal& journal, const std::function<void(std::int64_t)>& more) {
  h5::prepare();
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  try {
    FileInMaking made(file, ".writing");
    Tree tree(made.held());
    h5::setText(tree.file, "format", "hybridbench-study");
    h5::setNumber<std::int32_t>(tree.file, "version", 1);
    h5::setText(tree.file, "software_version", programVersion());
    h5::setText(tree.file, "title", study.document.value("title", ""));
    h5::setText(tree.file, "host", host.data());
    h5::setText(tree.file, "started_at", journal.startedAt());
    h5::setText(tree.file, "written_at", isoTime());
    h5::setNumber<std::uint64_t>(tree.file, "runs", study.runs());
    h5::setNumber<std::uint8_t>(tree.file, "complete", journal.finished() == study.runs());
    h5::setNumber<std::uint8_t>(tree.file, kSealedAttribute, 1);
    {
      const h5::Handle group = tree.group("study");
      tree.document(group, "study", study.document, "the study as given");
      tree.document(group, "project", study.base, "the project that was varied");
    }
    writePlan(tree, study);
    writeRuns(tree, study, journal);
    writeFigures(tree, columns, journal);
    writeStatistics(tree, study, columns, journal);
    const fs::path raw = journal.traces();
    if (study.traces)
      writeTables(tree, kStudyTraces, "one group per run that has been run, named after its index in /plan and /runs",
                  journal, &StudyRun::trace, raw);
    if (std::any_of(journal.runs().begin(), journal.runs().end(),
                    [](const StudyRun& run) { return run.segments.rows > 0; }))
      writeTables(tree, kStudySegments,
                  "what was kept of each trial, frequency or point of a path: one group per run that has any, named "
                  "after its index in /plan and /runs",
                  journal, &StudyRun::segments, raw);
    if (more) more(tree.file);
    made.held().closeHdf5(std::move(tree.file));
    seal(made.held().alias());
    made.replace();
  } catch (const DeviceError& error) {
    throw DeviceError(file.string() + ": " + error.what() +
                      "; the finished runs are kept; correct this and repeat the command");
  }
}

void writeSearch(std::int64_t file, const Study& study, const Search& search) {
  Tree tree(file);
  const h5::Handle group = tree.group("search");
  std::vector<double> best;
  std::vector<std::uint64_t> generation;
  for (std::size_t c = 0; c < search.values().size(); ++c) {
    best.push_back(std::fmin(search.values()[c], best.empty() ? kNoValue : best.back()));
    generation.push_back(c / study.search->population);
  }
  const std::string units = findMeasure(study.search->figure)->unit;
  tree.numbers(
      group, "value", search.values(),
      {units, labelled("goal", units), "goal of each candidate, in the order of /runs/combination; NaN: none"});
  tree.numbers(group, "best", best, {units, labelled("best", units), "the smallest of these so far"});
  tree.column(group, "generation", H5T_STD_U64LE, H5T_NATIVE_UINT64, generation.data(), generation.size(),
              {"", "generation", "generation of the candidate, from 0"});
}

std::vector<Table> readStudyTables(const fs::path& path, const std::string& group, const std::vector<std::size_t>& runs,
                                   const std::vector<std::string>& names) {
  h5::prepare();
  try {
    const h5::Handle file =
        h5::own(H5Fopen(path.c_str(), H5F_ACC_RDONLY, h5::fileAccess()), "cannot be opened as a study file");
    std::vector<Table> tables;
    for (const std::size_t run : runs) {
      Table& table = tables.emplace_back();
      std::vector<Channel> channels;
      std::vector<std::vector<double>> columns;
      const std::string own = group + "/" + std::to_string(run);
      if (H5Lexists(file, group.c_str(), H5P_DEFAULT) <= 0 || H5Lexists(file, own.c_str(), H5P_DEFAULT) <= 0) continue;
      const h5::Handle id = h5::own(H5Gopen2(file, own.c_str(), H5P_DEFAULT), "no group " + own);
      for (const std::string& name : h5::children(id, H5O_TYPE_DATASET)) {
        if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) continue;
        columns.push_back(readNumbers<double>(file, own + "/" + name));
        if (columns.back().size() != columns.front().size())
          throw DeviceError("the columns of " + own + " are of different lengths; the file is damaged, run it again");
        const h5::Handle set = h5::own(H5Dopen2(id, name.c_str(), H5P_DEFAULT), name);
        describeByName(channels.emplace_back(Channel{name, h5::text(set, "units"), h5::text(set, "description")}));
      }
      table = tableInMemory(std::move(channels), std::move(columns));
    }
    return tables;
  } catch (const DeviceError& error) {
    throw DeviceError(path.string() + ": " + error.what());
  }
}

Study studyOf(const StudyTable& table, const fs::path& folder) {
  Study study = parseStudy(table.study, folder, &table.project);
  if (!study.search || table.status.size() != study.runs()) return study;
  const std::size_t each = study.runsOfCombination();
  for (Variation& variation : study.variations) {
    const auto column = std::ranges::find(table.plan, variation.name, &StudyTable::Column::name);
    if (column == table.plan.end() || column->numbers.size() != study.runs()) continue;
    for (std::size_t c = 0; c < variation.values.size(); ++c)
      if (const double value = column->numbers[c * each]; std::isfinite(value)) {
        variation.values[c] = value;
        study.search->known = std::max(study.search->known, c + 1);
      }
    variation.setLabels();
  }
  return study;
}

StudyTable readStudyFile(const fs::path& path) {
  h5::prepare();
  const std::string notice = noticeOf(path);
  try {
    const h5::Handle file =
        h5::own(H5Fopen(path.c_str(), H5F_ACC_RDONLY, h5::fileAccess()), "cannot be opened as a study file");
    if (h5::text(file, "format") != "hybridbench-study") throw DeviceError("is not a study file (attribute format)");
    if (h5::text(file, "version") != "1") throw DeviceError("is of a newer version; use a newer HybridBench");
    StudyTable table;
    table.notice = notice;
    table.title = h5::text(file, "title");
    table.started_at = h5::text(file, "started_at");
    table.software_version = h5::text(file, "software_version");
    table.complete = h5::text(file, "complete") == "1";
    const auto json = [&](const char* name) {
      const std::vector<std::string> text = readTexts(file, name);
      return text.empty() ? Json() : Json::parse(text.front(), nullptr, false);
    };
    table.study = json("study/study");
    table.project = json("study/project");
    table.plan = readGroup(file, "plan");
    table.figures = readGroup(file, "figures");
    for (const std::uint8_t status : readNumbers<std::uint8_t>(file, "runs/status"))
      table.status.push_back(static_cast<RunStatus>(std::min<std::uint8_t>(status, 3)));
    table.seed = readNumbers<std::uint64_t>(file, "runs/seed");
    table.message = readTexts(file, "runs/message");
    table.label = H5Lexists(file, "runs/label", H5P_DEFAULT) > 0 ? readTexts(file, "runs/label")
                                                                 : std::vector<std::string>(table.status.size());
    for (StudyTable::Column& column : table.plan) {
      std::map<std::string, std::size_t> places;  // of the different values
      std::vector<Json> values;
      for (const std::string& words : column.words)
        if (places.emplace(words, values.size()).second) values.push_back(Json::parse(words, nullptr, false));
      const std::vector<std::string> labels = valueLabels(values);
      for (const std::string& words : column.words) column.labels.push_back(labels[places.at(words)]);
    }
    table.traces = H5Lexists(file, kStudyTraces, H5P_DEFAULT) > 0;
    table.segments = H5Lexists(file, kStudySegments, H5P_DEFAULT) > 0;
    return table;
  } catch (const DeviceError& error) {
    throw DeviceError(path.string() + ": " + error.what() + (notice.empty() ? "" : ". " + notice));
  }
}

}  // namespace hyb
