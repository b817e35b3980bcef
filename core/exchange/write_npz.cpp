#include <zip.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "core/exchange/members.h"

namespace hyb {
namespace {

/// Head of an array file, version 1.0: magic, version, length, a Python dictionary, padded to 64 bytes.
std::string head(const char* type, const std::string& shape) {
  std::string words = std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  constexpr std::size_t kBefore = 10, kPadded = 64;
  words.append(kPadded - (kBefore + words.size() + 1) % kPadded, ' ');
  words += '\n';
  const auto length = static_cast<std::uint16_t>(words.size());
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(length & 0xFFu);
  text += static_cast<char>(length >> 8u);
  return text + words;
}

/// A part of a column.
using Rows = std::function<std::vector<double>(std::uint64_t first, std::uint64_t count)>;

/// One array of the archive; libzip asks for its bytes as it writes.
struct Array {
  std::string front;
  Rows rows;
  std::uint64_t count = 0;

  std::uint64_t size() const { return front.size() + count * sizeof(double); }
  std::uint64_t at = 0;

  std::uint64_t give(char* to, std::uint64_t most) {
    if (at < front.size()) {
      const std::uint64_t part = std::min<std::uint64_t>(most, front.size() - at);
      std::memcpy(to, front.data() + at, part);
      at += part;
      return part;
    }
    const std::uint64_t byte = at - front.size(), row = byte / sizeof(double), within = byte % sizeof(double);
    if (row >= count) return 0;
    const std::vector<double> values = rows(row, std::min(count - row, most / sizeof(double) + 2));
    const std::uint64_t part = std::min<std::uint64_t>(most, values.size() * sizeof(double) - within);
    std::memcpy(to, reinterpret_cast<const char*>(values.data()) + within, part);
    at += part;
    return part;
  }
};

zip_int64_t serve(void* user, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  auto& array = *static_cast<Array*>(user);
  switch (command) {
    case ZIP_SOURCE_OPEN:
      array.at = 0;
      return 0;
    case ZIP_SOURCE_READ:
      try {
        return static_cast<zip_int64_t>(array.give(static_cast<char*>(data), length));
      } catch (const std::exception&) {
        return -1;
      }
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:  // libzip frees its own layers only if this one can be freed
      return 0;
    case ZIP_SOURCE_STAT: {
      auto& status = *static_cast<zip_stat_t*>(data);
      zip_stat_init(&status);
      status.valid = ZIP_STAT_SIZE;
      status.size = array.size();
      return sizeof status;
    }
    case ZIP_SOURCE_ERROR: {
      const std::array<int, 2> error{ZIP_ER_READ, 0};
      std::memcpy(data, error.data(), sizeof error);
      return sizeof error;
    }
    case ZIP_SOURCE_SUPPORTS:
      return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                            ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
    default:
      return -1;
  }
}

struct Going {
  const ExchangeWatch* watch;
  bool gives_up = false;
};
int mayGoOn(zip_t*, void* user) {
  auto& going = *static_cast<Going*>(user);
  return going.gives_up ? 1 : 0;
}
void show(zip_t*, double share, void* user) {
  auto& going = *static_cast<Going*>(user);
  if (*going.watch && !(*going.watch)(share)) going.gives_up = true;
}

}  // namespace

/// An array of float64 for each channel, and "time" and "rate_hz" where there is a rate. Stored without compression, so
/// that NumPy maps it quickly.
bool writeNpz(const Table& table, const std::filesystem::path& file, const ExportOptions&, const ExchangeWatch& watch) {
  int fault = 0;
  zip_t* archive = zip_open(file.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &fault);
  if (archive == nullptr) {
    zip_error_t error;
    zip_error_init_with_code(&error, fault);
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    refuseExport(why);
  }
  std::vector<std::unique_ptr<Array>> arrays;
  const auto add = [&](const std::string& name, const std::string& shape, std::uint64_t count, Rows rows) {
    arrays.push_back(std::make_unique<Array>());
    Array& array = *arrays.back();
    array.front = head("<f8", shape);
    array.rows = std::move(rows);
    array.count = count;
    zip_source_t* source = zip_source_function(archive, serve, &array);
    const zip_int64_t place =
        source == nullptr ? -1 : zip_file_add(archive, (name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
    if (place < 0 || zip_set_file_compression(archive, static_cast<zip_uint64_t>(place), ZIP_CM_STORE, 0) < 0) {
      const std::string why = zip_strerror(archive);
      if (source != nullptr && place < 0) zip_source_free(source);
      zip_discard(archive);
      refuseExport(why);
    }
  };
  const std::string all = std::to_string(table.rows) + ",";
  if (table.rate_hz > 0.0) {
    add("rate_hz", "", 1, [&table](std::uint64_t, std::uint64_t) { return std::vector<double>{table.rate_hz}; });
    add("time", all, table.rows, [&table](std::uint64_t first, std::uint64_t count) {
      std::vector<double> time;
      for (std::uint64_t row = first; row < first + count; ++row) time.push_back(table.time_s(row));
      return time;
    });
  }
  for (std::size_t c = 0; c < table.channels.size(); ++c)
    add(table.channels[c].name, all, table.rows,
        [&table, c](std::uint64_t first, std::uint64_t count) { return table.read(c, first, count); });
  Going going{&watch};
  constexpr double kEach = 0.01;
  zip_register_progress_callback_with_state(archive, kEach, show, nullptr, &going);
  zip_register_cancel_callback_with_state(archive, mayGoOn, nullptr, &going);
  if (zip_close(archive) == 0) return true;
  const std::string why = zip_strerror(archive);
  zip_discard(archive);
  if (going.gives_up) return false;
  refuseExport(why);
}

}  // namespace hyb
