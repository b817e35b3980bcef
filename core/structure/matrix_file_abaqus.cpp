// Abaqus *MATRIX OUTPUT. Source: Abaqus Keywords Guide, *MATRIX INPUT.
#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/number_text.h"
#include "core/base/words.h"
#include "core/structure/matrix_file_text.h"

namespace hyb::matrix_file {
namespace {

constexpr double kHeldStiffness = 1e36;  // on the diagonal of a DOF held by a boundary condition

/// Items between blanks and commas in any mix.
std::vector<std::string_view> itemsOf(std::string_view text) {
  std::vector<std::string_view> items;
  for (std::size_t begin = text.find_first_not_of(" \t,"); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(" \t,", begin), text.size());
    items.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(" \t,", end);
  }
  return items;
}

/// The next line of numbers; keyword lines begin with a star, comments with two.
std::optional<TextLine> nextRow(TextFile& file) {
  while (const std::optional<TextLine> line = file.nextFilled('\0')) {
    const std::string_view text = trimmed(line->text);
    if (text.starts_with("**")) continue;
    if (text.starts_with('*'))
      file.fail(line->number,
                "begins with " + excerpt(text.substr(0, text.find_first_of(" ,"))) +
                    ", which is not supported; write the matrix with *MATRIX GENERATE and *MATRIX OUTPUT");
    return line;
  }
  return std::nullopt;
}

}  // namespace

MatrixFile readAbaqus(TextFile& file) {
  std::optional<TextLine> line = nextRow(file);
  if (!line) file.fail(0, "holds no entries; give a matrix with at least one DOF");
  const std::size_t width = itemsOf(line->text).size(), first_line = line->number;
  if (width != 3 && width != 5)
    file.fail(first_line,
              "is neither Matrix Market nor Abaqus; begin the file with \"%%MatrixMarket matrix coordinate real "
              "symmetric\", or "
              "write node, DOF, node, DOF and value");
  constexpr long long kMostNodes = 1'000'000'000'000;
  std::vector<FreedomEntry> entries;
  std::set<long long> internal;
  long long size = 1;
  for (; line; line = nextRow(file)) {
    const std::vector<std::string_view> items = itemsOf(line->text);
    if (items.size() != width) {
      file.fault(line->number, "has " + std::to_string(items.size()) + " items, but line " +
                                   std::to_string(first_line) + " has " + std::to_string(width));
      continue;
    }
    std::vector<long long> place;
    for (std::size_t i = 0; i + 1 < width; ++i)
      if (const std::optional<long long> number = wholeNumber(items[i])) place.push_back(*number);
    const double value = entryNumber(file, items.back());
    const bool nodes = width == 5;
    if (place.size() + 1 != width ||
        std::any_of(place.begin(), place.end(), [](long long p) { return std::abs(p) > kMostNodes; }) ||
        (nodes && (place[1] < 1 || place[3] < 1 || place[1] > 100 || place[3] > 100)) ||
        (!nodes && (std::min(place[0], place[1]) < 1 || std::max(place[0], place[1]) > kMaxFileDofs))) {
      file.fault(line->number, std::string("does not begin with ") +
                                   (nodes ? "node, DOF, node, DOF" : "row and column, both from 1"));
      continue;
    }
    if (nodes) {
      for (const long long node : {place[0], place[2]})
        if (node < 1) internal.insert(node);
      entries.push_back(
          {{place[0], static_cast<int>(place[1])}, {place[2], static_cast<int>(place[3])}, value, line->number});
    } else {
      size = std::max({size, place[0], place[1]});
      entries.push_back({{place[0], 0}, {place[1], 0}, value, line->number});
    }
  }
  file.throwIfAny();
  if (!internal.empty())
    file.fail(0,
              "has internal degrees of freedom of Abaqus, for example of node " + std::to_string(*internal.rbegin()) +
                  " (rigid bodies, connectors, hybrid elements); remove these from the model, or write a substructure");
  if (width == 3) {
    std::vector<Entry> placed;
    for (const FreedomEntry& e : entries)
      placed.push_back({static_cast<int>(e.row.node - 1), static_cast<int>(e.column.node - 1), e.value, e.line});
    MatrixFile result;
    const Symmetry symmetry = trianglesOf(placed);
    result.matrix = matrixOf(file, static_cast<Eigen::Index>(size), symmetry, placed);
    noteTriangle(result, symmetry);
    return result;
  }
  std::set<Freedom> held;
  for (const FreedomEntry& e : entries)
    if (e.row == e.column && e.value >= kHeldStiffness) held.insert(e.row);
  std::erase_if(entries, [&](const FreedomEntry& e) { return held.contains(e.row) || held.contains(e.column); });
  MatrixFile result = matrixOf(file, std::nullopt, entries);
  result.held.assign(held.begin(), held.end());
  return result;
}

}  // namespace hyb::matrix_file
