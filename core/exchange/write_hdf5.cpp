#include <algorithm>

#include "core/exchange/members.h"
#include "core/record/hdf5.h"

namespace hyb {
namespace {

constexpr hsize_t kChunkRows = 16384;

h5::Handle access() {
  h5::Handle list = h5::own(H5Pcreate(H5P_FILE_ACCESS), "HDF5");
  h5::check(H5Pset_libver_bounds(list, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18), "HDF5");
  h5::check(H5Pset_fclose_degree(list, H5F_CLOSE_STRONG), "HDF5");
  return list;
}

/// Shuffled and compressed; a deflate level above 1 buys nothing on measured data.
h5::Handle layout(std::uint64_t rows) {
  h5::Handle list = h5::own(H5Pcreate(H5P_DATASET_CREATE), "HDF5");
  if (rows == 0) return list;
  const hsize_t chunk = std::min<hsize_t>(kChunkRows, rows);
  h5::check(H5Pset_chunk(list, 1, &chunk), "HDF5");
  h5::check(H5Pset_shuffle(list), "HDF5");
  h5::check(H5Pset_deflate(list, 1), "HDF5");
  return list;
}

}  // namespace

/// A file that HDF5 1.8 and MATLAB before R2021b read: one dataset for each channel, and the time, with units, label
/// and description as attributes.
bool writeHdf5(const Table& table, const std::filesystem::path& file, const ExportOptions&,
               const ExchangeWatch& watch) {
  h5::prepare();
  try {
    const h5::Handle out =
        h5::own(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access()), "the file cannot be made");
    h5::setText(out, "title", table.title);
    for (const auto& [name, text] : table.facts) h5::setText(out, name.c_str(), text);
    const auto column = [&](const Channel& channel) {
      const hsize_t rows = table.rows;
      const h5::Handle space = h5::own(H5Screate_simple(1, &rows, nullptr), channel.name);
      h5::Handle made = h5::own(
          H5Dcreate2(out, channel.name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, layout(table.rows), H5P_DEFAULT),
          channel.name);
      std::string label = channel.name;
      std::ranges::replace(label, '_', ' ');
      h5::setText(made, "units", channel.units);
      h5::setText(made, "long_name", channel.units.empty() ? label : label + " (" + channel.units + ")");
      h5::setText(made, "description", channel.description);
      return made;
    };
    const auto put = [&](const h5::Handle& made, std::uint64_t first, const std::vector<double>& values) {
      const hsize_t start = first, length = values.size();
      const h5::Handle space = h5::own(H5Dget_space(made), "rows"),
                       memory = h5::own(H5Screate_simple(1, &length, nullptr), "rows");
      h5::check(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, nullptr, &length, nullptr), "rows");
      h5::check(H5Dwrite(made, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data()), "rows");
    };
    const std::size_t parts = table.channels.size() + 1;
    if (table.rate_hz > 0.0) {
      h5::setNumber(out, "rate_hz", table.rate_hz);
      const h5::Handle time = column({"time", "s", "time of the row"});
      if (!eachBlock(
              table, watch,
              [&](std::uint64_t first, std::uint64_t count) {
                std::vector<double> values;
                for (std::uint64_t row = first; row < first + count; ++row) values.push_back(table.time_s(row));
                put(time, first, values);
              },
              0, parts))
        return false;
    }
    for (std::size_t c = 0; c < table.channels.size(); ++c) {
      const h5::Handle made = column(table.channels[c]);
      if (!eachBlock(
              table, watch,
              [&](std::uint64_t first, std::uint64_t count) { put(made, first, table.read(c, first, count)); }, c + 1,
              parts))
        return false;
    }
    h5::check(H5Fflush(out, H5F_SCOPE_LOCAL), "the disk refuses it");
  } catch (const DeviceError& error) {
    refuseExport(error.what());
  }
  return true;
}

}  // namespace hyb
