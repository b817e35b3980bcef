#pragma once
#include "core/exchange/format.h"

/// The writers of formats.cpp. What each writes stands above its function.
namespace hyb {

using Write = bool(const Table&, const std::filesystem::path&, const ExportOptions&, const ExchangeWatch&);
Write writeCsv, writeHdf5, writeMat5, writeMat73, writeNpz, writeUffBinary, writeUffText;

}  // namespace hyb
