#pragma once
#include <memory>
#include <string>

namespace hyb::test {

/// The published schema as any other program would apply it; optimised, for it is asked thousands of times.
class PublishedSchema {
 public:
  explicit PublishedSchema(const std::string& schema);
  ~PublishedSchema();
  bool accepts(const std::string& project) const;

 private:
  struct Standard;
  std::unique_ptr<Standard> standard_;
};

}  // namespace hyb::test
