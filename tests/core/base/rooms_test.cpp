// The rooms of the house and the arrows between them: each include leads down, or stays where it is.
#include <QTest>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/paths.h"
#include "tests/support/suite.h"

namespace {

using Strings = std::vector<std::string>;

/// From the ground up: each may use what stands before it.
const Strings kCore = {"base",       "data",        "linalg",         "signal",   "analysis",     "structure",
                       "excitation", "integration", "gait",           "fidelity", "compensation", "transfer",
                       "rig",        "tick",        "force_stage",    "coupling", "feedforward",  "harmonic",
                       "loop",       "stability",   "identification", "project",  "record",       "exchange",
                       "run",        "assess",      "campaign",       "study"};
/// What the workspaces share, from below to above; the shell above all of them puts them together.
const std::vector<std::string> kShared = {"base", "document", "plot", "control"};

/// Headers of Eigen that decompose nothing, and the rooms' files whose decompositions have three unknowns.
const std::set<std::string> kPlainEigen = {"Eigen/Core", "Eigen/Jacobi", "Eigen/SparseCore"};
const std::set<std::string> kThreeUnknowns = {"core/fidelity/harmonic_fit.cpp", "core/fidelity/spectrum.cpp",
                                              "core/transfer/leg.cpp"};

struct Include {
  std::string from, to;  // "core/loop/loop.cpp", "core/rig/rig.h", "QWidget"
};

/// What comes before the last slash, without the top: "core/loop/loop.cpp" -> "loop", "core/base/json.h" -> "".
std::string roomOf(const std::string& path) {
  const std::size_t first = path.find('/'), last = path.rfind('/');
  return first == last ? std::string() : path.substr(first + 1, path.find('/', first + 1) - first - 1);
}

std::vector<Include> includesOf(const std::string& top) {
  std::vector<Include> found;
  const std::filesystem::path root = hyb::test::kSourceDir;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / top)) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    const std::string from = std::filesystem::relative(entry.path(), root).generic_string();
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with("#include ")) continue;
      const std::size_t begin = line.find_first_of("\"<") + 1, end = line.find_last_of("\">");
      found.push_back({from, line.substr(begin, end - begin)});
    }
  }
  if (found.empty()) qFatal("no includes under %s", top.c_str());
  return found;
}

std::ptrdiff_t floorOf(const std::string& room) {
  const auto found = std::find(kCore.begin(), kCore.end(), room);
  if (found == kCore.end()) qFatal("core/%s: no such room", room.c_str());
  return found - kCore.begin();
}

}  // namespace

class RoomsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void noArrowInTheCoreLeadsUp() {
    for (const auto& [from, to] : includesOf("core"))
      if (to.starts_with("core/"))
        QVERIFY2(floorOf(roomOf(to)) <= floorOf(roomOf(from)), (from + " includes " + to).c_str());
  }

  void theCoreKnowsNeitherQtNorTheRestOfTheHouse() {
    for (const auto& [from, to] : includesOf("core"))
      for (const char* foreign : {"Q", "qwt", "ui/", "hardware/", "app/", "tests/"})
        QVERIFY2(!to.starts_with(foreign), (from + " includes " + to).c_str());
  }

  void windowAndHardwareDoNotKnowEachOther() {
    for (const auto& [from, to] : includesOf("ui"))
      for (const char* foreign : {"hardware/", "app/", "tests/"})
        QVERIFY2(!to.starts_with(foreign), (from + " includes " + to).c_str());
    for (const auto& [from, to] : includesOf("hardware"))
      for (const char* foreign : {"Q", "qwt", "ui/", "app/", "tests/"})
        QVERIFY2(!to.starts_with(foreign), (from + " includes " + to).c_str());
  }

  void workspacesDoNotKnowEachOther() {
    for (const auto& [from, to] : includesOf("ui")) {
      const std::string room = roomOf(from), other = to.starts_with("ui/") ? roomOf(to) : std::string();
      if (room == "shell" || other.empty() || other == room) continue;
      const auto above = std::ranges::find(kShared, room);  // of a workspace all of them are below
      QVERIFY2(std::find(kShared.begin(), above, other) != above, (from + " includes " + to).c_str());
    }
  }

  /// Decompositions take long to compile: each is, once.
  void decompositionsStayInTheirRoom() {
    for (const char* top : {"core", "hardware", "ui", "app"})
      for (const auto& [from, to] : includesOf(top))
        QVERIFY2(!to.starts_with("Eigen/") || kPlainEigen.contains(to) || roomOf(from) == "linalg" ||
                     kThreeUnknowns.contains(from),
                 (from + " includes " + to).c_str());
  }

  /// A suite that starts threads runs under the thread sanitizer, or says why not.
  void threadsAreWatched() {
    const std::filesystem::path root = hyb::test::kSourceDir;
    for (const char* top : {"tests/core", "tests/hardware"})
      for (const auto& entry : std::filesystem::recursive_directory_iterator(root / top)) {
        if (entry.path().extension() != ".cpp") continue;
        std::ifstream file(entry.path());
        const std::string text(std::istreambuf_iterator<char>(file), {});
        const auto has = [&](const char* words) { return text.find(words) != std::string::npos; };
        if (has("\nHYB_THREADS(") || has("\n// Not HYB_THREADS: ")) continue;
        for (const char* starts : {"std::thread", "std::jthread", "std::async", "TestRun ", "runStudy(", "runFace(",
                                   "RigServer", "ServedTwin"})
          QVERIFY2(!has(starts), (entry.path().generic_string() + ": " + starts).c_str());
      }
  }

  /// A suite that no CMakeLists.txt names is never run, and nobody misses it.
  void everySuiteIsBuilt() {
    const std::filesystem::path tests = std::filesystem::path(hyb::test::kSourceDir) / "tests";
    const auto textOf = [](const std::filesystem::path& path) {
      std::ifstream file(path);
      return std::string(std::istreambuf_iterator<char>(file), {});
    };
    std::size_t suites = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(tests)) {
      if (entry.path().extension() != ".cpp" || textOf(entry.path()).find("\nHYB_SUITE(") == std::string::npos)
        continue;
      ++suites;
      std::filesystem::path folder = entry.path().parent_path();
      while (!std::filesystem::exists(folder / "CMakeLists.txt") || (folder != tests && folder.parent_path() != tests))
        folder = folder.parent_path();
      const std::string name = std::filesystem::relative(entry.path(), folder).generic_string();
      std::istringstream list(textOf(folder / "CMakeLists.txt"));
      bool named = false;
      for (std::string word; list >> word;) named = named || word == name;
      QVERIFY2(named, entry.path().c_str());
    }
    QVERIFY(suites > 100);
  }

  /// Headers must not need each other in a circle, however short the way.
  void noHeadersInACircle() {
    std::map<std::string, std::set<std::string>> below;
    for (const char* top : {"core", "ui", "hardware"})
      for (const auto& [from, to] : includesOf(top))
        if (from.ends_with(".h")) below[from].insert(to);
    // Takes away what needs nothing more, until nothing is left.
    for (std::size_t before = 0; before != below.size();) {
      before = below.size();
      for (auto& [header, needs] : below) std::erase_if(needs, [&](const auto& need) { return !below.contains(need); });
      std::erase_if(below, [](const auto& entry) { return entry.second.empty(); });
    }
    QVERIFY2(below.empty(), below.empty() ? "" : below.begin()->first.c_str());
  }
};

// Not HYB_THREADS: it only names what starts them.
HYB_SUITE(rooms, RoomsTest)
#include "rooms_test.moc"
