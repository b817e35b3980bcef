#include "core/record/black_box.h"

#include <algorithm>
#include <vector>

#include "core/record/hdf5.h"
#include "core/record/run_file_tree.h"

namespace hyb {
namespace {

void copyTail(hid_t file, const std::string& path, hid_t box, hsize_t first, hsize_t count) {
  const std::string name = path.substr(path.find('/') + 1);
  const h5::Handle source = h5::openDataset(file, path);
  const h5::Handle type = h5::own(H5Dget_type(source), name);
  const h5::Handle space = h5::own(H5Dget_space(source), name);
  const h5::Handle memory = h5::own(H5Screate_simple(1, &count, nullptr), name);
  h5::check(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &count, nullptr), name);
  std::vector<char> bytes(static_cast<std::size_t>(count) * H5Tget_size(type));
  h5::check(H5Dread(source, type, memory, space, H5P_DEFAULT, bytes.data()), name);
  const h5::Handle copy = h5::own(
      H5Dcreate2(box, name.c_str(), type, memory, H5P_DEFAULT, h5::creation(H5P_DATASET_CREATE), H5P_DEFAULT), name);
  h5::check(H5Dwrite(copy, type, memory, H5S_ALL, H5P_DEFAULT, bytes.data()), name);
  h5::copyAttributes(source, copy);
  if (name != "tick") return;
  std::uint64_t last = 0;
  const hsize_t end = first + count - 1, one = 1;
  const h5::Handle single = h5::own(H5Screate_simple(1, &one, nullptr), name);
  h5::check(H5Sselect_hyperslab(space, H5S_SELECT_SET, &end, nullptr, &one, nullptr), name);
  h5::check(H5Dread(source, H5T_NATIVE_UINT64, single, space, H5P_DEFAULT, &last), name);
  h5::setNumber(box, "tick", last);
}

}  // namespace

void writeBlackBox(hid_t file, std::uint64_t total, std::uint64_t rows, const std::string& reason) {
  const hsize_t count = std::min(rows, total), first = total - count;
  if (count == 0) return;
  const h5::Handle box =
      h5::own(H5Gcreate2(file, "black_box", H5P_DEFAULT, h5::creation(H5P_GROUP_CREATE), H5P_DEFAULT), "the black box");
  h5::setText(box, "reason", reason);
  for (const std::string& path : rowColumns(file)) copyTail(file, path, box, first, count);
}

}  // namespace hyb
