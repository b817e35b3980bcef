#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace hyb {

/// Why a program of this computer cannot load the shared library: "is built for AArch64, but this computer is x86-64";
/// "" if its header gives no reason.
std::string elfFault(std::string_view file);

/// The bytes of a constant that a shared library exports, read from its file. Nothing if it has no such symbol, or the
/// file is damaged. Runs none of its code.
std::optional<std::string_view> elfConstant(std::string_view file, std::string_view symbol);

}  // namespace hyb
