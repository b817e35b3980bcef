#include "core/project/project.h"

#include <array>

#include "core/base/error.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/fuzz/fuzz_json.h"

/// A project file, as text (even first byte) or one of the templates with values replaced: a project, or an InputError
/// or DeviceError that names the places.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hyb;
  if (size < 2) return 0;
  static const fuzz::MemoryFile file;
  static const std::vector<Json> sound = [] {
    std::vector<Json> documents;
    for (const Template& each : templates()) documents.push_back(templateDocument(each.name));
    return documents;
  }();
  try {
    if (data[0] % 2 == 0) {
      file.fill({data + 1, size - 1});
      (void)loadProject(file.path());
    } else {
      const std::string_view edits(reinterpret_cast<const char*>(data) + 2, size - 2);
      const Json document = fuzz::edited(sound[data[1] % sound.size()], edits);
      (void)parseProject(document);
    }
  } catch (const InputError& error) {
    if (error.issues().empty()) std::abort();
  } catch (const DeviceError&) {
  }
  return 0;
}
