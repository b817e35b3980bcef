#include <algorithm>
#include <map>

#include "core/base/number_text.h"
#include "core/base/words.h"
#include "core/structure/matrix_file_text.h"

namespace hyb::matrix_file {
namespace {

/// Fields of a CSV line, with or without quotes. An empty field after the last separator is ignored.
std::vector<std::string_view> fields(std::string_view text, char separator) {
  const std::string_view blanks = separator == '\t' ? " " : " \t";  // around fields
  const auto skipBlanks = [&](std::size_t at) { return std::min(text.find_first_not_of(blanks, at), text.size()); };
  const auto ends = [&](std::size_t at) {
    return at == text.size() || text[at] == separator || (separator == ' ' && text[at] == '\t');
  };
  std::vector<std::string_view> result;
  for (;;) {
    text.remove_prefix(skipBlanks(0));
    const std::size_t close = text.starts_with('"') ? text.find('"', 1) : std::string_view::npos;
    std::size_t end = 0;
    if (close != std::string_view::npos && (ends(close + 1) || ends(skipBlanks(close + 1)))) {
      result.push_back(text.substr(1, close - 1));
      end = skipBlanks(close + 1);
    } else {
      while (!ends(end)) ++end;
      result.push_back(trimmed(text.substr(0, end)));
    }
    if (separator == ' ') end = skipBlanks(end);
    if (end == text.size()) break;
    text.remove_prefix(separator == ' ' ? end : end + 1);
  }
  if (result.size() > 1 && result.back().empty()) result.pop_back();
  return result;
}

bool isUtf8(std::string_view text) {
  std::size_t following = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (following > 0 ? (byte & 0xC0) != 0x80 : (byte & 0xC0) == 0x80 || byte > 0xF4) return false;
    following = following > 0 ? following - 1 : byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : byte >= 0xC0 ? 1 : 0;
  }
  return following == 0;
}

/// Labels in the order of the DOF; each is unique.
class Labels {
 public:
  explicit Labels(TextFile& file) : file_(file) {}
  void add(std::string_view label, std::size_t line) {
    const std::string dof = "DOF " + std::to_string(list.size() + 1);
    list.emplace_back(label);
    if (!isUtf8(label)) file_.fail(line, "contains a label of " + dof + " in another encoding; save it as UTF-8");
    if (label.empty()) {
      file_.fault(line, "gives " + dof + " an empty label; name every DOF");
      return;
    }
    const auto [first, is_new] = seen_.emplace(label, dof + " on line " + std::to_string(line));
    if (!is_new)
      file_.fault(line, excerpt(label) + " is the label of " + dof + ", but already of " + first->second +
                            "; give every DOF its own label");
  }
  std::vector<std::string> list;

 private:
  TextFile& file_;
  std::map<std::string, std::string> seen_;  // place of each label
};

char separatorIn(std::string_view line) {
  for (const char separator : {';', '\t', ','})
    if (line.find(separator) != std::string_view::npos) return separator;
  return ' ';
}

/// Entries of a file, with decimal points, or with decimal commas if commas are not separators.
class Numbers {
 public:
  Numbers(TextFile& file, char separator) : file_(file), separator_(separator) {}
  double operator()(std::string_view field) {
    const bool comma = separator_ != ',' && numberIn(field, ',') && field.find(',') != std::string_view::npos;
    commas_ = commas_ || comma;
    points_ = points_ || field.find('.') != std::string_view::npos;
    if (commas_ && points_)
      file_.fail(file_.line(), "mixes decimal points and decimal commas; write all numbers with a point");
    return entryNumber(file_, field, comma ? ',' : '.');
  }

 private:
  TextFile& file_;
  char separator_;
  bool commas_ = false, points_ = false;
};

/// True for row, column and value at the head of a list.
bool isListHead(const std::vector<std::string_view>& names) {
  if (names.size() != 3) return false;
  const auto is = [&](std::size_t i, const std::vector<std::string>& words) {
    return std::find(words.begin(), words.end(), lowered(std::string(names[i]))) != words.end();
  };
  return is(0, {"row", "i", "zeile"}) && is(1, {"col", "column", "j", "spalte"}) &&
         is(2, {"value", "val", "v", "entry", "wert"});
}

}  // namespace

bool isList(TextFile& file) {
  std::optional<TextLine> line = file.nextFilled('#');
  if (!line) return false;
  const char separator = separatorIn(line->text);
  if (isListHead(fields(line->text, separator))) return true;
  // Without a head: three columns that are not a square matrix and contain every diagonal entry.
  std::size_t lines = 0;
  long long size = 0;
  std::vector<bool> diagonal;
  for (; line; line = file.nextFilled('#'), ++lines) {
    const std::vector<std::string_view> row = fields(line->text, separator);
    if (row.size() != 3) return false;
    const std::optional<long long> i = wholeNumber(row[0]), j = wholeNumber(row[1]);
    if (!i || !j || std::min(*i, *j) < 1 || std::max(*i, *j) > kMaxFileDofs) return false;
    size = std::max({size, *i, *j});
    diagonal.resize(static_cast<std::size_t>(size), false);
    if (*i == *j) diagonal[static_cast<std::size_t>(*i - 1)] = true;
  }
  return lines != 1 && lines != 3 && std::find(diagonal.begin(), diagonal.end(), false) == diagonal.end();
}

MatrixFile readList(TextFile& file) {
  std::optional<TextLine> line = file.nextFilled('#');
  const char separator = separatorIn(line->text);
  Numbers number(file, separator);
  if (isListHead(fields(line->text, separator))) line = file.nextFilled('#');
  if (!line) file.fail(file.line(), "is followed by no numbers; give row, column and value of each entry");
  std::vector<Entry> entries;
  long long size = 1;
  for (; line; line = file.nextFilled('#')) {
    const std::vector<std::string_view> row = fields(line->text, separator);
    if (row.size() != 3) {
      file.fault(line->number, "has " + std::to_string(row.size()) + " entries; write row, column and value");
      continue;
    }
    const std::optional<long long> i = wholeNumber(row[0]), j = wholeNumber(row[1]);
    const double value = number(row[2]);
    if (!i || !j || std::min(*i, *j) < 1 || std::max(*i, *j) > kMaxFileDofs) {
      file.fault(line->number, "places an entry at (" + excerpt(row[0]) + ", " + excerpt(row[1]) +
                                   "); indices run from 1 to at most " + std::to_string(kMaxFileDofs));
      continue;
    }
    size = std::max({size, *i, *j});
    entries.push_back({static_cast<int>(*i - 1), static_cast<int>(*j - 1), value, line->number});
  }
  file.throwIfAny();
  MatrixFile result;
  const Symmetry symmetry = trianglesOf(entries);
  result.matrix = matrixOf(file, static_cast<Eigen::Index>(size), symmetry, entries);
  noteTriangle(result, symmetry);
  return result;
}

MatrixFile readCsv(TextFile& file) {
  std::optional<TextLine> line = file.nextFilled('#');
  if (!line) file.fail(0, "holds no numbers; give a matrix with at least one DOF");
  const char separator = separatorIn(line->text);
  Numbers number(file, separator);
  const auto isText = [](std::string_view field) {
    // "1,5" is a number with a decimal comma, "0.1.2" an error: labels do not start with a digit.
    return !field.empty() && !numberIn(field) && field.find_first_of("0123456789") != 0 &&
           field.find_first_of("+-.") != 0;
  };

  std::vector<std::string_view> row = fields(line->text, separator);
  Labels columns(file), rows(file);
  bool row_labels = false;
  const std::size_t header_line = file.line();
  const bool header =
      std::any_of(row.begin() + 1, row.end(), isText) || (row.size() == 1 ? isText(row[0]) : row[0].empty());
  if (header) {
    const std::vector<std::string_view> names = row;
    if (!(line = file.nextFilled('#'))) file.fail(header_line, "is followed by no numbers; give the matrix");
    row = fields(line->text, separator);
    row_labels = names[0].empty() || isText(row[0]) || row.size() == names.size() + 1;
    for (std::size_t i = row_labels && row.size() == names.size() ? 1 : 0; i < names.size(); ++i)
      columns.add(names[i], header_line);
  } else {
    row_labels = isText(row[0]);
  }

  const std::size_t first_line = file.line(), width = row.size(), skip = row_labels ? 1 : 0, across = width - skip;
  if (across > static_cast<std::size_t>(kMaxFileDofs))
    file.fail(first_line, sizeFault(static_cast<double>(across), static_cast<double>(across)));
  const bool column_alone = across == 1;  // in one column: the diagonal
  std::vector<Eigen::Triplet<double>> entries;
  std::size_t count = 0;
  for (; line; line = file.nextFilled('#'), ++count) {
    if (count > 0) row = fields(line->text, separator);
    if (row.size() != width) {
      file.fault(file.line(), "has " + std::to_string(row.size()) + " entries, but line " + std::to_string(first_line) +
                                  " has " + std::to_string(width) +
                                  "; give every row the same number, with decimal points, not commas");
      continue;
    }
    if (row_labels) rows.add(row[0], file.line());
    if (row_labels && !column_alone && count < columns.list.size() && rows.list.back() != columns.list[count])
      file.fault(file.line(), "is labelled " + excerpt(row[0]) + ", but column " + std::to_string(count + 1) + " is " +
                                  excerpt(columns.list[count]) + "; rows and columns must come in the same order");
    if (count == (column_alone ? static_cast<std::size_t>(kMaxFileDofs) : across))
      file.fail(file.line(), "is row " + std::to_string(count + 1) + " of a matrix with " + std::to_string(count) +
                                 " columns; give a square matrix, one row for each DOF");
    for (std::size_t j = skip; j < width; ++j)
      if (const double value = number(row[j]); value != 0.0)
        entries.emplace_back(static_cast<int>(count), static_cast<int>(column_alone ? count : j - skip), value);
  }
  file.throwIfAny();
  const bool diagonal = isDiagonal(count, across);
  if (diagonal && count == 1)
    for (Eigen::Triplet<double>& entry : entries) entry = {entry.col(), entry.col(), entry.value()};
  const std::size_t n = diagonal ? std::max(count, across) : count;
  if (std::string fault = sizeFault(static_cast<double>(n), static_cast<double>(diagonal ? n : across)); !fault.empty())
    file.fail(0, fault + (separator == ',' && width == 2 * count ? "; if these are decimal commas, write points" : ""));
  const bool title = diagonal && column_alone && columns.list.size() == 1;  // the title of the column, not a DOF
  if (header && !title && columns.list.size() != across)
    file.fail(header_line, "has " + std::to_string(columns.list.size()) + " labels for " + std::to_string(across) +
                               " columns; name every DOF once");
  MatrixFile result;
  result.matrix.resize(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  result.matrix.setFromTriplets(entries.begin(), entries.end());
  result.labels = header && !title ? columns.list : rows.list;
  if (result.labels.size() != n) result.labels.clear();  // a label of a single row is not the name of a DOF
  if (diagonal) noteDiagonal(result);
  return result;
}

}  // namespace hyb::matrix_file
