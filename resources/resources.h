#pragma once
#include <span>
#include <string_view>

namespace hyb {

/// A file of resources/ compiled into the program: "projects/three-mass.json", "help/first-test.md".
struct Resource {
  std::string_view path;
  std::string_view text;
};
std::span<const Resource> resources() noexcept;
/// Throws std::logic_error where there is none of this path: the build lists them.
std::string_view resourceText(std::string_view path);

}  // namespace hyb
