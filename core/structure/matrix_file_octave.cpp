// Octave's text files, written by `save -text`.
#include <cmath>

#include "core/base/number_text.h"
#include "core/base/words.h"
#include "core/structure/matrix_file_text.h"

namespace hyb::matrix_file {
namespace {

constexpr int kDeepest = 20;  // structs in structs

/// A variable, or a field of a struct: "K", "FE.K".
struct OctaveVariable {
  std::string name, type, obstacle;
  std::size_t line = 0;  // of the first number
  long long rows = 0, columns = 0, entries = 0;
  bool by_columns = false;
};

bool ends(const std::string& text, std::string_view end) { return text.ends_with(end); }

class Octave {
 public:
  explicit Octave(TextFile& file) : file_(file) {}

  MatrixFile read(const std::string& asked, const std::string& letter) {
    advance();
    while (line_) variable("", 0);
    std::vector<NamedMatrix> list;
    for (const OctaveVariable& v : variables_)
      list.push_back({v.name, v.obstacle.empty() ? std::to_string(v.rows) + " x " + std::to_string(v.columns) +
                                                       (ends(v.type, "sparse matrix") ? " sparse" : "")
                                                 : v.obstacle});
    const OctaveVariable& v = variables_[choose(file_.name(), list, asked, letter)];
    const std::string subject = "variable " + excerpt(v.name) + " ";
    if (!v.obstacle.empty()) file_.fail(0, subject + "is " + v.obstacle + "; give a real matrix, full or sparse");
    const bool diagonal = isDiagonal(static_cast<std::size_t>(v.rows), static_cast<std::size_t>(v.columns));
    const long long n = diagonal ? std::max(v.rows, v.columns) : v.rows;
    if (const std::string fault = sizeFault(static_cast<double>(n), static_cast<double>(diagonal ? n : v.columns));
        !fault.empty())
      file_.fail(0, subject + fault);
    file_.rewind();
    std::optional<TextLine> row;
    while ((row = file_.next()) && row->number < v.line) {
    }
    std::vector<Entry> entries;
    const auto add = [&](long long i, long long j, double value) {
      if (diagonal) i = j = std::max(i, j);
      if (value != 0.0) entries.push_back({static_cast<int>(i), static_cast<int>(j), value, row->number});
    };
    const auto need = [&] {
      while (row && trimmed(row->text).empty()) row = file_.next();
      if (!row) file_.fail(file_.line(), "ends within " + subject + "; the file is incomplete");
    };
    if (v.type == "sparse matrix") {
      for (long long k = 0; k < v.entries; ++k, row = file_.next()) {
        need();
        const std::vector<std::string_view> items = wordsOf(row->text);
        const std::optional<long long> i = items.size() == 3 ? wholeNumber(items[0]) : std::nullopt,
                                       j = i ? wholeNumber(items[1]) : std::nullopt;
        if (!j || *i < 1 || *j < 1 || *i > v.rows || *j > v.columns)
          file_.fail(row->number, "must contain row, column and value of an entry of " + subject);
        add(*i - 1, *j - 1, entryNumber(file_, items[2]));
      }
    } else if (v.type == "diagonal matrix") {
      for (long long k = 0; k < n; ++k, row = file_.next()) {
        need();
        add(k, k, entryNumber(file_, trimmed(row->text)));
      }
    } else {
      for (long long k = 0; k < v.rows * v.columns; row = file_.next()) {
        need();
        for (const std::string_view item : wordsOf(row->text)) {
          if (k == v.rows * v.columns) file_.fail(row->number, "continues after the entries of " + subject);
          const double value = entryNumber(file_, item);
          v.by_columns ? add(k % v.rows, k / v.rows, value) : add(k / v.columns, k % v.columns, value);
          ++k;
        }
      }
    }
    file_.throwIfAny();
    MatrixFile result;
    result.matrix = matrixOf(file_, n, Symmetry::general, entries);
    if (diagonal) noteDiagonal(result);
    return result;
  }

 private:
  void advance() { line_ = file_.nextFilled('\0'); }
  /// "# rows: 3" -> "3", if the current line begins with it; the line is then consumed.
  std::optional<std::string> head(std::string_view key) {
    if (!line_) return std::nullopt;
    std::string_view text = trimmed(line_->text);
    if (!text.starts_with('#') && !text.starts_with('%')) return std::nullopt;
    text = trimmed(text.substr(1));
    if (!text.starts_with(key) || !text.substr(key.size()).starts_with(':')) return std::nullopt;
    std::string value(trimmed(text.substr(key.size() + 1)));
    advance();
    return value;
  }
  bool headAhead() const {
    return line_ && (trimmed(line_->text).front() == '#' || trimmed(line_->text).front() == '%');
  }
  long long count(std::string_view key) {
    const std::size_t at = line_ ? line_->number : file_.line();
    const std::optional<std::string> text = head(key);
    const std::optional<long long> value = text ? wholeNumber(*text) : std::nullopt;
    if (!value || *value < 0 || *value > 1'000'000'000)
      file_.fail(at, "does not contain \"# " + std::string(key) + ":\" with a whole number; save the file again");
    return *value;
  }

  /// Skips this number of variables inside another one.
  void inside(long long count, const std::string& prefix, int depth) {
    for (long long i = 0; i < count && line_; ++i) {
      while (line_ && !headAhead()) advance();
      variable(prefix, depth + 1);
    }
  }
  /// Skips one variable and its content; registers matrices.
  void variable(const std::string& prefix, int depth) {
    std::optional<std::string> name = head("name");
    if (!name) {
      advance();  // a comment, or numbers of the previous variable
      return;
    }
    if (depth > kDeepest) file_.fail(file_.line(), "is nested too deeply; save the matrix alone");
    OctaveVariable v;
    v.name = prefix + *name;
    const std::optional<std::string> type = head("type");
    if (!type) file_.fail(file_.line(), "does not contain the type of " + excerpt(v.name) + "; save the file again");
    v.type = *type;
    if (v.type == "scalar struct") {
      if (head("ndims")) advance();  // its sizes
      inside(count("length"), v.name + ".", depth);
      return;
    }
    const bool whole_numbers = ends(v.type, "int8 matrix") || ends(v.type, "int16 matrix") ||
                               ends(v.type, "int32 matrix") || ends(v.type, "int64 matrix");
    if (v.type == "matrix" || v.type == "float matrix" || whole_numbers) {
      if (const std::optional<std::string> ndims = head("ndims")) {
        const std::vector<std::string_view> sizes = line_ ? wordsOf(line_->text) : std::vector<std::string_view>{};
        if (*ndims == "2" && sizes.size() == 2) {
          v.rows = wholeNumber(sizes[0]).value_or(0);
          v.columns = wholeNumber(sizes[1]).value_or(0);
          v.by_columns = true;
        } else {
          v.obstacle = "an array with more than two dimensions";
        }
        advance();
      } else {
        v.rows = count("rows");
        v.columns = count("columns");
      }
    } else if (v.type == "sparse matrix") {
      v.entries = count("nnz");
      v.rows = count("rows");
      v.columns = count("columns");
    } else if (v.type == "diagonal matrix") {
      v.rows = count("rows");
      v.columns = count("columns");
      if (v.rows != v.columns) v.obstacle = "a diagonal matrix that is not square";
    } else if (v.type == "scalar" || v.type == "float scalar") {
      v.rows = v.columns = 1;
    } else {
      v.obstacle = v.type.find("complex") != std::string::npos ? "complex"
                   : ends(v.type, "string")                    ? "text"
                   : v.type == "cell"                          ? "a cell array"
                   : v.type == "struct"                        ? "an array of structs"
                                                               : "of type " + excerpt(v.type);
    }
    v.line = line_ ? line_->number : file_.line() + 1;
    if (hidden_ == 0) variables_.push_back(v);
    if (v.type != "cell" && v.type != "struct") return;
    ++hidden_;  // variables without a name of their own
    if (v.type == "cell") {
      const long long rows = count("rows");
      inside(rows * count("columns"), "", depth);
    } else {
      if (head("ndims")) advance();
      inside(count("length"), "", depth);
    }
    --hidden_;
  }

  TextFile& file_;
  std::optional<TextLine> line_;
  std::vector<OctaveVariable> variables_;
  int hidden_ = 0;  // depth of cells and arrays of structs
};

}  // namespace

bool isOctave(TextFile& file) {
  constexpr std::size_t kRemarks = 5;
  for (std::size_t i = 0; i < kRemarks; ++i) {
    const std::optional<TextLine> line = file.nextFilled('\0');
    if (!line) return false;
    const std::string_view text = trimmed(line->text);
    if (text.front() != '#' && text.front() != '%') return false;
    if (trimmed(text.substr(1)).starts_with("name:")) {
      const std::optional<TextLine> next = file.nextFilled('\0');
      return next && trimmed(trimmed(next->text).substr(1)).starts_with("type:");
    }
  }
  return false;
}

MatrixFile readOctave(TextFile& file, const std::string& variable, const std::string& letter) {
  return Octave(file).read(variable, letter);
}

}  // namespace hyb::matrix_file
