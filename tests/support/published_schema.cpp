#include "tests/support/published_schema.h"

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

namespace hyb::test {

using valijson::adapters::NlohmannJsonAdapter;

struct PublishedSchema::Standard {
  nlohmann::json document;
  valijson::Schema schema;
};

PublishedSchema::PublishedSchema(const std::string& schema) : standard_(std::make_unique<Standard>()) {
  standard_->document = nlohmann::json::parse(schema);
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(NlohmannJsonAdapter(standard_->document), standard_->schema);
}
PublishedSchema::~PublishedSchema() = default;

bool PublishedSchema::accepts(const std::string& project) const {
  const auto plain = nlohmann::json::parse(project);
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  return validator.validate(standard_->schema, NlohmannJsonAdapter(plain), nullptr);
}

}  // namespace hyb::test
