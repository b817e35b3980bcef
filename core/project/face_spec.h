#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/fidelity/face.h"
#include "core/fidelity/quantity.h"
#include "core/project/project.h"

namespace hyb {

struct Measure;

/// What stands for the error of a test on the axis of FACE; 0 in the error-free test.
enum class FaceAxis : std::uint8_t { delay, error_by_max, error_by_rms, varied, inverse };
constexpr std::size_t kFaceAxes = 5;
struct FaceAxisWords {
  const char *name, *title, *units,
      *description;        // name: as in the project; units "": none, or those of what is varied
  const Measure* measure;  // whose words these are; null: the test is not asked
};
const FaceAxisWords& words(FaceAxis axis);

constexpr const char* kAddedDelay = "/compensation/added_delay_s";

/// Section /analysis/face of a project: what is made worse on purpose, what is watched, how it is judged.
struct FaceSpec {
  std::vector<std::string> pointers{kAddedDelay};  // places that take one value in each test
  std::vector<double> values;  // from the best test to the worst; empty: planned (added delays alone)
  int count = 12;              // tests of such a plan, the one without added delay among them
  double safe_percent = 50.0;  // of the delay that is left to the stability limit, for such a plan
  int seeds = 1;               // tests of each value, with sensor noise of their own
  int interface = 1;           // whose target and measured motion give the error
  FaceAxis axis = FaceAxis::delay;
  QuantitySpec quantity;
  FaceSettings settings;

  bool addsDelay() const { return pointers.size() == 1 && pointers.front() == kAddedDelay; }
};

/// None: the project has no such section. Throws InputError where the expression cannot be read.
std::optional<FaceSpec> faceSpec(const Json& document);

/// Why this axis has no 0 that an error-free test would have, one sentence; "" if it has. What is varied itself, and
/// one over it, stand for an error only where the first of `values` (the best) has the least of it, above 0.
std::string axisFault(const FaceSpec& spec, const std::vector<double>& values);

class Findings;
/// What the schema cannot say of the section. interfaces, excitations: of the project; 0: not known.
void checkFace(const Json& document, std::size_t interfaces, std::size_t excitations, double duration_s,
               Findings& findings);

}  // namespace hyb
