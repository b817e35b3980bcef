#include "core/structure/lumped.h"

#include <cmath>
#include <optional>
#include <set>

#include "core/structure/assembly.h"

namespace hyb {
namespace {

std::string number(double value) {
  std::string text = std::to_string(value);
  return std::isfinite(value) ? text.substr(0, text.find_last_not_of('0') + 1 - (text.back() == '.')) : text;
}

}  // namespace
}  // namespace hyb
