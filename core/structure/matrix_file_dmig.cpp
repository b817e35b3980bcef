// Nastran DMIG, in a punch file or a deck. Source: Altair OptiStruct 2021, DMIG.
#include <algorithm>
#include <cmath>

#include "core/base/number_text.h"
#include "core/base/words.h"
#include "core/structure/matrix_file_text.h"

namespace hyb::matrix_file {
namespace {

constexpr std::size_t kSmallField = 8, kLargeField = 16;
constexpr std::size_t kMostTitleLines = 1000;  // case control before the first card

bool isDmigCard(std::string_view line) {
  const std::string start = lowered(std::string(line.substr(0, 6)));
  return start.starts_with("dmig") &&
         (start.size() == 4 || std::string_view("*, \t").find(start[4]) != std::string_view::npos);
}

/// A card with its continuations: the fields after its name, small or large, comma-separated or in columns.
struct Card {
  std::size_t line = 0;
  std::vector<std::string> fields;
};

void addFields(std::string_view line, bool first, Card& card) {
  const bool large = line.substr(0, kSmallField).find('*') != std::string_view::npos;
  const std::size_t count = large ? 4 : 8;
  std::vector<std::string> fields;
  if (line.find(',') != std::string_view::npos) {
    for (std::string_view rest = line;;) {
      const std::size_t end = rest.find(',');
      fields.emplace_back(trimmed(rest.substr(0, end)));
      if (end == std::string_view::npos) break;
      rest.remove_prefix(end + 1);
    }
    fields.erase(fields.begin());  // the name, or the mark of a continuation
    fields.resize(count);
  } else {
    const std::size_t width = large ? kLargeField : kSmallField;
    for (std::size_t i = 0; i < count; ++i)
      fields.emplace_back(trimmed(line.substr(std::min(kSmallField + i * width, line.size()), width)));
  }
  if (first) card.fields.clear();
  card.fields.insert(card.fields.end(), fields.begin(), fields.end());
}

/// All cards of one matrix.
struct Dmig {
  std::string name;
  std::size_t line = 0;
  long long form = 0, type = 1, columns = 0;
  std::vector<Card> cards;
};

class DmigReader {
 public:
  explicit DmigReader(TextFile& file) : file_(file) {}

  MatrixFile read(const std::string& variable, const std::string& letter) {
    collect();
    std::vector<NamedMatrix> list;
    for (const Dmig& matrix : matrices_)
      list.push_back({matrix.name, std::to_string(matrix.cards.size()) + " columns with entries"});
    // KAAX, K2GG; MAAX, M2GG; BAAX, B2GG. K4AAX is structural damping.
    const char wanted = letter == "C" ? 'B' : letter.empty() ? '\0' : letter[0];
    const Dmig& matrix = matrices_[choose(file_.name(), list, variable, letter, [&](const std::string& name) {
      return !name.empty() && name[0] == wanted && name.find('4') != 1;
    })];
    if (matrix.form != 1 && matrix.form != 6)
      file_.fail(matrix.line, "has form " + std::to_string(matrix.form) + " of " + excerpt(matrix.name) +
                                  "; only square (1) and symmetric (6) matrices are supported");
    if (matrix.type != 1 && matrix.type != 2)
      file_.fail(matrix.line, "states that " + excerpt(matrix.name) + " is complex; matrices must be real");
    std::vector<FreedomEntry> entries;
    for (const Card& card : matrix.cards) {
      const Freedom column = freedom(card, 1);
      for (std::size_t i = 4; i + 3 < card.fields.size() + 1; i += 4) {
        const std::string& value = card.fields[i + 2];
        if (card.fields[i].empty() && value.empty()) continue;
        std::string_view rest = value;
        const std::optional<double> number = takeFortranNumber(rest);
        if (!number || !trimmed(rest).empty() || !std::isfinite(*number)) {
          file_.fault(card.line, "has " + excerpt(value) + " in a column of " + excerpt(matrix.name) +
                                     ", which is not a finite number; correct it");
          continue;
        }
        entries.push_back({freedom(card, i), column, *number, card.line});
      }
    }
    file_.throwIfAny();
    MatrixFile result = matrixOf(file_, matrix.form == 6 ? Symmetry::symmetric : Symmetry::general, entries);
    // Mass and damping may omit columns without entries; a stiffness matrix has no such columns.
    if (letter != "M" && letter != "C" && matrix.columns > static_cast<long long>(matrix.cards.size()))
      file_.fail(matrix.line, "announces " + std::to_string(matrix.columns) + " columns of " + excerpt(matrix.name) +
                                  ", but " + std::to_string(matrix.cards.size()) +
                                  " have entries; the file is cut off, write it again");
    return result;
  }

 private:
  Freedom freedom(const Card& card, std::size_t at) {
    constexpr long long kMostNodes = 1'000'000'000'000;
    const std::optional<long long> node = wholeNumber(card.fields[at]);
    const std::optional<long long> dof =
        card.fields[at + 1].empty() ? std::optional(0LL) : wholeNumber(card.fields[at + 1]);
    if (!node || !dof || *node < 1 || *node > kMostNodes || *dof < 0 || *dof > 6) {
      file_.fault(card.line, "names node " + excerpt(card.fields[at]) + " and DOF " + excerpt(card.fields[at + 1]) +
                                 "; nodes run from 1, DOF from 0 to 6");
      return {};
    }
    return {*node, static_cast<int>(*dof)};
  }

  void collect() {
    Card card;
    while (const std::optional<TextLine> line = file_.next()) {
      const std::string_view text = line->text;
      if (trimmed(text).empty() || text.front() == '$') continue;
      const bool starts = isDmigCard(text);
      const bool continues =
          !card.fields.empty() && !starts && std::string_view("*+, ").find(text.front()) != std::string_view::npos;
      if (!continues) {
        take(card);
        card = {};
      }
      if (!starts && !continues) continue;
      if (starts) card.line = line->number;
      addFields(text, starts, card);
    }
    take(card);
  }

  void take(const Card& card) {
    if (card.fields.empty()) return;
    const std::string& name = card.fields[0];
    auto found = std::find_if(matrices_.begin(), matrices_.end(), [&](const Dmig& m) { return m.name == name; });
    if (card.fields[1] == "0") {
      if (found != matrices_.end()) file_.fail(card.line, "begins " + excerpt(name) + " again; keep one of them");
      const auto number = [&](std::size_t i) {
        return i < card.fields.size() ? wholeNumber(card.fields[i]).value_or(0) : 0;
      };
      matrices_.push_back({name, card.line, number(2), number(3), number(7), {}});
      return;
    }
    if (found == matrices_.end())
      file_.fail(card.line,
                 "is a column of " + excerpt(name) + ", whose header card is missing; write the whole matrix");
    found->cards.push_back(card);
  }

  TextFile& file_;
  std::vector<Dmig> matrices_;
};

}  // namespace

bool isDmig(TextFile& file) {
  for (std::size_t i = 0; i < kMostTitleLines; ++i) {
    const std::optional<TextLine> line = file.next();
    if (!line) return false;
    if (isDmigCard(line->text)) return true;
    const std::string_view text = trimmed(line->text);
    if (!text.empty() && numberIn(text.substr(0, text.find_first_of(" \t,;")))) return false;  // a matrix of numbers
  }
  return false;
}

MatrixFile readDmig(TextFile& file, const std::string& variable, const std::string& letter) {
  return DmigReader(file).read(variable, letter);
}

}  // namespace hyb::matrix_file
