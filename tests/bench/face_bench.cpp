/// How often FACE's intervals hold the reference: the table of the help page. By hand:
/// build/release/hybridbench_face_bench [CAMPAIGNS [FIRST [CONDITION]]], 30 for each noise from seed 30001 on without
/// numbers; a part of the name of a condition takes these alone. Works on all cores. Ends with 1 where the intervals
/// that claim a level hold the reference in less than 90 of 100 campaigns of a row, more seldom in a cell than chance
/// allows (honestLevel), or in more than 99 of 100 in all; where a level is claimed too seldom; and where a worker did
/// not answer.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <thread>

#include "tests/support/face_coverage.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// Campaigns with the seeds from `first` on, shared among processes: the HDF5 library takes one thread at a time.
FaceCoverages onAllCores(const FaceCondition& condition, double displacement, double force, std::uint64_t first,
                         std::uint64_t campaigns) {
  struct Worker {
    pid_t pid;
    int result;
  };
  const std::uint64_t count = std::min<std::uint64_t>(campaigns, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<Worker> workers;
  for (std::uint64_t w = 0; w < count; ++w) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    const pid_t pid = fork();
    if (pid < 0) throw std::runtime_error("no process");
    if (pid == 0) {
      char folder[] = "/tmp/face-bench-XXXXXX";
      if (mkdtemp(folder) == nullptr) _exit(1);
      try {
        FaceCoverages sums;
        for (std::uint64_t seed = first + w; seed < first + campaigns; seed += count)
          faceCampaign(condition, displacement, force, seed, folder, sums);
        std::filesystem::remove_all(folder);
        _exit(write(ends[1], &sums, sizeof sums) == sizeof sums ? 0 : 1);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        _exit(1);
      }
    }
    close(ends[1]);
    workers.push_back({pid, ends[0]});
  }
  FaceCoverages all;
  std::string silent;
  for (const Worker& worker : workers) {
    FaceCoverages sums;
    const bool answered = read(worker.result, &sums, sizeof sums) == sizeof sums;
    close(worker.result);
    int status = 0;
    waitpid(worker.pid, &status, 0);
    if (WIFSIGNALED(status))
      silent += "; worker " + std::to_string(worker.pid) + " was ended by signal " + std::to_string(WTERMSIG(status));
    else if (!answered || WEXITSTATUS(status) != 0)
      silent += "; worker " + std::to_string(worker.pid) + " ended with " + std::to_string(WEXITSTATUS(status));
    all.add(sums);
  }
  if (!silent.empty()) throw std::runtime_error(silent.substr(2));
  return all;
}

constexpr std::size_t kWidthAt = 3;  // index of the noise for which the width is printed: 0.3 %

std::string shares(const FaceCoverage& way) {
  std::string text = std::to_string(way.holds_with_level) + " of " + std::to_string(way.with_level);
  if (const int without = way.campaigns - way.with_level; without > 0) text += " (" + std::to_string(without) + ")";
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t campaigns = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 30;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 30001;
  const std::string only = argc > 3 ? argv[3] : "";
  int code = 0;
  const auto wrong = [&](const std::string& where, const std::string& what) {
    std::fprintf(stderr, "%s: %s\n", where.c_str(), what.c_str());
    code = 1;
  };
  const auto row = [](const std::string& name, const char* on,
                      const std::array<FaceCoverages, kFaceNoises.size()>& cells, const FaceCoverages& all) {
    std::string line = "| " + name + " | " + on;
    for (const FaceCoverages& cell : cells) line += " | " + shares(cell.model);
    std::printf("%s | %s | %.2f | %.2g %% | %d of %d | %.0f %% |\n", line.c_str(), shares(all.model).c_str(),
                all.model.relative(), cells[kWidthAt].model.width(), all.curve.holds, all.curve.campaigns,
                all.curve.width());
    std::fflush(stdout);
  };
  std::printf("| template | noise on");
  for (const double noise : kFaceNoises) std::printf(" | %g %%", 100.0 * noise);
  std::printf(" | together | deviation | width of the model | curve holds | width |\n");
  std::printf("|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  std::array<FaceCoverages, kFaceNoises.size()> noises{};
  FaceCoverages everything;
  for (const FaceCondition& condition : faceConditions()) {
    const std::string words = condition.words();
    if (words.find(only) == std::string::npos) continue;
    try {
      const FaceCoverages quiet = onAllCores(condition, 0.0, 0.0, first, condition.varied ? campaigns : 1);
      std::printf(
          "| %s | none | largest deviation %.1e %%, range held %d of %d | | | | | | | | %.1e %% | %d of %d | %.0f %% "
          "|\n",
          words.c_str(), quiet.model.most_percent, quiet.model.holds, quiet.model.campaigns, quiet.model.width(),
          quiet.curve.holds, quiet.curve.campaigns, quiet.curve.width());
      std::uint64_t seed = first;
      for (const FaceNoiseOn& on : kFaceNoiseOn) {
        std::array<FaceCoverages, kFaceNoises.size()> cells{};
        FaceCoverages all;
        int claims = 0, asked = 0;
        for (std::size_t n = 0; n < kFaceNoises.size(); ++n) {
          const double noise = kFaceNoises[n];
          seed += campaigns;  // so that no two noises share one
          cells[n] = onAllCores(condition, noise * on.displacement, noise * on.force, seed, campaigns);
          all.add(cells[n]);
          noises[n].add(cells[n]);
          const FaceCoverage& model = cells[n].model;
          if (noise >= 0.001 && noise <= 0.01) {
            claims += model.with_level;
            asked += model.campaigns;
          }
          if (!honestLevel(model.holds_with_level, model.with_level))
            wrong(words, "noise of " + std::to_string(100.0 * noise) + " % on " + on.name + ": " + shares(model));
        }
        if (3 * claims < 2 * asked) wrong(words, std::string("no level too often, noise on ") + on.name);
        if (100 * all.model.holds_with_level < 90 * all.model.with_level)
          wrong(words, std::string("noise on ") + on.name + ": " + shares(all.model));
        everything.add(all);
        row(words, on.name, cells, all);
      }
    } catch (const std::exception& error) {
      wrong(words, error.what());
    }
  }
  row("all", "", noises, everything);
  if (100 * everything.model.holds_with_level > 99 * everything.model.with_level)
    wrong("all", "the intervals are too wide: " + shares(everything.model));
  return code;
}
