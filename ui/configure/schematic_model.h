#pragma once
#include <string>
#include <vector>

#include "core/project/project.h"

namespace hyb::ui {

/// Content of the drawing, read from the document as far as possible, also from a project with errors.
struct SchematicModel {
  struct Node {
    std::string name;
    bool support = false, physical = false;
    int interface = 0;  // number from 1; 0: no interface
    double mass_kg = 0.0;
    std::string motion;  // "walls x -1": the excitation that acts here; empty: none
    int column = 0;
    std::string laws;  // specimen laws that act here: "contact, friction"; empty: none
  };
  struct Link {
    std::string name;
    std::size_t from = 0, to = 0;  // nodes, `from` in the column further left
    bool physical = false;
    double stiffness_n_per_m = 0.0, damping_n_s_per_m = 0.0;
    int lane = 0;  // 0 on the line of the masses, then above it
  };
  std::vector<Node> nodes;  // masses in their order, then supports
  std::vector<Link> links;
  int lanes = 1;
};

/// Orders the nodes in a row by a walk along the links, from the first support if there is one.
SchematicModel schematicModel(const Json& document);

}  // namespace hyb::ui
