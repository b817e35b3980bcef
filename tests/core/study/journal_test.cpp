#include <sys/resource.h>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <random>

#include "core/base/sha256.h"
#include "core/record/integrity.h"
#include "core/study/journal.h"
#include "core/study/journal_tools.h"
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

  /// A study whose run r has the key "key r + `first`".
  static JournalOwner ownerOf(const std::string& identity = kIdentity, std::size_t first = 0) {
    JournalOwner owner{identity, kRuns, "title of " + identity, {"alpha"}, {"a", "b", "c"}};
    owner.key = [first](std::size_t r) { return "key " + std::to_string(r + first); };
    owner.values = [first](std::size_t r) { return std::vector{std::to_string(r + first)}; };
    return owner;
  }

  /// A checked line of version 2, whose checksums include the study.
  static std::string oldLine(const std::string& text, const std::string& salt) {
    Sha256 sha;
    const std::string all = salt + text;
    sha.update(all.data(), all.size());
    return text + "\t" + sha.hex().substr(0, 16) + "\n";
  }

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
    traces_ = tracesOf(part_);
    StudyJournal journal(part_, ownerOf());
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
        StudyJournal journal(part_, ownerOf());
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
      StudyJournal again(part_, ownerOf());
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

  /// Killed at any byte of the last two lines: the runs before are kept, the others are run again, and the journal is
  /// whole after that.
  void truncatedAtAnyByteOfTheLastLines() {
    const std::size_t last = lines_.rfind('\n', lines_.size() - 2) + 1, before = lines_.rfind('\n', last - 2) + 1;
    for (std::size_t length = before; length <= lines_.size(); ++length) {
      write(part_, lines_.substr(0, length));
      write(traces_, tables_);
      const std::size_t kept = kRuns - (length < last ? 2 : length < lines_.size() ? 1 : 0);
      const bool torn = length != before && length != last && length != lines_.size();
      {
        StudyJournal journal(part_, ownerOf());
        QCOMPARE(journal.finished(), kept);
        QCOMPARE(journal.damaged(), torn ? std::size_t{1} : std::size_t{0});
        for (std::size_t r = 0; r < kept; ++r) QVERIFY(isOriginal(journal.runs()[r], r, traces_));
        if (length % 64 > 0) continue;  // each wait for the disk takes its time
        std::vector<StudyJournal::Entry> missing;
        for (std::size_t r = kept; r < kRuns; ++r) missing.push_back(entryOf(r));
        journal.add(std::move(missing));
      }
      StudyJournal again(part_, ownerOf());
      QVERIFY(again.finished() == kRuns && again.damaged() == 0);
      for (std::size_t r = 0; r < kRuns; ++r) QVERIFY(isOriginal(again.runs()[r], r, traces_));
    }
  }

  /// Killed at any byte of its first lines, before there was a run: the study starts again without a complaint, or
  /// tells one damaged line.
  void truncatedAtAnyByteOfTheFirstLines() {
    const std::size_t header = lines_.find('\n') + 1, study = lines_.find('\n', header) + 1;
    for (std::size_t length = 0; length < study; ++length) {
      write(part_, lines_.substr(0, length));
      const StudyJournal journal(part_, ownerOf());
      QCOMPARE(journal.finished(), std::size_t{0});
      QCOMPARE(journal.damaged(), length > header ? std::size_t{1} : std::size_t{0});
    }
  }

  /// The disk is full in the middle of a line: the files end as before, and there is room later.
  void aFullDiskCostsNoEarlierRun() {
    fs::remove(part_);
    StudyJournal journal(part_, ownerOf());
    const auto add = [&](std::size_t first, std::size_t last) {
      std::vector<StudyJournal::Entry> entries;
      for (std::size_t r = first; r < last; ++r) entries.emplace_back(entryOf(r)).trace = {};
      journal.add(std::move(entries));
    };
    add(0, 2);
    const std::string kept = bytesIn(part_);
    ::rlimit before{};
    QVERIFY(getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
    const ::rlimit full{kept.size() + 100, before.rlim_max};
    QVERIFY(setrlimit(RLIMIT_FSIZE, &full) == 0);
    QVERIFY_THROWS_EXCEPTION(DeviceError, add(2, kRuns));
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, ignored);
    QCOMPARE(bytesIn(part_), kept);
    QCOMPARE(journal.finished(), std::size_t{2});
    QCOMPARE(readJournal(part_).damaged, std::size_t{0});
    add(2, kRuns);
    QVERIFY(readJournal(part_).runs.size() == kRuns && readJournal(part_).damaged == 0);
  }

  /// Of a journal before keys the study goes on; its lines become those of today.
  void journalsOfVersionTwoGoOn() {
    Sha256 sha;
    sha.update(kIdentity.data(), kIdentity.size());
    const std::string study = sha.hex();
    std::string old = oldLine(R"({"format":"hybridbench-study-journal","version":2,"study":")" + study +
                                  R"(","runs":12,"started_at":"2026-01-01T00:00:00+00:00"})",
                              {});
    old += oldLine(
        R"({"run":5,"status":1,"complete":true,"valid":true,"seed":7,"message":"completed","figures":[1.5,null,2.5]})",
        study);
    write(part_, old);
    for (int turn = 0; turn < 2; ++turn) {
      const StudyJournal journal(part_, ownerOf());
      QCOMPARE(journal.startedAt(), std::string("2026-01-01T00:00:00+00:00"));
      QVERIFY(journal.finished() == 1 && journal.damaged() == 0 && journal.runs()[5].seed == 7);
      QVERIFY(std::isnan(journal.runs()[5].figures[1]) && journal.runs()[5].figures[2] == 2.5);
    }
    QCOMPARE(readJournal(part_).version, kJournalVersion);
    write(part_, old);
    QVERIFY_THROWS_EXCEPTION(InputError, StudyJournal(part_, ownerOf("another study")));
    QCOMPARE(bytesIn(part_), old);
  }

  /// A study in a shared journal takes the runs with its keys, with their traces, and those of a third one stay.
  void aSharedJournalIsUsedByKey() {
    {
      StudyJournal journal(part_, ownerOf("longer", 8), JournalUse::shared);
      QCOMPARE(journal.finished(), std::size_t{0});
      QCOMPARE(journal.share(0, 3), std::size_t{3});
      QCOMPARE(journal.share(0, kRuns), std::size_t{1});  // keys 8 to 11
      QCOMPARE(journal.finished(), std::size_t{4});
      for (std::size_t r = 0; r < 4; ++r) QVERIFY(isOriginal(journal.runs()[r], r + 8, traces_));
      std::vector<StudyJournal::Entry> more;
      more.push_back(entryOf(6));
      journal.add(std::move(more));
      journal.remove();
    }
    QVERIFY(fs::exists(part_));
    StudyJournal first(part_, ownerOf());
    QCOMPARE(first.finished(), kRuns);
    const JournalContent content = readJournal(part_);
    QVERIFY(content.studies.size() == 2 && content.runs.size() == kRuns + 1 && content.damaged == 0);
    QCOMPARE(journalRows(content).back()[1], std::string("6"));
    QCOMPARE(journalRows(content).back()[6], std::string("14"));
    QVERIFY(journalCsv(content).starts_with("study,run,status,complete,valid,seed,alpha,a,b,c,message,key\n"));
  }

  /// Two machines made some of the runs each, one of them twice and one of them differently.
  void journalsOfTwoMachinesBecomeOne() {
    const fs::path folder = folder_->path().toStdString(), one = folder / "one.part", two = folder / "two.part",
                   both = folder / "both.part";
    const auto make = [](const fs::path& journal, std::size_t first, std::size_t last, bool other) {
      StudyJournal made(journal, ownerOf());
      std::vector<StudyJournal::Entry> entries;
      for (std::size_t r = first; r < last; ++r) entries.push_back(entryOf(r));
      if (other) entries.front().run.figures[1] = 99.0;
      made.add(std::move(entries));
    };
    make(one, 0, 7, false);
    make(two, 5, kRuns, true);
    const MergeReport report = mergeJournals({one, two}, both);
    QVERIFY(report.runs == kRuns && report.same == 1 && report.damaged == 0);
    QCOMPARE(report.conflicts.size(), std::size_t{1});
    QVERIFY2(report.conflicts[0].starts_with("run 5 of study ") &&
                 report.conflicts[0].find("and 99.0 in figure b; the first is kept") != std::string::npos,
             report.conflicts[0].c_str());
    const StudyJournal journal(both, ownerOf());
    QVERIFY(journal.finished() == kRuns && journal.damaged() == 0);
    for (std::size_t r = 0; r < kRuns; ++r) QVERIFY(isOriginal(journal.runs()[r], r, tracesOf(both)));
    QVERIFY_THROWS_EXCEPTION(DeviceError, mergeJournals({one, two}, both));
  }

  void journalsOfOthersAreRefused() {
    const auto said = [&](const std::string& identity) -> std::string {
      try {
        StudyJournal journal(part_, ownerOf(identity));
      } catch (const InputError& error) {
        return error.what();
      }
      return {};
    };
    QVERIFY(said("another study").find("of another study") != std::string::npos);
    QCOMPARE(bytesIn(part_), lines_);
    // Of a program whose journals had no checksums, and of one that does not exist yet.
    for (const auto& [version, words] :
         {std::pair{"1", "older version of this program"}, std::pair{"4", "newer version of this program"}}) {
      std::string other = lines_.substr(0, lines_.find('\t')) + "\n";
      other.replace(other.find("\"version\":3"), 11, std::string("\"version\":") + version);
      write(part_, other);
      QVERIFY2(said(kIdentity).find(words) != std::string::npos, said(kIdentity).c_str());
      QCOMPARE(bytesIn(part_), other);
    }
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
