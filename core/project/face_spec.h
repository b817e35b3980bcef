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

/// Quantity on the error axis of FACE; 0 in the error-free test.
enum class FaceAxis : std::uint8_t { delay, error_by_max, error_by_rms, varied, inverse };
constexpr std::size_t kFaceAxes = 5;
struct FaceAxisWords {
  const char *name, *title, *units,
      *description;        // name: as in the project; units "": none, or those of the varied value
  const Measure* measure;  // source of title and text; null: the error is not read from the test
};
const FaceAxisWords& words(FaceAxis axis);

constexpr const char* kAddedDelay = "/compensation/added_delay_s";

/// Section /analysis/face of a project: what is varied, which quantity is observed, and how the result is judged.
struct FaceSpec {
  std::vector<std::string> pointers{kAddedDelay};  // places that take one value in each test
  std::vector<double> values;  // from the best test to the worst; empty: planned (added delays only)
  int count = 12;              // tests of such a plan, including the one without added delay
  double safe_percent = 50.0;  // of the delay margin, for such a plan
  int seeds = 1;               // tests per value, each with its own sensor noise
  int interface = 1;           // interface whose target and measured motion give the error
  FaceAxis axis = FaceAxis::delay;
  QuantitySpec quantity;
  FaceSettings settings;

  bool addsDelay() const { return pointers.size() == 1 && pointers.front() == kAddedDelay; }
};

/// None: the project has no such section. Throws InputError if the expression is not valid.
std::optional<FaceSpec> faceSpec(const Json& document);

/// Why this axis has no 0 for an error-free test, one sentence; "" if it has. The varied value and its inverse
/// represent an error only if the first of `values` (the best) has the smallest error, above 0.
std::string axisFault(const FaceSpec& spec, const std::vector<double>& values);

class Findings;
/// Checks that the schema cannot express. interfaces, excitations: of the project; 0 if unknown.
void checkFace(const Json& document, std::size_t interfaces, std::size_t excitations, double duration_s,
               Findings& findings);

}  // namespace hyb
