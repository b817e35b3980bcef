#include <QTemporaryDir>
#include <QTest>
#include <cstring>
#include <fstream>
#include <random>

#include "core/record/integrity.h"
#include "core/study/journal.h"
#include "core/study/study_file.h"
#include "tests/support/suite.h"
#include "tests/support/thorough.h"

using namespace hyb;
namespace fs = std::filesystem;

class JournalTest : public QObject {
  Q_OBJECT

 private:
  static constexpr std::size_t kRuns = 12, kFigures = 3, kTraceRows = 20;
  static inline const std::string kIdentity = "a study";

  static StudyJournal::Entry entryOf(std::size_t index) {
    StudyJournal::Entry entry{index, {}, {}, {}};
    entry.run.status = RunStatus::done;
    entry.run.complete = entry.run.valid = true;
    entry.run.seed = 40 + index;
    entry.run.message = "run " + std::to_string(index);
    for (std::size_t f = 0; f < kFigures; ++f) entry.run.figures.push_back(1.0 / static_cast<double>(index + f + 1));
    std::vector<std::vector<double>> columns(2);
    const std::vector<double> values = traceOf(index);
    for (std::size_t c = 0; c < 2; ++c)
      columns[c].assign(values.begin() + static_cast<std::ptrdiff_t>(c * kTraceRows),
                        values.begin() + static_cast<std::ptrdiff_t>((c + 1) * kTraceRows));
    entry.trace = tableInMemory({{"time", "s", "", 0}, {"gap_1", "m", "", 0}}, std::move(columns));
    return entry;
  }
  /// One column after the other, as in the file.
  static std::vector<double> traceOf(std::size_t index) {
    std::vector<double> values;
    for (std::size_t v = 0; v < 2 * kTraceRows; ++v)
      values.push_back(static_cast<double>(index) + 0.01 * static_cast<double>(v));
    return values;
  }

  static std::string bytesIn(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  static void write(const fs::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  }

  /// A run that a journal says is finished, with its trace, is the one that was.
  static bool isOriginal(const StudyRun& run, std::size_t index, const fs::path& traces) {
    const StudyJournal::Entry original = entryOf(index);
    if (run.figures != original.run.figures || run.message != original.run.message || run.seed != original.run.seed ||
        run.trace.rows != kTraceRows)
      return false;
    const std::string kept = bytesIn(traces).substr(run.trace.at, run.trace.bytes());
    return std::memcmp(kept.data(), traceOf(index).data(), kept.size()) == 0;
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    file_ = fs::path(folder_->path().toStdString()) / "s.h5";
    part_ = StudyJournal::part(file_);
    traces_ = StudyJournal::traces(file_);
    StudyJournal journal(file_, kIdentity, kRuns, kFigures);
    std::vector<StudyJournal::Entry> entries;
    for (std::size_t r = 0; r < kRuns; ++r) entries.push_back(entryOf(r));
    journal.add(std::move(entries));
    lines_ = bytesIn(part_);
    tables_ = bytesIn(traces_);
  }

  /// A bit anywhere in journal and traces: what is taken up is what had been written, the rest is run again, and the
  /// next start finds nothing wrong any more.
  void everyFlippedBitIsFoundOrWithoutEffect() {
    const int flips = hyb::test::kThorough ? 1000 : 200;
    std::mt19937 random(53);
    std::size_t found = 0;
    for (int k = 0; k < flips; ++k) {
      std::string lines = lines_, tables = tables_;
      std::string& hit = k % 3 == 0 ? tables : lines;
      const std::size_t at = random() % hit.size();
      hit[at] = static_cast<char>(hit[at] ^ (1 << (random() % 8)));
      write(part_, lines);
      write(traces_, tables);
      const std::string place = (k % 3 == 0 ? "traces, byte " : "journal, byte ") + std::to_string(at);
      {
        StudyJournal journal(file_, kIdentity, kRuns, kFigures);
        std::vector<StudyJournal::Entry> missing;
        for (std::size_t r = 0; r < kRuns; ++r)
          if (journal.runs()[r].status == RunStatus::pending)
            missing.push_back(entryOf(r));
          else
            QVERIFY2(isOriginal(journal.runs()[r], r, traces_), place.c_str());
        QVERIFY2(missing.empty() || journal.damaged() > 0, place.c_str());
        QVERIFY2(missing.size() <= 2, place.c_str());  // two, where the end of a line was hit
        QCOMPARE(journal.finished(), kRuns - missing.size());
        found += journal.damaged() > 0;
        if (k % 4 > 0) continue;  // to write and to read it once more waits for the disk
        journal.add(std::move(missing));
      }
      StudyJournal again(file_, kIdentity, kRuns, kFigures);
      QVERIFY2(again.damaged() == 0, place.c_str());
      QCOMPARE(again.finished(), kRuns);
      for (std::size_t r = 0; r < kRuns; ++r) QVERIFY2(isOriginal(again.runs()[r], r, traces_), place.c_str());
    }
    QCOMPARE(found, static_cast<std::size_t>(flips));
  }

  /// Also without the study, for the command `verify`.
  void aJournalCanBeChecked() {
    QVERIFY(isJournal(part_) && !isJournal(traces_));
    const JournalCheck whole = checkJournal(part_);
    QVERIFY(whole.runs == kRuns && whole.finished == kRuns && whole.damaged == 0);
    std::string lines = lines_;
    lines[lines.find("run 3")] = 'R';
    write(part_, lines);
    const JournalCheck one = checkJournal(part_);
    QVERIFY(one.finished == kRuns - 1 && one.damaged == 1);
    write(part_, lines + "{\"run\": 2");
    QCOMPARE(checkJournal(part_).damaged, std::size_t{2});
  }

  void journalsOfOthersAreRefused() {
    const auto said = [&](const std::string& identity) -> std::string {
      try {
        StudyJournal journal(file_, identity, kRuns, kFigures);
      } catch (const InputError& error) {
        return error.what();
      }
      return {};
    };
    QVERIFY(said("another study").find("of another study") != std::string::npos);
    QCOMPARE(bytesIn(part_), lines_);
    // Of a program whose journals had no checksums.
    std::string old = lines_.substr(0, lines_.find('\t')) + "\n";
    old.replace(old.find("\"version\":2"), 11, "\"version\":1");
    write(part_, old);
    QVERIFY(said(kIdentity).find("version of this program") != std::string::npos);
    QCOMPARE(bytesIn(part_), old);
    write(part_, "my own notes\n");
    QVERIFY(said(kIdentity).find("is not a journal of a study") != std::string::npos);
    QCOMPARE(bytesIn(part_), std::string("my own notes\n"));
  }

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  fs::path file_, part_, traces_;
  std::string lines_, tables_;
};

HYB_SUITE(study_journal, JournalTest)
#include "journal_test.moc"
