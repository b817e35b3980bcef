#pragma once
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "core/project/project.h"
#include "core/record/held_file.h"

/// Functions to write and read study files. Used only in core/study.
namespace hyb {

struct Words {
  std::string units, long_name, description;
};

/// Groups, columns and documents of a study file, each with its description.
class Tree {
 public:
  static constexpr std::size_t kLongestText = 1000;  // bytes
  /// A new file.
  explicit Tree(const h5::HeldFile& held) : file(held.makeHdf5(h5::creation(H5P_FILE_CREATE))) {}
  /// A file that is already open and remains open.
  explicit Tree(hid_t open) : file(open) { H5Iinc_ref(open); }
  h5::Handle group(const std::string& name) {
    return h5::own(H5Gcreate2(file, name.c_str(), H5P_DEFAULT, h5::creation(H5P_GROUP_CREATE), H5P_DEFAULT), name);
  }
  /// Links are stored in a tree, for as many runs as a study has.
  h5::Handle largeGroup(const std::string& name) {
    return h5::own(H5Gcreate2(file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), name);
  }
  h5::Handle column(hid_t parent, const std::string& name, hid_t file_type, hid_t memory_type, const void* values,
                    std::size_t count, const Words& words) {
    const hsize_t length = count;
    const h5::Handle space = h5::own(H5Screate_simple(1, &length, nullptr), name);
    h5::Handle set = h5::own(
        H5Dcreate2(parent, name.c_str(), file_type, space, H5P_DEFAULT, h5::creation(H5P_DATASET_CREATE), H5P_DEFAULT),
        name);
    if (count > 0) h5::check(H5Dwrite(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), name);
    h5::setText(set, "units", words.units);
    h5::setText(set, "long_name", words.long_name);
    h5::setText(set, "description", words.description);
    return set;
  }
  h5::Handle numbers(hid_t parent, const std::string& name, const std::vector<double>& values, const Words& words) {
    return column(parent, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.data(), values.size(), words);
  }
  h5::Handle texts(hid_t parent, const std::string& name, const std::vector<std::string>& values, const Words& words) {
    std::size_t width = 1;
    for (const std::string& value : values) width = std::max(width, std::min(value.size(), kLongestText) + 1);
    std::string bytes(width * values.size(), '\0');
    for (std::size_t i = 0; i < values.size(); ++i)
      std::copy_n(values[i].begin(), std::min(values[i].size(), width - 1), bytes.data() + i * width);
    const h5::Handle type = h5::stringType(width, H5T_CSET_UTF8);
    return column(parent, name, type, type, bytes.data(), values.size(), words);
  }
  void document(hid_t parent, const std::string& name, const Json& json, const char* description) {
    const std::string text = json.dump(2, ' ', true, Json::error_handler_t::replace);
    const h5::Handle type = h5::stringType(text.size() + 1, H5T_CSET_ASCII);
    const h5::Handle set = h5::own(H5Dcreate2(parent, name.c_str(), type, h5::own(H5Screate(H5S_SCALAR), name),
                                              H5P_DEFAULT, h5::creation(H5P_DATASET_CREATE), H5P_DEFAULT),
                                   name);
    h5::check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()), name);
    h5::setText(set, "description", description);
    h5::setText(set, "media_type", "application/json");
  }
  h5::Handle file;
};

inline std::string labelled(std::string name, const std::string& units) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return units.empty() ? name : name + " (" + units + ")";
}

inline std::vector<std::string> readTexts(hid_t file, const std::string& name) {
  const h5::Handle set = h5::own(H5Dopen2(file, name.c_str(), H5P_DEFAULT), "no dataset " + name);
  const h5::Handle type = h5::own(H5Dget_type(set), name);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0)
    throw DeviceError("dataset " + name + " holds no text of fixed length");
  const std::size_t width = H5Tget_size(type), count = static_cast<std::size_t>(h5::size(set));
  std::string bytes(width * count, '\0');
  if (count > 0) h5::check(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), name);
  std::vector<std::string> list;
  for (std::size_t i = 0; i < count; ++i)
    list.emplace_back(bytes.data() + i * width, strnlen(bytes.data() + i * width, width));
  return list;
}

template <typename T>
std::vector<T> readNumbers(hid_t file, const std::string& name) {
  const h5::Handle set = h5::own(H5Dopen2(file, name.c_str(), H5P_DEFAULT), "no dataset " + name);
  std::vector<T> values(static_cast<std::size_t>(h5::size(set)));
  if (!values.empty()) h5::check(H5Dread(set, h5::memoryType<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), name);
  return values;
}

}  // namespace hyb
