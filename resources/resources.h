#pragma once
#include <span>
#include <string_view>

namespace hyb {

/// A file of resources/ compiled into the program: "projects/three-mass.json", "schema/project.schema.json".
struct Resource {
  std::string_view path;
  std::string_view text;
};
std::span<const Resource> resources() noexcept;

}  // namespace hyb
