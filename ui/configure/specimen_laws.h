#pragma once
#include <QString>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace hyb::ui {

/// Names of the interface's degrees of freedom, as far as the document gives them itself: number i stands at i - 1.
std::vector<std::string> interfaceNames(const Json& document);

/// Where a law of the specimen acts, read as far as it can be read.
struct LawPlace {
  std::string dof;        // degree of freedom; empty: not named
  std::size_t interface;  // then: number of the interface, from 1
  QString title;          // "Contact"
};
std::vector<LawPlace> lawPlaces(const Json& document);

}  // namespace hyb::ui
