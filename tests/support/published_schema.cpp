#include "tests/support/published_schema.h"

#include <rapidjson/document.h>
#include <rapidjson/schema.h>

#include <nlohmann/json.hpp>

namespace hyb::test {
namespace {

/// In draft 4, which the validator knows, a constant is an enumeration of one, and a flag excludes a bound.
void toDraft4(nlohmann::json& schema) {
  if (schema.is_object()) {
    if (const auto constant = schema.find("const"); constant != schema.end()) {
      schema["enum"] = nlohmann::json::array({*constant});
      schema.erase("const");
    }
    if (const auto bound = schema.find("exclusiveMinimum"); bound != schema.end() && bound->is_number()) {
      schema["minimum"] = *bound;
      *bound = true;
    }
  }
  if (schema.is_structured())
    for (nlohmann::json& part : schema) toDraft4(part);
}

rapidjson::Document parsed(const std::string& text) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseFullPrecisionFlag>(text.data(), text.size());
  if (document.HasParseError()) throw std::invalid_argument("no JSON");
  return document;
}

}  // namespace

struct PublishedSchema::Standard {
  rapidjson::SchemaDocument schema;
};

PublishedSchema::PublishedSchema(const std::string& schema) {
  nlohmann::json draft4 = nlohmann::json::parse(schema);
  toDraft4(draft4);
  standard_ = std::make_unique<Standard>(Standard{rapidjson::SchemaDocument(parsed(draft4.dump()))});
}
PublishedSchema::~PublishedSchema() = default;

bool PublishedSchema::accepts(const std::string& project) const {
  rapidjson::SchemaValidator validator(standard_->schema);
  return parsed(project).Accept(validator);
}

}  // namespace hyb::test
