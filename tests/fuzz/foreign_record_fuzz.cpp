#include <zip.h>

#include "core/base/error.h"
#include "core/exchange/import.h"
#include "tests/fuzz/fuzz_file.h"

namespace {

/// An archive with one array whose bytes are these.
void fillArchive(const std::string& path, std::span<const std::uint8_t> bytes) {
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  if (archive == nullptr) std::abort();
  zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
  const zip_int64_t place = zip_file_add(archive, "a.npy", source, ZIP_FL_ENC_UTF_8);
  if (place < 0 || zip_set_file_compression(archive, static_cast<zip_uint64_t>(place), ZIP_CM_STORE, 0) != 0 ||
      zip_close(archive) != 0)
    std::abort();
}

}  // namespace

/// A record of another program by its first byte: text, universal file, TDMS, NumPy archive or an array in one. What is
/// read is imported as the program suggests. MATLAB files and HDF5 have fuzzers of their own.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hyb;
  if (size < 1) return 0;
  static const fuzz::MemoryFile file;
  static const std::string packed =
      (std::filesystem::temp_directory_path() / ("fuzz-" + std::to_string(::getpid()) + ".npz")).string();
  const std::span<const std::uint8_t> rest(data + 1, size - 1);
  constexpr const char* kFormats[] = {"csv", "uff", "tdms", "npz", "npz"};
  const std::size_t chosen = data[0] % std::size(kFormats);
  const bool packs = chosen == 4;
  if (packs)
    fillArchive(packed, rest);
  else
    file.fill(rest);
  try {
    const ForeignFile found = readForeign(packs ? packed : file.path(), kFormats[chosen]);
    if (found.tables.empty()) std::abort();
    for (std::size_t t = 0; t < found.tables.size(); ++t) {
      ImportPlan plan = suggestedPlan(found, t);
      if (!plan.time && !(found.tables[t].rate_hz > 0.0)) plan.rate_hz = 100.0;
      const ImportedRecord record = imported(found, plan);
      for (std::size_t c = 0; c < record.table.channels.size(); ++c)
        if (record.table.column(c).size() != record.table.rows) std::abort();
    }
  } catch (const InputError& error) {
    if (error.issues().empty()) std::abort();
  }
  return 0;
}
