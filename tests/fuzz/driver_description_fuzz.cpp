#include <elf.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/base/elf.h"
#include "core/project/schema.h"
#include "core/rig/driver_description.h"

namespace {

using namespace hyb;

constexpr const char* kSymbol = "hybridbench_driver_description";

/// A shared library that exports the text, as short as it can be.
std::string libraryWith(const std::string& text) {
  const std::string names = std::string(1, '\0') + kSymbol + std::string(1, '\0');
  const Elf64_Sym none{},
      symbol{1, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 0, 1, sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), text.size()};
  const std::uint64_t text_at = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), names_at = text_at + text.size(),
                      symbols_at = names_at + names.size(), sections_at = symbols_at + 2 * sizeof(Elf64_Sym);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
#if defined(__aarch64__)
  header.e_machine = EM_AARCH64;
#else
  header.e_machine = EM_X86_64;
#endif
  header.e_phoff = sizeof header;
  header.e_phnum = 1;
  header.e_shoff = sections_at;
  header.e_shnum = 3;
  Elf64_Phdr segment{};
  segment.p_type = PT_LOAD;
  segment.p_filesz = segment.p_memsz = sections_at;
  Elf64_Shdr null{}, strings{}, symbols{};
  strings.sh_type = SHT_STRTAB;
  strings.sh_offset = names_at;
  strings.sh_size = names.size();
  symbols.sh_type = SHT_DYNSYM;
  symbols.sh_offset = symbols_at;
  symbols.sh_size = 2 * sizeof(Elf64_Sym);
  symbols.sh_link = 1;
  std::string file;
  const auto add = [&](const auto& part) { file.append(reinterpret_cast<const char*>(&part), sizeof part); };
  add(header), add(segment);
  file += text + names;
  add(none), add(symbol), add(null), add(strings), add(symbols);
  return file;
}

/// A description is a sentence, or one that forms and checks can work with.
void describe(const std::string& text) {
  Checks checks;
  const auto described = parseDescription(text, "\"x.so\" ", "/library", checks);
  if ((described == nullptr) == checks.ok()) std::abort();
  if (!described) return;
  const Json settings = withDefaults(Json::object(), described->settings);
  if (!checkSchema(settings, described->settings).empty()) std::abort();
  for (const auto& [key, node] : described->settings.at("properties").items())
    (void)checkSchema({{key, nullptr}, {"x", 1e300}}, described->settings);
}

}  // namespace

/// The first byte: a description, or a sound library with bytes turned (place, two bytes; value).
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string input(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    describe(input);
    return 0;
  }
  static const std::string sound = libraryWith(R"({"title": "T", "channels": [{"name": "x", "direction": "input"}]})");
  if (!elfConstant(sound, kSymbol)) std::abort();
  std::string file = sound;
  for (std::size_t k = 0; k + 2 < input.size(); k += 3) {
    const auto place = static_cast<std::uint8_t>(input[k]) + 256u * static_cast<std::uint8_t>(input[k + 1]);
    file[place % file.size()] = input[k + 2];
  }
  if (const auto text = elfConstant(file, kSymbol)) {
    if (text->data() < file.data() || text->data() + text->size() > file.data() + file.size()) std::abort();
    describe(std::string(text->substr(0, text->find('\0'))));
  }
  return 0;
}
