/// How often FACE's intervals hold the reference, in campaigns of the shipped templates: the table of the help page.
/// By hand: build/release/hybridbench_face_bench [CAMPAIGNS [FIRST]], 100 from seed 1 on without numbers. Works on all
/// cores. Ends with 1 where less than 90 or more than 99 % hold it of those that claim a level.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "tests/support/face_coverage.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// Campaigns with the seeds from `first` on, shared among processes: the HDF5 library takes one thread at a time.
FaceCoverages onAllCores(const Json& document, std::uint64_t first, std::uint64_t campaigns) {
  const unsigned workers = std::max(1u, std::thread::hardware_concurrency());
  std::vector<int> results;
  for (unsigned w = 0; w < workers; ++w) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    if (fork() == 0) {
      FaceCoverages sums;
      char folder[] = "/tmp/face-bench-XXXXXX";
      if (mkdtemp(folder) != nullptr) {
        sums = faceCoverage(document, first + w, first + campaigns, workers, folder);
        std::filesystem::remove_all(folder);
      }
      _exit(write(ends[1], &sums, sizeof sums) == sizeof sums ? 0 : 1);
    }
    close(ends[1]);
    results.push_back(ends[0]);
  }
  FaceCoverages all;
  for (const int end : results) {
    FaceCoverages sums;
    if (read(end, &sums, sizeof sums) == sizeof sums) {
      all.curve.add(sums.curve);
      all.model.add(sums.model);
    }
    close(end);
  }
  while (wait(nullptr) > 0) {
  }
  return all;
}

/// What claims a level, in any campaign, holds in 90 to 99 % of all.
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
      const bool noisy = noise.displacement + noise.force > 0.0;
      const FaceCoverages all = onAllCores(noisyTemplate(name, noise), first, noisy ? campaigns : 1);
      std::printf("| %s | %s | curve | %s |\n", name.c_str(), noise.name, cells(all.curve).c_str());
      std::printf("| | | model | %s |\n", cells(all.model).c_str());
      std::fflush(stdout);
      for (const FaceCoverage& way : {all.curve, all.model})
        if (!honest(way)) {
          std::fprintf(stderr, "%s, noise on %s: held %d times of %d\n", name.c_str(), noise.name, way.holds,
                       way.carried);
          code = 1;
        }
    }
  return code;
}
