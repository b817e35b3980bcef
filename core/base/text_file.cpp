#include "core/base/text_file.h"

#include <algorithm>

#include "core/base/file_bytes.h"

namespace hyb {

namespace {

constexpr std::size_t kMostFaults = 10;
constexpr char kCtrlZ = '\x1A';  // end of text files of DOS and of programs of that time

}  // namespace

TextFile::TextFile(std::string name, std::string bytes, std::string expected)
    : name_(std::move(name)), bytes_(std::move(bytes)), expected_(std::move(expected)) {
  if (std::string wide = wideTextFault(bytes_); !wide.empty()) fail(0, std::move(wide));
  text_ = bytes_;
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  using namespace std::string_view_literals;
  const std::size_t last = text_.find_last_not_of("\x1A\0 \t\r\n"sv);
  if (const std::size_t end = text_.find(kCtrlZ, last == std::string_view::npos ? 0 : last + 1);
      end != std::string_view::npos)
    text_ = text_.substr(0, end);
  rewind();
}

void TextFile::rewind() noexcept {
  rest_ = text_;
  line_ = 0;
}

std::optional<TextLine> TextFile::next() {
  if (rest_.empty()) return std::nullopt;
  ++line_;
  const std::size_t end = std::min(rest_.find_first_of("\r\n"), rest_.size());
  const std::string_view text = rest_.substr(0, end);
  rest_.remove_prefix(std::min(rest_.substr(end).starts_with("\r\n") ? end + 2 : end + 1, rest_.size()));
  if (std::any_of(text.begin(), text.end(),
                  [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\f'; }))
    fail(line_, "contains binary data; give " + expected_);
  return TextLine{line_, text};
}

std::optional<TextLine> TextFile::nextFilled(char comment) {
  while (const std::optional<TextLine> line = next())
    if (const std::string_view text = trimmed(line->text); !text.empty() && text.front() != comment) return line;
  return std::nullopt;
}

void TextFile::fault(std::size_t line, std::string message) {
  faults_.push_back({line == 0 ? name_ : name_ + ":" + std::to_string(line), std::move(message)});
  if (faults_.size() == kMostFaults) throw InputError(faults_);
}

void TextFile::fail(std::size_t line, std::string message) {
  fault(line, std::move(message));
  throw InputError(faults_);
}

void TextFile::throwIfAny() const {
  if (!faults_.empty()) throw InputError(faults_);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\f");
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(" \t\f") - first + 1);
}

std::vector<std::string_view> wordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const std::size_t end = std::min(text.find_first_of(" \t\f"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

std::string excerpt(std::string_view text) {
  std::string shown(text.substr(0, 40));
  std::replace_if(
      shown.begin(), shown.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
  return "\"" + shown + (text.size() > 40 ? "...\"" : "\"");
}

}  // namespace hyb
