#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>

#include "core/base/error.h"
#include "core/base/file_bytes.h"
#include "core/base/words.h"
#include "core/exchange/members.h"

namespace hyb {
namespace {

constexpr std::array kFormats{
    ExchangeFormat{"csv", ".csv", "Comma-separated values", writeCsv, readTextTable},
    ExchangeFormat{"mat", ".mat", "MATLAB 5", writeMat5, readMatRecord},
    ExchangeFormat{"mat73", ".mat", "MATLAB 7.3 (HDF5)", writeMat73},
    ExchangeFormat{"uff", ".uff", "Universal file 58, binary", writeUffBinary, readUff},
    ExchangeFormat{"uff-text", ".uff", "Universal file 58, text", writeUffText},
    ExchangeFormat{"npz", ".npz", "NumPy archive", writeNpz, readNpz},
    ExchangeFormat{"hdf5", ".h5", "HDF5, compressed, for readers of version 1.8", writeHdf5, readHdf5Record},
    ExchangeFormat{"tdms", ".tdms", "TDMS of LabVIEW and DIAdem", nullptr, readTdms},
};

class RefusedExport : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Names of the formats that have a writer, or a reader.
template <typename Member>
std::vector<std::string> names(Member ExchangeFormat::*member) {
  std::vector<std::string> all;
  for (const ExchangeFormat& format : kFormats)
    if (format.*member != nullptr) all.emplace_back(format.name);
  return all;
}
std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

constexpr std::size_t kSignature = 520;

/// Name of the format by the first bytes of a file; "" if they do not tell.
std::string_view formatOf(std::string_view begin, std::string_view suffix) {
  constexpr std::string_view kHdf5 = "\x89HDF\r\n\x1A\n";
  if (begin.starts_with("TDSm") || begin.starts_with("TDSh")) return "tdms";
  if (begin.starts_with(kHdf5)) return "hdf5";
  if (begin.starts_with("MATLAB 5.0") || (begin.size() > 512 && begin.substr(512).starts_with(kHdf5))) return "mat";
  if (begin.starts_with("PK\x03\x04")) return "npz";
  if (begin.starts_with("    -1") && begin.substr(6).find_first_not_of(' ') == begin.substr(6).find_first_of("\r\n"))
    return "uff";
  if (suffix == ".unv" || suffix == ".uf" || suffix == ".ufb") return "uff";
  if (suffix == ".txt" || suffix == ".dat" || suffix == ".tsv") return "csv";
  return "";
}

}  // namespace

std::span<const ExchangeFormat> exchangeFormats() noexcept { return kFormats; }

const ExchangeFormat& exchangeFormat(const std::string& name, const std::filesystem::path& file) {
  const std::string suffix = lowered(file.extension().string());
  const auto found = std::ranges::find_if(kFormats, [&](const ExchangeFormat& one) {
    return one.write != nullptr && (name.empty() ? one.suffix == suffix : one.name == name);
  });
  if (found != kFormats.end()) return *found;
  const std::vector<std::string> known = names(&ExchangeFormat::write);
  const std::string all = joined(known);
  if (name.empty())
    throw InputError(file.string(),
                     "has a name that tells no format; end it with .csv, .mat, .uff, .npz or .h5, or "
                     "give the format: " +
                         all + ".");
  throw InputError(name, "is not a format that can be written. " + hint(name, known) + "Formats: " + all + ".");
}

ForeignFile readForeign(const std::filesystem::path& file, const std::string& name) {
  std::ifstream stream(file, std::ios::binary);
  std::string begin(kSignature, '\0');
  stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (stream.gcount() == 0) throw InputError(file.string(), "cannot be read, or is empty.");
  begin.resize(static_cast<std::size_t>(stream.gcount()));
  const std::string suffix = lowered(file.extension().string());
  const std::string_view by_bytes = name.empty() ? formatOf(begin, suffix) : name;
  const auto found = std::ranges::find_if(kFormats, [&](const ExchangeFormat& one) {
    return one.read != nullptr && (by_bytes.empty() ? one.suffix == suffix : one.name == by_bytes);
  });
  if (found != kFormats.end()) return found->read(file);
  const std::vector<std::string> known = names(&ExchangeFormat::read);
  if (!name.empty())
    throw InputError(name,
                     "is not a format that can be read. " + hint(name, known) + "Formats: " + joined(known) + ".");
  return readTextTable(file);  // records of text have any suffix
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
