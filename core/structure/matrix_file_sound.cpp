#include <hdf5.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

#include "core/structure/matrix_file.h"

namespace hyb {
namespace {

// --- Version 5: elements of tag (type, bytes) and content, some of them packed, some with elements inside ----------

constexpr std::uint32_t kUint32 = 6, kMatrix = 14, kPacked = 15;
constexpr int kMaxDepth = 50;
constexpr std::size_t kMaxInflated = std::size_t{1} << 30;

class Mat5 {
 public:
  explicit Mat5(std::string_view file) : little_(file[126] == 'I'), file_(file.substr(128)) {}

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

  /// Takes the first element, with the padding behind it; nothing if it does not fit.
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

  bool soundMatrix(std::string_view rest, int depth) const {
    if (rest.empty()) return true;  // an empty cell
    if (depth > kMaxDepth) return false;
    const std::size_t bytes = rest.size();
    const std::optional<Element> flags = take(rest), sizes = take(rest);
    if (!flags || flags->type != kUint32 || flags->content.size() != 8 || !sizes) return false;
    const std::uint32_t kind = word(flags->content, 0) & 0xFF;
    if (kind >= 1 && kind <= 3) {  // cells, structs, objects: every one takes space
      double count = 1.0;
      for (std::size_t i = 0; i < sizes->content.size() / 4; ++i) count *= word(sizes->content, i);
      if (count > static_cast<double>(bytes)) return false;
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
    if (result != Z_STREAM_END) return false;  // cut off, or its checksum is wrong
    std::string_view rest = content;
    const std::optional<Element> element = take(rest);
    return element && (element->type != kMatrix || soundMatrix(element->content, 0));
  }

  bool little_;
  std::string_view file_;
};

// --- Version 7.3: HDF5 ---------------------------------------------------------------------------------------------

/// HDF5 1.10 reads beyond its buffers where a file stores fewer bytes than a dataset has.
herr_t checkStorage(hid_t root, const char* name, const H5O_info_t* info, void*) {
  if (info->type != H5O_TYPE_DATASET) return 0;
  const hid_t set = H5Dopen2(root, name, H5P_DEFAULT);
  if (set < 0) return -1;
  const hid_t space = H5Dget_space(set), type = H5Dget_type(set), layout = H5Dget_create_plist(set);
  bool sound = space >= 0 && type >= 0 && layout >= 0;
  if (sound && H5Pget_layout(layout) == H5D_CONTIGUOUS) {
    const hsize_t stored = H5Dget_storage_size(set);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const std::size_t bytes = H5Tget_size(type);
    sound = count >= 0 && bytes > 0 && (stored == 0 || static_cast<hsize_t>(count) == stored / bytes);
  }
  if (layout >= 0) H5Pclose(layout);
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
  H5Dclose(set);
  return sound ? 0 : -1;
}

bool soundHdf5(const std::filesystem::path& path) {
  herr_t result = -1;
  H5E_BEGIN_TRY {
    if (const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT); file >= 0) {
      result = H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_NATIVE, checkStorage, nullptr, H5O_INFO_BASIC);
      H5Fclose(file);
    }
  }
  H5E_END_TRY
  return result >= 0;
}

}  // namespace

bool matrix_file::soundMat(const std::filesystem::path& path) {
  if (H5Fis_hdf5(path.c_str()) > 0) return soundHdf5(path);
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  return bytes.size() >= 128 && Mat5(bytes).sound();
}

}  // namespace hyb
