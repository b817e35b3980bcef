/// Criteria of the multi-axial benchmark with sensor noise: the compensation of the source (marths-lab) and the best of
/// the bench (marths), as the table of resources/help/compensation/decoupling-inverse.md. All records at 0.4 times with
/// the nominal plant, then means over perturbed plants under El Centro.
/// hybridbench_marths_bench [PLANTS], with the ground motions in the folder HYB_GROUND_MOTIONS.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "tests/support/marths.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Criteria = std::array<std::array<double, 2>, std::size(kMarthsCriteria)>;

Criteria criteriaOf(const MarthsMotion& motion, const char* name, int plant) {
  Json document = marthsUnder(motion, 0.4, true, name);
  document["rig"]["perturbation"] = {{"seed", plant}};
  document["rig"]["seed"] = 1 + plant;
  const TemplateRun run(document, true);
  Criteria found{};
  for (std::size_t c = 0; c < found.size(); ++c)
    for (std::size_t i = 0; i < 2; ++i) found[c][i] = criterion(run, i, kMarthsCriteria[c]);
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  const int plants = argc > 1 ? std::atoi(argv[1]) : 20;
  constexpr const char* kNames[] = {"marths-lab", "marths"};
  std::vector<std::array<Criteria, 2>> columns;
  std::printf("|  ");
  for (const MarthsMotion& motion : {kMarthsElCentro, kKobe, kMorganHill}) {
    auto& column = columns.emplace_back();
    for (std::size_t n = 0; n < 2; ++n) {
      column[n] = criteriaOf(motion, kNames[n], 0);
      std::printf("| %s, %s ", motion.name, kNames[n]);
    }
  }
  if (plants > 0) {
    auto& column = columns.emplace_back();
    for (std::size_t n = 0; n < 2; ++n) {
      column[n] = Criteria{};
      for (int plant = 1; plant <= plants; ++plant) {
        const Criteria one = criteriaOf(kMarthsElCentro, kNames[n], plant);
        for (std::size_t c = 0; c < one.size(); ++c)
          for (std::size_t i = 0; i < 2; ++i) column[n][c][i] += one[c][i] / plants;
      }
      std::printf("| El Centro, %d perturbed plants, %s ", plants, kNames[n]);
    }
  }
  std::printf("|\n|---");
  for (std::size_t k = 0; k < 2 * columns.size(); ++k) std::printf("|---");
  std::printf("|\n");
  for (std::size_t c = 0; c < std::size(kMarthsCriteria); ++c) {
    std::printf("| %s ", kMarthsCriteria[c]);
    for (const auto& column : columns)
      for (const Criteria& of : column) std::printf("| %.2f, %.2f ", of[c][0], of[c][1]);
    std::printf("|\n");
  }
  return 0;
}
