#include <zlib.h>

#include <algorithm>
#include <optional>

#include "core/base/file_bytes.h"
#include "core/structure/matrix_file_mat.h"

namespace hyb {
namespace {

constexpr std::uint32_t kInt32 = 5, kUint32 = 6, kMatrix = 14, kPacked = 15;
constexpr std::uint32_t kSparse = 5;  // class number
constexpr int kMaxDepth = 50;
constexpr std::size_t kMaxInflated = std::size_t{1} << 30;

/// Elements of a file: tag (type, bytes) and content. Some are compressed, some contain elements.
class Layout {
 public:
  explicit Layout(std::string_view file) : little_(file[126] == 'I'), file_(file.substr(128)) {}

  bool sound() const {
    for (std::string_view rest = file_; !rest.empty();) {
      if (rest.size() < 8 || word(rest, 1) > rest.size() - 8) return false;
      const std::string_view content = rest.substr(8, word(rest, 1));
      if (word(rest, 0) == kMatrix && !soundMatrix(content, 0)) return false;
      if (word(rest, 0) == kPacked && !soundPacked(content)) return false;
      rest.remove_prefix(8 + content.size());
    }
    return true;
  }

 private:
  struct Element {
    std::uint32_t type;
    std::string_view content;
  };

  std::uint32_t word(std::string_view bytes, std::size_t i) const noexcept {
    std::uint32_t value = 0;
    for (std::size_t b = 0; b < 4; ++b)
      value = value << 8 | static_cast<unsigned char>(bytes[4 * i + (little_ ? 3 - b : b)]);
    return value;
  }

  /// Takes the first element with the padding after it; nothing if it does not fit.
  std::optional<Element> take(std::string_view& rest) const {
    if (rest.size() < 8) return std::nullopt;
    const std::uint32_t first = word(rest, 0);
    if (first >> 16 != 0) {  // up to four bytes in the tag
      if (first >> 16 > 4) return std::nullopt;
      const Element element{first & 0xFFFF, rest.substr(4, first >> 16)};
      rest.remove_prefix(8);
      return element;
    }
    const std::size_t bytes = word(rest, 1), padded = (bytes + 7) / 8 * 8;
    if (bytes > rest.size() - 8) return std::nullopt;
    const Element element{first, rest.substr(8, bytes)};
    rest.remove_prefix(std::min(8 + padded, rest.size()));
    return element;
  }

  static bool indices(const Element& element) {
    return (element.type == kInt32 || element.type == kUint32) && element.content.size() % 4 == 0;
  }

  bool soundMatrix(std::string_view rest, int depth) const {
    if (rest.empty()) return true;  // an empty cell
    if (depth > kMaxDepth) return false;
    const std::size_t bytes = rest.size();
    const std::optional<Element> flags = take(rest), sizes = take(rest);
    if (!flags || flags->type != kUint32 || flags->content.size() != 8 || !sizes) return false;
    const std::uint32_t kind = word(flags->content, 0) & 0xFF;
    if (kind >= 1 && kind <= 3) {  // cells, structs, objects; each element needs space
      double count = 1.0;
      for (std::size_t i = 0; i < sizes->content.size() / 4; ++i) count *= word(sizes->content, i);
      if (count > static_cast<double>(bytes)) return false;
    }
    if (kind == kSparse) {  // matio reads four bytes per index, whatever type is announced
      const std::optional<Element> name = take(rest), rows = take(rest), columns = take(rest);
      if (!name || !rows || !columns || !indices(*rows) || !indices(*columns)) return false;
    }
    while (!rest.empty()) {
      const std::optional<Element> element = take(rest);
      if (!element || (element->type == kMatrix && !soundMatrix(element->content, depth + 1))) return false;
    }
    return true;
  }

  bool soundPacked(std::string_view packed) const {
    std::string content;
    z_stream stream{};
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    if (inflateInit(&stream) != Z_OK) return false;
    int result = Z_OK;
    while (result == Z_OK && content.size() < kMaxInflated) {
      const std::size_t done = content.size();
      content.resize(std::max<std::size_t>(2 * done, 1u << 16));
      stream.next_out = reinterpret_cast<Bytef*>(content.data() + done);
      stream.avail_out = static_cast<uInt>(content.size() - done);
      result = inflate(&stream, Z_NO_FLUSH);
      content.resize(content.size() - stream.avail_out);
    }
    inflateEnd(&stream);
    if (result != Z_STREAM_END) return false;  // incomplete, or wrong checksum
    std::string_view rest = content;
    const std::optional<Element> element = take(rest);
    return element && (element->type != kMatrix || soundMatrix(element->content, 0));
  }

  bool little_;
  std::string_view file_;
};

}  // namespace

bool matrix_file::soundMat5(const std::filesystem::path& path) {
  const std::optional<std::string> bytes = bytesOf(path);
  return bytes && bytes->size() >= 128 && Layout(*bytes).sound();
}

}  // namespace hyb
