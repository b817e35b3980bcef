#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/console.h"

namespace hyb::app {

/// The parser of the program, and the exit code that a subcommand leaves.
struct CommandLine {
  CLI::App app;
  int exit_code = kDone;
};

/// Adds a subcommand. `declare` adds its options to the parser; `run` does the work and returns the exit code.
template <typename Options>
void addSubcommand(CommandLine& line, const char* name, const char* description,
                   void (*declare)(CLI::App& command, Options& options), int (*run)(const Options& options)) {
  CLI::App* const command = line.app.add_subcommand(name, description);
  const auto options = std::make_shared<Options>();
  declare(*command, *options);
  command->callback([&line, command, options, run] {
    if (command->get_subcommands().empty()) line.exit_code = run(*options);  // otherwise that one has run
  });
}

// Options that several subcommands have.

void jsonFlag(CLI::App& command, bool& json);
void setOption(CLI::App& command, std::vector<std::string>& set);
/// The libraries that it names are accepted before the subcommand runs.
void acceptOption(CLI::App& command);

/// Accepts digits with least <= number <= most.
CLI::Validator wholeNumber(std::uint64_t least, std::uint64_t most);

/// Arguments in the order of the parser: the last first. An argument after the option that accepts libraries belongs
/// to it only if it is a SHA-256; otherwise it may be the project.
std::vector<std::string> argumentsOf(int argc, char** argv);

}  // namespace hyb::app
