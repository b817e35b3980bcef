#include <hdf5.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#include "core/structure/matrix_file_mat.h"

namespace hyb {
namespace {

using matrix_file::MatContent;
using matrix_file::MatVariable;
using matrix_file::Triplets;

constexpr std::size_t kMaxEntries = 50'000'000;  // of one dataset

/// Owns one identifier.
class Id {
 public:
  explicit Id(hid_t id) noexcept : id_(id) {}
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Id& operator=(Id&&) = delete;
  ~Id() {
    if (id_ >= 0) H5Idec_ref(id_);
  }
  operator hid_t() const noexcept { return id_; }
  bool valid() const noexcept { return id_ >= 0; }

 private:
  hid_t id_;
};

/// Keeps HDF5 from printing its errors in this thread.
class Quiet {
 public:
  Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// Attribute MATLAB_class: "double", "struct", ...; empty if there is none.
std::string className(hid_t object) {
  if (H5Aexists(object, "MATLAB_class") <= 0) return {};
  const Id attribute(H5Aopen(object, "MATLAB_class", H5P_DEFAULT));
  const Id type(H5Aget_type(attribute)), space(H5Aget_space(attribute));
  std::array<char, 64> text{};
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 || H5Tget_size(type) >= text.size() ||
      H5Sget_simple_extent_npoints(space) != 1)
    return {};
  const Id memory(H5Tcopy(H5T_C_S1));
  H5Tset_size(memory, text.size());
  if (H5Aread(attribute, memory, text.data()) < 0) return {};
  text.back() = '\0';
  return text.data();
}

/// Attribute MATLAB_sparse: the number of rows; nothing if the object is not a sparse matrix.
std::optional<std::size_t> sparseRows(hid_t object) {
  if (H5Aexists(object, "MATLAB_sparse") <= 0) return std::nullopt;
  const Id attribute(H5Aopen(object, "MATLAB_sparse", H5P_DEFAULT));
  const Id type(H5Aget_type(attribute)), space(H5Aget_space(attribute));
  std::uint64_t rows = 0;
  if (H5Tget_class(type) != H5T_INTEGER || H5Sget_simple_extent_npoints(space) != 1 ||
      H5Aread(attribute, H5T_NATIVE_UINT64, &rows) < 0)
    return std::nullopt;
  return rows;
}

std::size_t count(hid_t dataset) {
  const Id space(H5Dget_space(dataset));
  const hssize_t points = H5Sget_simple_extent_npoints(space);
  return points > 0 ? static_cast<std::size_t>(points) : 0;
}

/// Whether every chunk decompresses to the required size. All writers of MAT files use deflate with or without shuffle;
/// any other compression counts as damaged.
bool soundChunks(hid_t dataset, hid_t layout, std::size_t value_bytes) {
  std::array<hsize_t, 2> sides{1, 1}, offset{};
  const int rank = H5Pget_chunk(layout, 2, sides.data());
  const double chunk_values = static_cast<double>(sides[0]) * static_cast<double>(sides[1]);
  if (rank < 1 || rank > 2 || !(chunk_values >= 1.0 && chunk_values <= static_cast<double>(kMaxEntries))) return false;
  const std::size_t bytes = sides[0] * sides[1] * value_bytes;

  // Optional filters in this order: shuffle, deflate, checksum (verified by HDF5).
  constexpr std::size_t kChecksumBytes = 4;
  constexpr H5Z_filter_t kOrder[] = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32};
  const int filters = H5Pget_nfilters(layout);
  int packing = -1, checksum = -1;  // place among the filters
  std::size_t next = 0;
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0;
    std::size_t none = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(layout, static_cast<unsigned>(i), &flags, &none, nullptr, 0, nullptr, nullptr);
    while (next < std::size(kOrder) && kOrder[next] != filter) ++next;
    if (next++ == std::size(kOrder)) return false;
    if (filter == H5Z_FILTER_DEFLATE) packing = i;
    if (filter == H5Z_FILTER_FLETCHER32) checksum = i;
  }
  const bool packed = packing >= 0;

  const Id space(H5Dget_space(dataset));
  hsize_t chunks = 0;
  if (H5Dget_num_chunks(dataset, space, &chunks) < 0) return false;
  std::vector<Bytef> stored, unpacked(packed ? bytes : 0);
  for (hsize_t i = 0; i < chunks; ++i) {
    unsigned skipped = 0;  // filters not applied to this chunk
    haddr_t address = 0;
    hsize_t size = 0;
    if (H5Dget_chunk_info(dataset, space, i, offset.data(), &skipped, &address, &size) < 0) return false;
    const std::size_t behind = checksum >= 0 && (skipped >> checksum & 1U) == 0 ? kChecksumBytes : 0;
    if (!packed || (skipped >> packing & 1U) != 0) {
      if (size != bytes + behind) return false;
      continue;
    }
    if (size <= behind || size > 2 * bytes + 1000) return false;
    stored.resize(size);
    uLongf length = bytes;
    if (H5Dread_chunk(dataset, H5P_DEFAULT, offset.data(), &skipped, stored.data()) < 0 ||
        uncompress(unpacked.data(), &length, stored.data(), size - behind) != Z_OK || length != bytes)
      return false;
  }
  return true;
}

/// All values of a dataset of real numbers; nothing if its content is different or damaged. HDF5 1.10 reads beyond its
/// buffers if a file stores fewer bytes than the dataset needs, so this is checked first.
template <typename T>
std::optional<std::vector<T>> values(hid_t dataset, hid_t memory_type) {
  const Id type(H5Dget_type(dataset)), layout(H5Dget_create_plist(dataset));
  const std::size_t points = count(dataset), bytes = H5Tget_size(type);
  const H5T_class_t kind = H5Tget_class(type);
  if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || bytes == 0 || points > kMaxEntries) return std::nullopt;
  std::vector<T> result(points);
  if (points == 0) return result;
  if (H5Pget_layout(layout) == H5D_CHUNKED) {
    if (!soundChunks(dataset, layout, bytes)) return std::nullopt;
  } else if (H5Dget_storage_size(dataset) != points * bytes) {
    return std::nullopt;
  }
  if (H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.data()) < 0) return std::nullopt;
  return result;
}

/// Type of a dataset that is not a real matrix; empty if it may be one.
std::string obstacle(hid_t object, bool is_group) {
  static const std::map<std::string, std::string> words{
      {"struct", "a struct"}, {"cell", "a cell array"}, {"char", "text"}, {"function_handle", "a function"}};
  const std::string name = className(object);
  if (const auto word = words.find(name); word != words.end()) return word->second;
  if (is_group) return name.empty() ? "a struct" : "an object";
  if (H5Aexists(object, "MATLAB_empty") > 0) return "empty";
  const Id type(H5Dget_type(object)), space(H5Dget_space(object));
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_COMPOUND) return "complex";
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) return "an object";
  const int dimensions = H5Sget_simple_extent_ndims(space);
  return dimensions == 1 || dimensions == 2 ? "" : "an array with more than two dimensions";
}

/// A field of a struct is a dataset in a group: "FE.K" -> "FE/K".
std::string pathOf(std::string name) {
  std::replace(name.begin(), name.end(), '.', '/');
  return name;
}

MatVariable inspect(hid_t file, const std::string& name) {
  MatVariable variable;
  variable.name = name;
  const Id object(H5Oopen(file, pathOf(name).c_str(), H5P_DEFAULT));
  const H5I_type_t kind = object.valid() ? H5Iget_type(object) : H5I_BADID;
  if (kind != H5I_GROUP && kind != H5I_DATASET) {
    variable.obstacle = "damaged or unknown";
  } else if (const auto rows = sparseRows(object); kind == H5I_GROUP && rows) {
    const Id columns(H5Dopen2(object, "jc", H5P_DEFAULT));
    variable.sparse = true;
    variable.rows = *rows;
    variable.columns = columns.valid() ? std::max<std::size_t>(count(columns), 1) - 1 : 0;
  } else if (variable.obstacle = obstacle(object, kind == H5I_GROUP); variable.obstacle.empty()) {
    const Id space(H5Dget_space(object));
    std::array<hsize_t, 2> sizes{};
    const bool vector = H5Sget_simple_extent_dims(space, sizes.data(), nullptr) == 1;  // not by MATLAB
    variable.rows = vector ? sizes[0] : sizes[1];                                      // HDF5 lists columns first
    variable.columns = vector ? 1 : sizes[0];
  }
  return variable;
}

std::optional<Triplets> readFull73(hid_t file, const MatVariable& variable) {
  const Id dataset(H5Dopen2(file, pathOf(variable.name).c_str(), H5P_DEFAULT));
  const std::size_t rows = variable.rows;
  const auto all = dataset.valid() ? values<double>(dataset, H5T_NATIVE_DOUBLE) : std::nullopt;
  if (!all || all->size() != rows * variable.columns) return std::nullopt;
  Triplets entries;
  for (std::size_t i = 0; i < all->size(); ++i)
    if ((*all)[i] != 0.0) entries.emplace_back(static_cast<int>(i % rows), static_cast<int>(i / rows), (*all)[i]);
  return entries;
}

std::optional<Triplets> readSparse73(hid_t file, const MatVariable& variable) {
  const Id group(H5Gopen2(file, pathOf(variable.name).c_str(), H5P_DEFAULT));
  if (!group.valid()) return std::nullopt;
  const Id jc(H5Dopen2(group, "jc", H5P_DEFAULT));
  const auto starts = jc.valid() ? values<std::uint64_t>(jc, H5T_NATIVE_UINT64) : std::nullopt;
  if (!starts || starts->size() != variable.rows + 1) return std::nullopt;
  if (starts->back() == 0) return Triplets{};  // MATLAB omits the rest
  const Id ir(H5Dopen2(group, "ir", H5P_DEFAULT)), data(H5Dopen2(group, "data", H5P_DEFAULT));
  if (!ir.valid() || !data.valid()) return std::nullopt;
  const auto rows = values<std::uint64_t>(ir, H5T_NATIVE_UINT64);
  const auto entries = values<double>(data, H5T_NATIVE_DOUBLE);
  if (!rows || !entries) return std::nullopt;
  return matrix_file::fromColumns(variable.rows, *starts, *rows, std::min(rows->size(), entries->size()),
                                  [&](std::size_t i) { return (*entries)[i]; });
}

std::vector<std::string> namesIn73(hid_t group);

/// A variable and the fields of a struct.
void addVariables73(hid_t file, const std::string& name, int depth, std::vector<MatVariable>& variables) {
  if (variables.size() >= matrix_file::kMaxMatVariables) return;
  variables.push_back(inspect(file, name));
  if (variables.back().obstacle != "a struct" || depth == matrix_file::kDeepestField) return;
  const Id group(H5Gopen2(file, pathOf(name).c_str(), H5P_DEFAULT));
  if (!group.valid()) return;
  for (const std::string& field : namesIn73(group)) addVariables73(file, name + "." + field, depth + 1, variables);
}

herr_t addName(hid_t, const char* name, const H5L_info_t* info, void* names) {
  // "#refs#" and "#subsystem#" contain the data that cells and objects refer to.
  if (info->type == H5L_TYPE_HARD && name[0] != '#') static_cast<std::vector<std::string>*>(names)->push_back(name);
  return 0;
}

std::vector<std::string> namesIn73(hid_t group) {
  std::vector<std::string> names;
  if (H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, addName, &names) < 0) names.clear();
  return names;
}

}  // namespace

std::optional<MatContent> matrix_file::openMat73(const std::filesystem::path& path) {
  const Quiet quiet;
  const Id access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  const auto file = std::make_shared<Id>(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access));
  std::vector<std::string> names;
  if (!file->valid() || H5Literate(*file, H5_INDEX_NAME, H5_ITER_INC, nullptr, addName, &names) < 0)
    return std::nullopt;
  MatContent content;
  for (const std::string& name : names) addVariables73(*file, name, 0, content.variables);
  content.read = [file](const MatVariable& variable) {
    const Quiet also_here;
    return variable.sparse ? readSparse73(*file, variable) : readFull73(*file, variable);
  };
  content.text = [file](const MatVariable& variable) -> std::optional<std::string> {
    const Quiet also_here;
    const Id dataset(H5Dopen2(*file, pathOf(variable.name).c_str(), H5P_DEFAULT));
    if (!dataset.valid() || variable.obstacle != "text") return std::nullopt;
    const auto units = values<std::uint16_t>(dataset, H5T_NATIVE_UINT16);
    return units ? std::optional(matrix_file::utf8Of(*units)) : std::nullopt;
  };
  return content;
}

}  // namespace hyb
