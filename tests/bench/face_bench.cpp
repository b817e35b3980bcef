/// How often FACE's intervals hold the reference, in campaigns of the shipped templates: the table of the help page.
/// By hand: build/release/hybridbench_face_bench [CAMPAIGNS [FIRST]], 100 from seed 1 on without numbers. Works on all
/// cores. Ends with 1 where a way that claims a level in any campaign holds the reference in less than 90 or more than
/// 99 % of all campaigns, those included in which it calls itself a range (one that always does may hold it as often as
/// it will); and where a campaign was not carried out, or a worker did not answer.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <utility>

#include "tests/support/face_coverage.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// Campaigns with the seeds from `first` on, shared among processes: the HDF5 library takes one thread at a time.
FaceCoverages onAllCores(const Json& document, std::uint64_t first, std::uint64_t campaigns) {
  struct Worker {
    pid_t pid;
    int result;
  };
  const unsigned count = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Worker> workers;
  for (unsigned w = 0; w < count; ++w) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    const pid_t pid = fork();
    if (pid < 0) throw std::runtime_error("no process");
    if (pid == 0) {
      char folder[] = "/tmp/face-bench-XXXXXX";
      if (mkdtemp(folder) == nullptr) _exit(1);
      try {
        const FaceCoverages sums = faceCoverage(document, first + w, first + campaigns, count, folder);
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

/// What claims a level, in any campaign, holds in 90 to 99 % of all, ranges included.
bool honest(const FaceCoverage& way) {
  if (way.with_level == 0) return true;
  const double percent = 100.0 * way.holds / way.carried;
  return percent >= 90.0 && percent <= 99.0;
}

std::string cells(const FaceCoverage& way) {
  char text[96];
  std::snprintf(text, sizeof text, "%d of %d | %d of %d | %+.2f %% | %.2f %%", way.holds, way.carried,
                way.holds_with_level, way.with_level, way.bias(), way.width());
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t campaigns = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  int code = 0;
  std::printf("| template | noise of 1 %% on | way | holds the reference | of those with a level | bias | width |\n");
  std::printf("|---|---|---|---|---|---|---|\n");
  for (const std::string& name : kFaceTemplates)
    for (const FaceNoise& noise : kFaceNoises) {
      const auto wrong = [&](const std::string& what) {
        std::fprintf(stderr, "%s, noise on %s: %s\n", name.c_str(), noise.name, what.c_str());
        code = 1;
      };
      const std::uint64_t asked = noise.displacement + noise.force > 0.0 ? campaigns : 1;
      FaceCoverages all;
      try {
        all = onAllCores(noisyTemplate(name, noise), first, asked);
      } catch (const std::exception& error) {
        wrong(error.what());
        return code;
      }
      std::printf("| %s | %s | curve | %s |\n", name.c_str(), noise.name, cells(all.curve).c_str());
      std::printf("| | | model | %s |\n", cells(all.model).c_str());
      std::fflush(stdout);
      for (const auto& [title, way] : {std::pair("curve", all.curve), std::pair("model", all.model)}) {
        if (static_cast<std::uint64_t>(way.carried) != asked)
          wrong(std::string(title) + " carried out " + std::to_string(way.carried) + " of " + std::to_string(asked));
        else if (!honest(way))
          wrong(std::string(title) + " held " + std::to_string(way.holds) + " times of " + std::to_string(way.carried));
      }
    }
  return code;
}
