#pragma once
#include "core/exchange/format.h"

/// The readers and writers of formats.cpp. What each reads or writes stands above its function.
namespace hyb {

using Write = bool(const Table&, const std::filesystem::path&, const ExportOptions&, const ExchangeWatch&);
Write writeCsv, writeHdf5, writeMat5, writeMat73, writeNpz, writeUffBinary, writeUffText;

using Read = ForeignFile(const std::filesystem::path&);
Read readTextTable, readHdf5Record, readMatRecord, readNpz, readTdms, readUff;

}  // namespace hyb
