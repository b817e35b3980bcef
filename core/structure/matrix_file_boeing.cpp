// Harwell-Boeing. Source: I. S. Duff, R. G. Grimes, J. G. Lewis, Users' guide for the Harwell-Boeing sparse matrix
// collection (1992).
#include <cctype>
#include <cmath>

#include "core/base/number_text.h"
#include "core/base/words.h"
#include "core/structure/matrix_file_text.h"

namespace hyb::matrix_file {
namespace {

constexpr std::size_t kBoeingHeader = 4;

/// Repeat count and width of a Fortran format: "(16I5)", "(1P,3E24.16)", "(3(E25.17))". Width 0: separated by blanks.
struct BoeingFormat {
  std::size_t per_line = 0, width = 0;
};
std::optional<BoeingFormat> boeingFormat(std::string_view text) {
  std::string plain;
  for (const char c : lowered(std::string(text)))
    if (c != ' ') plain += c;
  if (const std::size_t scale = plain.find('p');
      scale != std::string::npos)  // affects only numbers without an exponent
    plain.erase(1, scale + (plain.compare(scale + 1, 1, ",") == 0 ? 1 : 0));
  const auto numberAt = [&](std::size_t& at) {
    std::size_t number = 0, digits = 0;
    for (; at < plain.size() && std::isdigit(static_cast<unsigned char>(plain[at])) != 0 && digits < 6; ++at, ++digits)
      number = 10 * number + static_cast<std::size_t>(plain[at] - '0');
    return number;
  };
  if (!plain.starts_with('(')) return std::nullopt;
  std::size_t at = 1;
  std::size_t repeat = numberAt(at);
  if (at < plain.size() && plain[at] == '(') {
    ++at;
    repeat = std::max<std::size_t>(repeat, 1) * std::max<std::size_t>(numberAt(at), 1);
  }
  if (at == plain.size() || std::string_view("iedfg").find(plain[at]) == std::string_view::npos) return std::nullopt;
  ++at;
  return BoeingFormat{std::max<std::size_t>(repeat, 1), numberAt(at)};
}

class Boeing {
 public:
  explicit Boeing(TextFile& file) : file_(file) {}

  MatrixFile read() {
    std::vector<std::string_view> head;
    for (std::size_t i = 0; i < kBoeingHeader; ++i) head.push_back(line().text);
    const std::string type = lowered(std::string(head[2].substr(0, 3)));
    const std::vector<std::string_view> sizes = wordsOf(head[2].substr(3));
    const std::optional<long long> rows = sizes.size() < 3 ? std::nullopt : wholeNumber(sizes[0]),
                                   columns = rows ? wholeNumber(sizes[1]) : std::nullopt,
                                   count = columns ? wholeNumber(sizes[2]) : std::nullopt;
    if (!count || *rows < 0 || *columns < 0 || *count < 0)
      file_.fail(3, "must contain rows, columns and number of entries as whole numbers");
    if (type[0] != 'r' && type[0] != 'i')
      file_.fail(3, type[0] == 'c' ? "has type complex; matrices must be real"
                                   : "has type pattern; save the matrix with its numbers");
    if (type[2] != 'a') file_.fail(3, "holds single elements; save the assembled matrix");
    if (const std::string fault = sizeFault(static_cast<double>(*rows), static_cast<double>(*columns)); !fault.empty())
      file_.fail(3, fault);
    const std::optional<BoeingFormat> pointers = format(head[3], 0, 16), indices = format(head[3], 16, 16),
                                      values = format(head[3], 32, 20);
    const std::vector<std::string_view> cards = wordsOf(head[1]);
    if (cards.size() > 4 && cards[4] != "0") line();  // of right-hand sides, which are not used

    const std::vector<double> starts = take(*pointers, static_cast<std::size_t>(*columns) + 1, "column pointers");
    const std::vector<double> row_of = take(*indices, static_cast<std::size_t>(*count), "row indices");
    const std::size_t index_line = file_.line();
    const std::vector<double> value = take(*values, static_cast<std::size_t>(*count), "values");
    std::vector<Entry> entries;
    for (std::size_t j = 0; j + 1 < starts.size(); ++j) {
      const double begin = starts[j], end = starts[j + 1];
      if (!(begin >= 1.0 && end >= begin && end <= static_cast<double>(*count) + 1.0) || end != std::floor(end) ||
          begin != std::floor(begin))
        file_.fail(kBoeingHeader + 1,
                   "has pointers outside the entries, or in descending order; save the matrix again");
      for (auto k = static_cast<std::size_t>(begin) - 1; k + 1 < static_cast<std::size_t>(end); ++k) {
        if (!(row_of[k] >= 1.0 && row_of[k] <= static_cast<double>(*rows)) || row_of[k] != std::floor(row_of[k]))
          file_.fail(index_line, "places an entry in row " + std::to_string(row_of[k]) + "; rows run from 1 to " +
                                     std::to_string(*rows));
        entries.push_back({static_cast<int>(row_of[k]) - 1, static_cast<int>(j), value[k], index_line});
      }
    }
    if (entries.size() != static_cast<std::size_t>(*count))
      file_.fail(kBoeingHeader + 1, "refers to " + std::to_string(entries.size()) + " of " + std::to_string(*count) +
                                        " entries; save the matrix again");
    const Symmetry symmetry = type[1] == 's' || type[1] == 'h' ? Symmetry::symmetric
                              : type[1] == 'z'                 ? Symmetry::skew
                                                               : Symmetry::general;
    MatrixFile result;
    result.matrix = matrixOf(file_, *rows, symmetry, entries);
    return result;
  }

 private:
  TextLine line() {
    const std::optional<TextLine> next = file_.next();
    if (!next) file_.fail(file_.line(), "ends within a Harwell-Boeing matrix; the file is cut off");
    return *next;
  }
  std::optional<BoeingFormat> format(std::string_view text, std::size_t column, std::size_t width) {
    const std::string_view field = text.substr(std::min(column, text.size()), width);
    const std::optional<BoeingFormat> found = boeingFormat(trimmed(field));
    if (!found)
      file_.fail(kBoeingHeader, "contains the format " + excerpt(trimmed(field)) + ", which is not supported");
    return found;
  }
  /// Numbers in columns without a gap, or between blanks if the columns do not contain numbers.
  std::vector<double> take(const BoeingFormat& format, std::size_t count, const char* what) {
    std::vector<double> found;
    while (found.size() < count) {
      const TextLine row = line();
      const std::size_t before = found.size(), most = std::min(format.per_line, count - before);
      for (std::size_t i = 0; i < most && format.width > 0; ++i) {
        std::string_view field = trimmed(row.text.substr(std::min(i * format.width, row.text.size()), format.width));
        if (field.empty()) break;
        const std::optional<double> value = takeFortranNumber(field);
        if (!value || !field.empty()) {
          found.resize(before);
          break;
        }
        found.push_back(*value);
      }
      const bool whole =
          trimmed(row.text.substr(std::min((found.size() - before) * format.width, row.text.size()))).empty();
      if (found.size() == before || (!whole && found.size() < count)) {
        found.resize(before);
        for (std::string_view rest = row.text; !trimmed(rest).empty() && found.size() < count;) {
          const std::optional<double> value = takeFortranNumber(rest);
          if (!value) file_.fail(row.number, excerpt(trimmed(rest)) + " is not a number among the " + what);
          found.push_back(*value);
        }
      }
      for (std::size_t i = before; i < found.size(); ++i)
        if (!std::isfinite(found[i]))
          file_.fail(row.number, std::string("has a number that is not finite among the ") + what);
    }
    return found;
  }

  TextFile& file_;
};

}  // namespace

bool isBoeing(TextFile& file) {
  std::string type, formats;
  for (std::size_t i = 1; i <= kBoeingHeader; ++i) {
    const std::optional<TextLine> line = file.next();
    if (!line) return false;
    if (i == 3) type = lowered(std::string(line->text.substr(0, 4)));
    if (i == 4) formats = line->text;
  }
  const auto among = [&](std::size_t i, const char* letters) {
    return std::string_view(letters).find(type[i]) != std::string_view::npos;
  };
  return type.size() == 4 && among(0, "rcpi") && among(1, "suhzr") && among(2, "ae") && type[3] == ' ' &&
         trimmed(formats).starts_with('(');
}

MatrixFile readBoeing(TextFile& file) { return Boeing(file).read(); }

}  // namespace hyb::matrix_file
