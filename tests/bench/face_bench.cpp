/// How often FACE's intervals hold the reference: the tables of the help page. By hand:
/// build/release/hybridbench_face_bench [CAMPAIGNS [FIRST [CONDITION]]], 100 for each noise from seed 5001 on without
/// numbers; a part of the name of a condition takes these alone. Works on all cores. Ends with 1 where the intervals
/// that claim a level do not hold it (honestLevel), and where a campaign was not carried out or a worker did not
/// answer.
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
    all.curve.add(sums.curve);
    all.model.add(sums.model);
  }
  if (!silent.empty()) throw std::runtime_error(silent.substr(2));
  return all;
}

std::string shares(const FaceCoverage& way) {
  std::string text = std::to_string(way.holds_with_level) + " of " + std::to_string(way.with_level);
  if (const int without = way.campaigns - way.with_level; without > 0) text += " (" + std::to_string(without) + ")";
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t campaigns = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 5001;
  const std::string only = argc > 3 ? argv[3] : "";
  int code = 0;
  const auto wrong = [&](const FaceCondition& condition, const std::string& what) {
    std::fprintf(stderr, "%s: %s\n", condition.words().c_str(), what.c_str());
    code = 1;
  };
  std::printf(
      "| template | noise on | 0.02 %% | 0.05 %% | 0.1 %% | 0.3 %% | 1 %% | 3 %% | width at 0.3 %% | curve | width "
      "|\n");
  std::printf("|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const FaceCondition& condition : faceConditions()) {
    if (condition.words().find(only) == std::string::npos) continue;
    try {
      const FaceCoverages quiet = onAllCores(condition, 0.0, 0.0, first, condition.varied ? campaigns : 1);
      std::printf(
          "| %s | none | largest deviation %.1e %%, range held %d of %d | | | | | | %.1e %% | %d of %d | %.0f %% |\n",
          condition.words().c_str(), quiet.model.most_percent, quiet.model.holds, quiet.model.campaigns,
          quiet.model.width(), quiet.curve.holds, quiet.curve.campaigns, quiet.curve.width());
      std::uint64_t seed = first;
      for (const FaceNoiseOn& on : kFaceNoiseOn) {
        std::string line = std::string("| | ") + on.name;
        FaceCoverage curve;
        double width = 0.0;
        int claims = 0, asked = 0;
        for (const double noise : kFaceNoises) {
          seed += campaigns;  // so that no two noises share one
          const FaceCoverages all = onAllCores(condition, noise * on.displacement, noise * on.force, seed, campaigns);
          line += " | " + shares(all.model);
          curve.add(all.curve);
          if (noise == 0.003) width = all.model.width();
          if (noise >= 0.001 && noise <= 0.01) {
            claims += all.model.with_level;
            asked += all.model.campaigns;
          }
          if (!honestLevel(all.model.holds_with_level, all.model.with_level))
            wrong(condition,
                  "noise of " + std::to_string(100.0 * noise) + " % on " + on.name + ": " + shares(all.model));
          if (all.model.carried != all.model.campaigns)
            wrong(condition, "the model carried " + std::to_string(all.model.carried) + " campaigns");
        }
        if (3 * claims < 2 * asked) wrong(condition, std::string("no level too often, noise on ") + on.name);
        std::printf("%s | %.2g %% | %d of %d | %.0f %% |\n", line.c_str(), width, curve.holds, curve.campaigns,
                    curve.width());
        std::fflush(stdout);
      }
    } catch (const std::exception& error) {
      wrong(condition, error.what());
    }
  }
  return code;
}
