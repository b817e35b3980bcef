#pragma once
#include <QString>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace hyb::ui {

/// Names of the interface's degrees of freedom, as far as the document gives them; number i is at index i - 1.
std::vector<std::string> interfaceNames(const Json& document);

/// Location of a law of the specimen, as far as readable.
struct LawPlace {
  std::string dof;        // degree of freedom; empty: given by number
  std::size_t interface;  // number of the interface, from 1, if dof is empty
  QString title;          // "Contact"
};
std::vector<LawPlace> lawPlaces(const Json& document);

}  // namespace hyb::ui
