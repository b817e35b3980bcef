#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "core/file_bytes.h"
#include "core/structure/matrix_file.h"
#include "core/words.h"

namespace hyb {
namespace {

using matrix_file::inQuotes;
using matrix_file::sizeFault;

constexpr std::size_t kMaxFaults = 10;

/// A file's text line by line, and the faults found in it.
class TextFile {
 public:
  explicit TextFile(const std::filesystem::path& file) : name_(file.string()) {
    std::optional<std::string> bytes = bytesOf(file);
    if (!bytes) fail(0, "cannot be read; check its permissions");
    text_ = std::move(*bytes);
    if (text_.starts_with("\xFE\xFF") || text_.starts_with("\xFF\xFE")) fail(0, "is UTF-16 text; save it as UTF-8");
    rest_ = text_;
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }

  /// The next line that is neither blank nor starts with `comment`, if there is one.
  std::optional<std::string_view> next(char comment) {
    while (!rest_.empty()) {
      ++line_;
      const std::size_t end = std::min(rest_.find_first_of("\r\n"), rest_.size());
      const std::string_view line = rest_.substr(0, end);
      rest_.remove_prefix(std::min(rest_.substr(end).starts_with("\r\n") ? end + 2 : end + 1, rest_.size()));
      if (std::any_of(line.begin(), line.end(),
                      [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t'; }))
        fail(line_, "holds binary data; give CSV text, Matrix Market (.mtx) or a MAT file");
      const std::size_t first = line.find_first_not_of(" \t");
      if (first != std::string_view::npos && line[first] != comment) return line;
    }
    return std::nullopt;
  }
  std::size_t line() const noexcept { return line_; }  // of the last next(), from 1

  void fault(std::size_t line, std::string message) {
    faults_.push_back({line == 0 ? name_ : name_ + ":" + std::to_string(line), std::move(message)});
    if (faults_.size() == kMaxFaults) throw InputError(faults_);
  }
  [[noreturn]] void fail(std::size_t line, std::string message) {
    fault(line, std::move(message));
    throw InputError(faults_);
  }
  void throwIfAny() const {
    if (!faults_.empty()) throw InputError(faults_);
  }

  /// A finite number; 0 and a fault otherwise.
  double number(std::string_view text);

 private:
  std::string name_, text_;
  std::string_view rest_;
  std::size_t line_ = 0;
  std::vector<Issue> faults_;
};

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The whole text as a number, finite or not.
std::optional<double> parseNumber(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
  // Too small is 0, too large is infinite; from_chars tells them apart no further.
  if (error == std::errc::result_out_of_range)
    return lowered(std::string(text)).find("e-") != std::string::npos ? 0.0 : HUGE_VAL;
  return value;
}

double TextFile::number(std::string_view text) {
  const std::optional<double> value = parseNumber(text);
  if (value && std::isfinite(*value)) return *value;
  if (value)
    fault(line_, inQuotes(text) + " is not a finite number; mend this entry");
  else if (text.empty())
    fault(line_, "has an empty entry; write 0 where nothing is");
  else if (std::string point(text); std::replace(point.begin(), point.end(), ',', '.'), parseNumber(point))
    fault(line_, inQuotes(text) + " has a decimal comma; write numbers with a point, as 0.5");
  else if (std::string e = lowered(std::string(text)); std::replace(e.begin(), e.end(), 'd', 'e'), parseNumber(e))
    fault(line_, inQuotes(text) + " has a Fortran exponent; write it with E, as 1.0E+03");
  else if (text.find_first_of(" \t") != std::string_view::npos)
    fault(line_, inQuotes(text) + " is not one number; use one separator throughout, and decimal points, not commas");
  else
    fault(line_, inQuotes(text) + " is not a number; write one, with a decimal point");
  return 0.0;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> result;
  for (text = trim(text); !text.empty(); text = trim(text)) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    result.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return result;
}

/// Fields of a CSV line, in quotes or not. One empty field after the last separator is no field.
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
      result.push_back(trim(text.substr(0, end)));
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

/// Labels in the order of the DOF; each may come once.
class Labels {
 public:
  explicit Labels(TextFile& file) : file_(file) {}
  void add(std::string_view label, std::size_t line) {
    const std::string dof = "DOF " + std::to_string(list.size() + 1);
    list.emplace_back(label);
    if (!isUtf8(label)) file_.fail(line, "labels " + dof + " in another encoding; save it as UTF-8");
    if (label.empty()) {
      file_.fault(line, "gives " + dof + " an empty label; name every DOF");
      return;
    }
    const auto [first, is_new] = seen_.emplace(label, dof + " on line " + std::to_string(line));
    if (!is_new)
      file_.fault(line, inQuotes(label) + " names " + dof + ", but already " + first->second +
                            "; give every DOF its own label");
  }
  std::vector<std::string> list;

 private:
  TextFile& file_;
  std::map<std::string, std::string> seen_;  // where each label stands
};

SparseMatrix assembled(Eigen::Index n, const std::vector<Eigen::Triplet<double>>& entries) {
  SparseMatrix matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

MatrixFile readCsv(TextFile& file) {
  std::optional<std::string_view> line = file.next('#');
  if (!line) file.fail(0, "holds no numbers; give a matrix with at least one DOF");
  const auto has = [&](char c) { return line->find(c) != std::string_view::npos; };
  const char separator = has(';') ? ';' : has('\t') ? '\t' : has(',') ? ',' : ' ';
  const auto isText = [](std::string_view field) {
    // "1,5" is a number of another country, "0.1.2" a slip: labels start with something else than digits.
    return !field.empty() && !parseNumber(field) && field.find_first_of("0123456789") != 0 &&
           field.find_first_of("+-.") != 0;
  };

  std::vector<std::string_view> row = fields(*line, separator);
  Labels columns(file), rows(file);
  bool row_labels = false;
  const std::size_t header_line = file.line();
  const bool header =
      std::any_of(row.begin() + 1, row.end(), isText) || (row.size() == 1 ? isText(row[0]) : row[0].empty());
  if (header) {
    const std::vector<std::string_view> names = row;
    if (!(line = file.next('#'))) file.fail(header_line, "is followed by no numbers; give the matrix");
    row = fields(*line, separator);
    row_labels = names[0].empty() || isText(row[0]) || row.size() == names.size() + 1;
    for (std::size_t i = row_labels && row.size() == names.size() ? 1 : 0; i < names.size(); ++i)
      columns.add(names[i], header_line);
  } else {
    row_labels = isText(row[0]);
  }

  const std::size_t first_line = file.line(), width = row.size(), skip = row_labels ? 1 : 0;
  if (width - skip > static_cast<std::size_t>(kMaxFileDofs))
    file.fail(first_line, sizeFault(static_cast<double>(width - skip), static_cast<double>(width - skip)));
  std::vector<Eigen::Triplet<double>> entries;
  std::size_t count = 0;
  for (; line; line = file.next('#'), ++count) {
    if (count > 0) row = fields(*line, separator);
    if (row.size() != width) {
      file.fault(file.line(), "has " + std::to_string(row.size()) + " entries, but line " + std::to_string(first_line) +
                                  " has " + std::to_string(width) +
                                  "; give every row the same number, with decimal points, not commas");
      continue;
    }
    if (row_labels) rows.add(row[0], file.line());
    if (row_labels && count < columns.list.size() && rows.list.back() != columns.list[count])
      file.fault(file.line(), "is labelled " + inQuotes(row[0]) + ", but column " + std::to_string(count + 1) + " is " +
                                  inQuotes(columns.list[count]) + "; rows and columns must come in the same order");
    if (count == width - skip)
      file.fail(file.line(), "is row " + std::to_string(count + 1) + " of a matrix with " + std::to_string(count) +
                                 " columns; give a square matrix, one row for each DOF");
    for (std::size_t j = skip; j < width; ++j)
      if (const double value = file.number(row[j]); value != 0.0)
        entries.emplace_back(static_cast<int>(count), static_cast<int>(j - skip), value);
  }
  file.throwIfAny();
  if (std::string fault = sizeFault(static_cast<double>(count), static_cast<double>(width - skip)); !fault.empty())
    file.fail(0, fault + (separator == ',' && width == 2 * count ? "; if these are decimal commas, write points" : ""));
  if (header && columns.list.size() != width - skip)
    file.fail(header_line, "has " + std::to_string(columns.list.size()) + " labels for " +
                               std::to_string(width - skip) + " columns; name every DOF once");
  return {assembled(static_cast<Eigen::Index>(count), entries), header ? columns.list : rows.list};
}

enum class Symmetry : unsigned char { general, symmetric, skew };
struct MarketFormat {
  bool coordinate = true, integer = false;
  Symmetry symmetry = Symmetry::general;
};

MarketFormat readMarketHeader(TextFile& file) {
  const std::string text = lowered(std::string(file.next('\0').value_or("")));
  const std::vector<std::string_view> head = words(text);
  if (head.size() != 5 || head[0] != "%%matrixmarket")
    file.fail(1, "is no Matrix Market header; begin with \"%%MatrixMarket matrix coordinate real symmetric\"");
  const auto refuse = [&](std::string_view word, const std::string& remedy) {
    file.fault(1, "says " + inQuotes(word) + "; " + remedy);
  };
  MarketFormat format;
  if (head[1] != "matrix") refuse(head[1], "only \"matrix\" is read");
  format.coordinate = head[2] == "coordinate";
  if (head[2] != "coordinate" && head[2] != "array") refuse(head[2], "write \"coordinate\" or \"array\"");
  format.integer = head[3] == "integer";
  if (head[3] == "complex")
    refuse(head[3], "matrices must be real; put hysteretic damping into C or the damping ratios");
  else if (head[3] == "pattern")
    refuse(head[3], "a pattern has no values; save the matrix with its numbers, as \"real\"");
  else if (head[3] != "real" && head[3] != "integer")
    refuse(head[3], "write \"real\" or \"integer\"");
  if (head[4] == "symmetric")
    format.symmetry = Symmetry::symmetric;
  else if (head[4] == "skew-symmetric")
    format.symmetry = Symmetry::skew;
  else if (head[4] != "general")
    refuse(head[4], "write \"general\", \"symmetric\" or \"skew-symmetric\"");
  file.throwIfAny();
  return format;
}

std::optional<long long> wholeNumber(std::string_view text) {
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

struct MarketEntry {
  int row, column;
  double value;
  std::size_t line;
};

/// Refuses what is given twice, also as mirror images, then mirrors.
SparseMatrix fromMarket(TextFile& file, Eigen::Index n, Symmetry symmetry, std::vector<MarketEntry>& entries) {
  const auto key = [&](const MarketEntry& e) {
    return symmetry == Symmetry::general ? std::pair(e.row, e.column) : std::minmax({e.row, e.column});
  };
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const MarketEntry& a, const MarketEntry& b) { return key(a) < key(b); });
  for (std::size_t i = 1; i < entries.size(); ++i)
    if (key(entries[i]) == key(entries[i - 1]))
      file.fault(entries[i].line, "gives entry (" + std::to_string(entries[i].row + 1) + ", " +
                                      std::to_string(entries[i].column + 1) + ") again after line " +
                                      std::to_string(entries[i - 1].line) + "; keep one, or add them up");
  file.throwIfAny();
  std::vector<Eigen::Triplet<double>> triplets;
  for (const MarketEntry& e : entries) {
    if (e.value == 0.0) continue;
    triplets.emplace_back(e.row, e.column, e.value);
    if (symmetry != Symmetry::general && e.row != e.column)
      triplets.emplace_back(e.column, e.row, symmetry == Symmetry::skew ? -e.value : e.value);
  }
  return assembled(n, triplets);
}

MatrixFile readMarket(TextFile& file) {
  const MarketFormat format = readMarketHeader(file);
  const std::optional<std::string_view> size_line = file.next('%');
  if (!size_line) file.fail(file.line(), "ends before the line of sizes; the file is cut off");
  const std::size_t size_at = file.line();
  std::vector<long long> sizes;
  for (const std::string_view word : words(*size_line))
    if (const std::optional<long long> size = wholeNumber(word); size && *size >= 0) sizes.push_back(*size);
  if (sizes.size() != words(*size_line).size() || sizes.size() != (format.coordinate ? 3u : 2u))
    file.fail(size_at, std::string("must give the sizes: rows, columns") +
                           (format.coordinate ? " and number of entries" : "") + ", whole numbers");
  if (std::string fault = sizeFault(static_cast<double>(sizes[0]), static_cast<double>(sizes[1])); !fault.empty())
    file.fail(size_at, fault);

  const long long n = sizes[0];
  const long long expected = format.coordinate                        ? sizes[2]
                             : format.symmetry == Symmetry::general   ? n * n
                             : format.symmetry == Symmetry::symmetric ? n * (n + 1) / 2
                                                                      : n * (n - 1) / 2;
  const std::string announced =
      std::to_string(expected) + (format.coordinate ? " entries that line " + std::to_string(size_at) + " announces"
                                                    : " values that this size needs");
  std::vector<MarketEntry> entries;
  long long count = 0;
  const auto value = [&](std::string_view word) {
    if (count++ == expected)
      file.fail(file.line(), "goes on after the " + announced + "; remove what is too much or mend the sizes");
    const double number = file.number(word);
    if (format.integer && number != std::floor(number))
      file.fault(file.line(), inQuotes(word) + " is not a whole number; write \"real\" in line 1");
    return number;
  };
  long long row = format.symmetry == Symmetry::skew ? 1 : 0, column = 0;  // of the next value of an array
  while (const std::optional<std::string_view> line = file.next('%')) {
    const std::vector<std::string_view> found = words(*line);
    if (format.coordinate) {
      if (found.size() != 3) {
        file.fault(file.line(), "has " + std::to_string(found.size()) + " words; write row, column and value");
        ++count;
        continue;
      }
      const std::optional<long long> i = wholeNumber(found[0]), j = wholeNumber(found[1]);
      const double v = value(found[2]);
      if (!i || !j || *i < 1 || *j < 1 || *i > n || *j > n)
        file.fault(file.line(), "places an entry at (" + inQuotes(found[0]) + ", " + inQuotes(found[1]) +
                                    "); indices run from 1 to " + std::to_string(n));
      else if (format.symmetry == Symmetry::skew && *i == *j && v != 0.0)
        file.fault(file.line(), "gives a diagonal entry; a skew-symmetric matrix has none");
      else
        entries.push_back({static_cast<int>(*i - 1), static_cast<int>(*j - 1), v, file.line()});
      continue;
    }
    for (const std::string_view word : found) {  // column after column
      entries.push_back({static_cast<int>(row), static_cast<int>(column), value(word), file.line()});
      if (++row == n) {
        ++column;
        row = format.symmetry == Symmetry::general ? 0 : format.symmetry == Symmetry::symmetric ? column : column + 1;
      }
    }
  }
  if (count < expected)
    file.fail(file.line(), "ends after " + std::to_string(count) + " of the " + announced + "; the file is cut off");
  file.throwIfAny();
  return {fromMarket(file, n, format.symmetry, entries), {}};
}

}  // namespace

MatrixFile matrix_file::readText(const std::filesystem::path& path) {
  std::string extension = lowered(path.extension().string());
  std::ifstream stream(path, std::ios::binary);
  std::string start(14, '\0');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  TextFile file(path);
  return extension == ".mtx" || lowered(start) == "%%matrixmarket" ? readMarket(file) : readCsv(file);
}

}  // namespace hyb
