#include "app/command_line.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "core/compensation/plug_in_consent.h"

namespace hyb::app {
namespace {

constexpr const char *kAccept = "--accept-plug-in", *kAny = "any";

/// SHA-256 of a library: 64 hexadecimal digits in lower case.
bool isSha256(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

void jsonFlag(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "One JSON object on standard output, messages on standard error");
}

void setOption(CLI::App& command, std::vector<std::string>& set) {
  command.add_option("--set", set, "Changes one value for this call: /loop/duration_s=10 (may be repeated)")
      ->type_name("/POINTER=VALUE")
      ->allow_extra_args(false);
}

void acceptOption(CLI::App& command) {
  const auto accept = [](const std::vector<std::string>& given) {
    for (const std::string& one : given) acceptOnUse(one == kAny ? std::string() : one);
  };
  const auto check = [](const std::string& text) -> std::string {
    if (text == kAny || isSha256(text)) return {};
    return "is " + text + "; give the 64 digits of a SHA-256, or no value to accept every named library";
  };
  command
      .add_option_function<std::vector<std::string>>(
          kAccept, accept, "Accepts the library named in the project permanently; with a SHA-256 only that library")
      ->type_name("[SHA256]")
      ->allow_extra_args(false)
      ->check(CLI::Validator(check, ""));
}

CLI::Validator wholeNumber(std::uint64_t least, std::uint64_t most) {
  return CLI::Validator(
      [least, most](const std::string& text) -> std::string {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc() && end == text.data() + text.size() && value >= least && value <= most) return {};
        return "is " + text + "; give a whole number from " + std::to_string(least) + " to " + std::to_string(most);
      },
      "");
}

std::vector<std::string> argumentsOf(int argc, char** argv) {
  std::vector<std::string> arguments;
  for (int a = 1; a < argc; ++a) {
    arguments.emplace_back(argv[a]);
    if (arguments.back() != kAccept) continue;
    const bool named = a + 1 < argc && isSha256(argv[a + 1]);
    arguments.back() += std::string("=") + (named ? argv[++a] : kAny);
  }
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

}  // namespace hyb::app
