#include <algorithm>
#include <array>
#include <stdexcept>

#include "core/base/error.h"
#include "core/base/file_bytes.h"
#include "core/base/words.h"
#include "core/exchange/writers.h"

namespace hyb {
namespace {

constexpr std::array kFormats{
    ExchangeFormat{"csv", ".csv", "Comma-separated values", writeCsv},
    ExchangeFormat{"mat", ".mat", "MATLAB 5", writeMat5},
    ExchangeFormat{"mat73", ".mat", "MATLAB 7.3 (HDF5)", writeMat73},
    ExchangeFormat{"uff", ".uff", "Universal file 58, binary", writeUffBinary},
    ExchangeFormat{"uff-text", ".uff", "Universal file 58, text", writeUffText},
    ExchangeFormat{"npz", ".npz", "NumPy archive", writeNpz},
    ExchangeFormat{"hdf5", ".h5", "HDF5, compressed, for readers of version 1.8", writeHdf5},
};

class RefusedExport : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const ExchangeFormat& format : kFormats) all.emplace_back(format.name);
  return all;
}

}  // namespace

std::span<const ExchangeFormat> exchangeFormats() noexcept { return kFormats; }

const ExchangeFormat& exchangeFormat(const std::string& name, const std::filesystem::path& file) {
  const std::string suffix = lowered(file.extension().string());
  const auto found = std::ranges::find_if(
      kFormats, [&](const ExchangeFormat& one) { return name.empty() ? one.suffix == suffix : one.name == name; });
  if (found != kFormats.end()) return *found;
  std::string all;
  for (const ExchangeFormat& format : kFormats) all += (all.empty() ? "" : ", ") + std::string(format.name);
  if (name.empty())
    throw InputError(file.string(),
                     "has a name that tells no format; end it with .csv, .mat, .uff, .npz or .h5, or "
                     "give the format: " +
                         all + ".");
  throw InputError(name, "is not a format that can be written. " + hint(name, names()) + "Formats: " + all + ".");
}

bool exportTable(const Table& table, const std::filesystem::path& file, const ExchangeFormat& format,
                 const ExportOptions& options, const ExchangeWatch& watch) {
  return replaceFile(file, [&](const std::filesystem::path& beside) {
    try {
      return format.write(table, beside, options, watch);
    } catch (const RefusedExport& refused) {
      throw DeviceError(file.string() + ": cannot be written: " + refused.what() +
                        "; free space or choose another folder. The old file, if there was one, is untouched.");
    }
  });
}

bool eachBlock(const Table& table, const ExchangeWatch& watch,
               const std::function<void(std::uint64_t first, std::uint64_t count)>& take, std::size_t part,
               std::size_t parts) {
  constexpr std::uint64_t kBlock = 1u << 14;
  for (std::uint64_t first = 0; first < table.rows; first += kBlock) {
    const double share = static_cast<double>(first) / static_cast<double>(table.rows);
    if (watch && !watch((static_cast<double>(part) + share) / static_cast<double>(parts))) return false;
    take(first, std::min(kBlock, table.rows - first));
  }
  return true;
}

void refuseExport(const std::string& why) { throw RefusedExport(why); }

}  // namespace hyb
