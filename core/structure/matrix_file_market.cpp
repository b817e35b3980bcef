#include <cmath>

#include "core/base/words.h"
#include "core/structure/matrix_file_text.h"

namespace hyb::matrix_file {
namespace {

struct MarketFormat {
  bool coordinate = true, integer = false;
  Symmetry symmetry = Symmetry::general;
};

MarketFormat readMarketHeader(TextFile& file) {
  const std::string text = lowered(std::string(file.nextFilled('\0').value_or(TextLine{}).text));
  const std::vector<std::string_view> head = wordsOf(text);
  if (head.size() != 5 || head[0] != "%%matrixmarket")
    file.fail(1,
              "is not a Matrix Market header; begin the file with \"%%MatrixMarket matrix coordinate real symmetric\"");
  const auto refuse = [&](std::string_view word, const std::string& remedy) {
    file.fault(1, "says " + excerpt(word) + "; " + remedy);
  };
  MarketFormat format;
  if (head[1] != "matrix") refuse(head[1], "only \"matrix\" is supported");
  format.coordinate = head[2] == "coordinate";
  if (head[2] != "coordinate" && head[2] != "array") refuse(head[2], "write \"coordinate\" or \"array\"");
  format.integer = head[3] == "integer";
  if (head[3] == "complex")
    refuse(head[3], "matrices must be real; describe hysteretic damping by C or damping ratios");
  else if (head[3] == "pattern")
    refuse(head[3], "a pattern has no values; save the matrix with its numbers, as \"real\"");
  else if (head[3] != "real" && head[3] != "double" && head[3] != "integer")
    refuse(head[3], "write \"real\" or \"integer\"");
  if (head[4] == "symmetric" || head[4] == "hermitian")  // identical for real entries
    format.symmetry = Symmetry::symmetric;
  else if (head[4] == "skew-symmetric")
    format.symmetry = Symmetry::skew;
  else if (head[4] != "general")
    refuse(head[4], "write \"general\", \"symmetric\" or \"skew-symmetric\"");
  file.throwIfAny();
  return format;
}

}  // namespace

bool isMarket(TextFile& file) {
  const std::optional<TextLine> line = file.next();
  return line && lowered(std::string(line->text)).starts_with("%%matrixmarket");
}

MatrixFile readMarket(TextFile& file) {
  const MarketFormat format = readMarketHeader(file);
  const std::optional<TextLine> size_line = file.nextFilled('%');
  if (!size_line) file.fail(file.line(), "ends before the size line; the file is incomplete");
  const std::size_t size_at = file.line();
  std::vector<long long> sizes;
  for (const std::string_view word : wordsOf(size_line->text))
    if (const std::optional<long long> size = wholeNumber(word); size && *size >= 0) sizes.push_back(*size);
  if (sizes.size() != wordsOf(size_line->text).size() || sizes.size() != (format.coordinate ? 3u : 2u))
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
  std::vector<Entry> entries;
  long long count = 0;
  const auto value = [&](std::string_view word) {
    if (count++ == expected)
      file.fail(file.line(), "continues after the " + announced + "; remove the surplus or correct the sizes");
    const double number = entryNumber(file, word);
    if (format.integer && number != std::floor(number))
      file.fault(file.line(), excerpt(word) + " is not a whole number; write \"real\" in line 1");
    return number;
  };
  long long row = format.symmetry == Symmetry::skew ? 1 : 0, column = 0;  // of the next value of an array
  while (const std::optional<TextLine> line = file.nextFilled('%')) {
    const std::vector<std::string_view> found = wordsOf(line->text);
    if (format.coordinate) {
      if (found.size() != 3) {
        file.fault(file.line(), "has " + std::to_string(found.size()) + " words; write row, column and value");
        ++count;
        continue;
      }
      const std::optional<long long> i = wholeNumber(found[0]), j = wholeNumber(found[1]);
      const double v = value(found[2]);
      if (!i || !j || *i < 1 || *j < 1 || *i > n || *j > n)
        file.fault(file.line(), "places an entry at (" + excerpt(found[0]) + ", " + excerpt(found[1]) +
                                    "); indices run from 1 to " + std::to_string(n));
      else if (format.symmetry == Symmetry::skew && *i == *j && v != 0.0)
        file.fault(file.line(), "gives a diagonal entry; a skew-symmetric matrix has none");
      else
        entries.push_back({static_cast<int>(*i - 1), static_cast<int>(*j - 1), v, file.line()});
      continue;
    }
    for (const std::string_view word : found) {  // column by column
      entries.push_back({static_cast<int>(row), static_cast<int>(column), value(word), file.line()});
      if (++row == n) {
        ++column;
        row = format.symmetry == Symmetry::general ? 0 : format.symmetry == Symmetry::symmetric ? column : column + 1;
      }
    }
  }
  if (count < expected)
    file.fail(file.line(), "ends after " + std::to_string(count) + " of the " + announced + "; the file is incomplete");
  file.throwIfAny();
  MatrixFile result;
  result.matrix = matrixOf(file, n, format.symmetry, entries);
  return result;
}

}  // namespace hyb::matrix_file
