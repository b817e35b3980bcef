#include <matio.h>

#include <array>
#include <cstring>
#include <memory>

#include "core/base/error.h"
#include "core/exchange/members.h"

namespace hyb {
namespace {

using Variable = std::unique_ptr<matvar_t, void (*)(matvar_t*)>;

Variable text(const char* name, std::string value) {
  std::array<std::size_t, 2> shape{value.empty() ? std::size_t{0} : std::size_t{1}, value.size()};
  return {Mat_VarCreate(name, MAT_C_CHAR, MAT_T_UTF8, 2, shape.data(), value.data(), 0), Mat_VarFree};
}
Variable column(const char* name, std::vector<double>& values) {
  std::array<std::size_t, 2> shape{values.size(), 1};
  return {Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, shape.data(), values.data(), MAT_F_DONT_COPY_DATA),
          Mat_VarFree};
}
/// A struct of texts; the struct owns them.
Variable texts(const char* name, const std::vector<std::pair<std::string, std::string>>& entries) {
  std::vector<const char*> fields;
  for (const auto& entry : entries) fields.push_back(entry.first.c_str());
  std::array<std::size_t, 2> shape{1, 1};
  Variable all{Mat_VarCreateStruct(name, 2, shape.data(), fields.data(), static_cast<unsigned>(fields.size())),
               Mat_VarFree};
  for (const auto& [field, value] : entries)
    if (all) Mat_VarSetStructFieldByName(all.get(), field.c_str(), 0, text(field.c_str(), value).release());
  return all;
}

/// One column vector for each channel, and for the time; the structs "units", "description" and "record" say the rest.
/// The channels come last: readBack() compares them, so a file that the disk cut short is found wherever it was cut.
bool write(const Table& table, const std::filesystem::path& file, mat_ft version, matio_compression compression,
           const ExchangeWatch& watch) {
  const std::unique_ptr<mat_t, int (*)(mat_t*)> out(Mat_CreateVer(file.c_str(), nullptr, version), Mat_Close);
  if (!out) refuseExport("the file cannot be made");
  const auto put = [&](const Variable& variable, matio_compression how) {
    if (!variable || Mat_VarWrite(out.get(), variable.get(), how) != 0) refuseExport("the disk refuses it");
  };
  const std::size_t parts = table.channels.size() + 1;
  const auto goesOn = [&](std::size_t part) {
    return !watch || watch(static_cast<double>(part) / static_cast<double>(parts));
  };
  std::vector<std::pair<std::string, std::string>> units, descriptions, record = table.facts;
  record.insert(record.begin(), {"title", table.title});
  if (table.rate_hz > 0.0) units.emplace_back("time", "s");
  for (const Channel& channel : table.channels) {
    units.emplace_back(channel.name, channel.units);
    descriptions.emplace_back(channel.name, channel.description);
  }
  put(texts("units", units), MAT_COMPRESSION_NONE);
  if (!descriptions.empty()) put(texts("description", descriptions), MAT_COMPRESSION_NONE);
  put(texts("record", record), MAT_COMPRESSION_NONE);
  if (table.rate_hz > 0.0) {
    std::vector<double> rate{table.rate_hz}, time(table.rows);
    for (std::uint64_t row = 0; row < table.rows; ++row) time[row] = table.time_s(row);
    put(column("rate_hz", rate), MAT_COMPRESSION_NONE);
    put(column("time", time), compression);
  }
  for (std::size_t c = 0; c < table.channels.size(); ++c) {
    if (!goesOn(c + 1)) return false;
    std::vector<double> values = table.column(c);
    put(column(table.channels[c].name.c_str(), values), compression);
  }
  return true;
}

/// matio does not say when the disk refuses a write, so each channel is read again.
void readBack(const Table& table, const std::filesystem::path& file) {
  const std::unique_ptr<mat_t, int (*)(mat_t*)> in(Mat_Open(file.c_str(), MAT_ACC_RDONLY), Mat_Close);
  const auto isThere = [&](const char* name, const std::vector<double>& values) {
    const Variable found{in ? Mat_VarRead(in.get(), name) : nullptr, Mat_VarFree};
    if (!found || found->data == nullptr) return false;
    return found->nbytes == values.size() * sizeof(double) &&
           std::memcmp(found->data, values.data(), found->nbytes) == 0;
  };
  bool whole = in != nullptr;
  for (std::size_t c = 0; whole && c < table.channels.size(); ++c) {
    const std::vector<double> values = table.column(c);
    whole = values.empty() || isThere(table.channels[c].name.c_str(), values);
  }
  if (!whole) refuseExport("what the disk holds is not what was written");
}

}  // namespace

bool writeMat5(const Table& table, const std::filesystem::path& file, const ExportOptions&,
               const ExchangeWatch& watch) {
  constexpr std::uint64_t kMostRows = (1ull << 31) / sizeof(double) - 64;  // a variable of version 5 ends at 2 GB
  if (table.rows > kMostRows)
    throw InputError("", "A channel has " + std::to_string(table.rows) +
                             " rows, and a variable of MATLAB 5 holds less than 2 GB; choose the format mat73.");
  if (!write(table, file, MAT_FT_MAT5, MAT_COMPRESSION_ZLIB, watch)) return false;
  readBack(table, file);
  return true;
}

bool writeMat73(const Table& table, const std::filesystem::path& file, const ExportOptions&,
                const ExchangeWatch& watch) {
  if (!write(table, file, MAT_FT_MAT73, MAT_COMPRESSION_ZLIB, watch)) return false;
  readBack(table, file);
  return true;
}

}  // namespace hyb
