// What a new user begins with: templates, schema, a project, a compensator and a rig of their own.
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/console.h"
#include "core/study/study.h"
#include "resources/resources.h"

namespace hyb::app {
namespace {

namespace fs = std::filesystem;

struct TemplatesCommand {
  bool json = false;
};
int listTemplates(const TemplatesCommand& command) {
  Json list = Json::array();
  std::string text;
  for (const Template& entry : templates()) {
    list.push_back({{"name", entry.name}, {"title", entry.title}, {"description", entry.description}});
    text += format("%-22s ", entry.name.c_str()) + entry.title + "\n";
  }
  if (command.json)
    printJson({{"templates", list}});
  else
    print(text);
  return kDone;
}

/// Writes the resources under `room` ("plug-in/") into a folder, with their subfolders, and prints each name.
void writeResources(std::string_view room, const fs::path& folder) {
  for (const Resource& resource : resources()) {
    if (!resource.path.starts_with(room)) continue;
    const fs::path file = folder / resource.path.substr(room.size());
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (error) throw DeviceError(file.parent_path().string() + ": cannot be created: " + error.message());
    std::ofstream stream(file, std::ios::binary);
    if (!stream.write(resource.text.data(), static_cast<std::streamsize>(resource.text.size())).flush())
      throw DeviceError(file.string() + ": cannot be written");
    print(file.string() + "\n");
  }
}

struct PlugInCommand {
  std::string folder;
};
/// Writes the worked example of a user-written compensator into a new folder.
int writePlugIn(const PlugInCommand& command) {
  std::error_code error;
  if (fs::exists(command.folder, error))
    throw InputError("FOLDER " + command.folder, "exists already; give the name of a new folder.");
  writeResources("plug-in/", command.folder);
  return kDone;
}

struct RigKitCommand {
  std::string folder;
  bool overwrite = false;
};
/// Writes the device side of the rig protocol, in C and in Python, into a folder.
int writeRigKit(const RigKitCommand& command) {
  constexpr std::string_view kRoom = "rig-kit/";
  std::string there;
  for (const Resource& resource : resources()) {
    if (!resource.path.starts_with(kRoom)) continue;
    const fs::path file = fs::path(command.folder) / resource.path.substr(kRoom.size());
    std::error_code error;
    if (fs::exists(file, error)) there += (there.empty() ? "" : ", ") + file.string();
  }
  if (!there.empty() && !command.overwrite)
    throw InputError("FOLDER " + command.folder,
                     "has these files already: " + there + ". Give another folder, or --overwrite to replace them.");
  if (!there.empty()) note("replaced: " + there);
  writeResources(kRoom, command.folder);
  return kDone;
}

struct SchemaCommand {
  std::string of = "project";
};
/// The published JSON Schema of "project" or "study".
int printSchema(const SchemaCommand& command) {
  printJson(command.of == "study" ? studySchema() : projectSchema());
  return kDone;
}

struct NewCommand {
  std::string name, output;  // output empty: "<name>.json" in the current folder
};
int newProject(const NewCommand& command) {
  const ShippedStudy* study = shippedStudy(command.name);
  const Json& document = study != nullptr ? study->document : templateDocument(command.name);
  const fs::path file = command.output.empty() ? command.name + ".json" : command.output;
  std::error_code error;
  if (fs::exists(file, error))
    throw InputError("-o " + file.string(), "exists already; give another name, or delete it first.");
  saveDocument(document, file);
  print(file.string() + "\n");
  return kDone;
}

}  // namespace

void addTemplates(CommandLine& line) {
  addSubcommand<TemplatesCommand>(
      line, "templates", "Lists the built-in projects",
      [](CLI::App& command, TemplatesCommand& options) { jsonFlag(command, options.json); }, listTemplates);
}

void addPlugIn(CommandLine& line) {
  addSubcommand<PlugInCommand>(
      line, "plug-in", "Writes a worked example of a user-written compensator with CMake build",
      [](CLI::App& command, PlugInCommand& options) {
        command.add_option("FOLDER", options.folder, "Folder to create")->required();
      },
      writePlugIn);
}

void addRigKit(CommandLine& line) {
  addSubcommand<RigKitCommand>(
      line, "rig-kit", "Writes the device side of the rig protocol in C and Python with examples",
      [](CLI::App& command, RigKitCommand& options) {
        command.add_option("FOLDER", options.folder, "Folder to write to")->required();
        command.add_flag("--overwrite", options.overwrite, "Replaces files of the kit that exist already");
      },
      writeRigKit);
}

void addSchema(CommandLine& line) {
  addSubcommand<SchemaCommand>(
      line, "schema", "Prints the JSON Schema of project or study files",
      [](CLI::App& command, SchemaCommand& options) {
        command.add_option("WHICH", options.of, "project or study")
            ->check(CLI::IsMember({"project", "study"}))
            ->capture_default_str();
      },
      printSchema);
}

void addNew(CommandLine& line) {
  addSubcommand<NewCommand>(
      line, "new", "Writes a built-in project or study to an editable file",
      [](CLI::App& command, NewCommand& options) {
        command.add_option("TEMPLATE", options.name, "Name of the template or built-in study")->required();
        command.add_option("-o,--output", options.output, "File to write; default: TEMPLATE.json");
      },
      newProject);
}

}  // namespace hyb::app
