/// The library that minimise() loads: CMA-ES of pagmo.
#include <pagmo/algorithms/cmaes.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
#include <pagmo/types.hpp>
#include <utility>

#include "core/gait/minimise.h"

namespace {

/// Interface required by pagmo.
struct Problem {
  const hyb::CostInABox* box = nullptr;

  pagmo::vector_double fitness(const pagmo::vector_double& x) const { return {box->cost(x, box->self)}; }
  std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {
    if (box == nullptr) return {{0.0}, {1.0}};  // of a problem that pagmo constructs itself
    return {box->lower, box->upper};
  }
};

}  // namespace

extern "C" void hyb::hyb_minimise(const CostInABox& box, std::vector<double>& best) {
  pagmo::population population{pagmo::problem{Problem{&box}}, box.population, box.seed};
  population.set_x(0, box.start);
  const pagmo::cmaes optimiser{box.generations, -1.0, -1.0, -1.0, -1.0, 0.25, 1e-10, 1e-13, false, true, box.seed};
  best = optimiser.evolve(population).champion_x();
}
