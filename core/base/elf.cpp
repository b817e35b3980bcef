#include "core/base/elf.h"

#include <elf.h>

#include <cstdint>
#include <cstring>

namespace hyb {
namespace {

/// The structure at an offset of the file; nothing if it does not lie within it.
template <typename Struct>
std::optional<Struct> structAt(std::string_view file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(Struct)) return std::nullopt;
  Struct found;
  std::memcpy(&found, file.data() + offset, sizeof found);
  return found;
}

/// `size` bytes at `offset`; nothing if they do not lie within the file.
std::optional<std::string_view> bytesAt(std::string_view file, std::uint64_t offset, std::uint64_t size) {
  if (offset > file.size() || file.size() - offset < size) return std::nullopt;
  return file.substr(offset, size);
}

/// The text up to its NUL.
std::string_view textAt(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest = table.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

constexpr unsigned ownMachine() {
#if defined(__x86_64__)
  return EM_X86_64;
#elif defined(__aarch64__)
  return EM_AARCH64;
#else
  return EM_NONE;
#endif
}

std::string machineName(unsigned machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_386:
      return "x86 with 32 bits";
    case EM_AARCH64:
      return "AArch64";
    case EM_ARM:
      return "ARM with 32 bits";
    case EM_RISCV:
      return "RISC-V";
    default:
      return "machine " + std::to_string(machine);
  }
}

/// Where the bytes at an address of the running library lie in the file.
std::optional<std::uint64_t> offsetOf(std::string_view file, const Elf64_Ehdr& header, std::uint64_t address,
                                      std::uint64_t size) {
  for (std::uint64_t p = 0; p < header.e_phnum; ++p) {
    const auto segment = structAt<Elf64_Phdr>(file, header.e_phoff + p * sizeof(Elf64_Phdr));
    if (!segment) return std::nullopt;
    if (segment->p_type == PT_LOAD && address >= segment->p_vaddr && address - segment->p_vaddr <= segment->p_filesz &&
        size <= segment->p_filesz - (address - segment->p_vaddr))
      return segment->p_offset + (address - segment->p_vaddr);
  }
  return std::nullopt;
}

}  // namespace

std::string elfFault(std::string_view file) {
  const auto header = structAt<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return "is not a shared library";
  if (header->e_ident[EI_DATA] != ELFDATA2LSB) return "is built for a computer with another byte order";
  if (ownMachine() != EM_NONE && header->e_machine != ownMachine())  // e_machine has one place in both classes
    return "is built for " + machineName(header->e_machine) + ", but this computer is " + machineName(ownMachine());
  if (header->e_ident[EI_CLASS] != ELFCLASS64) return "is built for 32 bits, but this program has 64";
  if (header->e_type != ET_DYN) return "is not a shared library";
  return {};
}

std::optional<std::string_view> elfConstant(std::string_view file, std::string_view symbol) {
  if (!elfFault(file).empty()) return std::nullopt;
  const auto header = structAt<Elf64_Ehdr>(file, 0);
  const auto sectionAt = [&](std::uint64_t s) {
    return structAt<Elf64_Shdr>(file, header->e_shoff + s * sizeof(Elf64_Shdr));
  };
  for (std::uint64_t s = 0; s < header->e_shnum; ++s) {
    const auto section = sectionAt(s);
    if (!section) return std::nullopt;
    if (section->sh_type != SHT_DYNSYM) continue;
    const auto names = sectionAt(section->sh_link);
    const auto table = names ? bytesAt(file, names->sh_offset, names->sh_size) : std::nullopt;
    const auto symbols = bytesAt(file, section->sh_offset, section->sh_size);
    if (!table || !symbols) return std::nullopt;
    for (std::uint64_t k = 0; k + sizeof(Elf64_Sym) <= symbols->size(); k += sizeof(Elf64_Sym)) {
      const auto entry = structAt<Elf64_Sym>(*symbols, k);
      if (entry->st_shndx == SHN_UNDEF || textAt(*table, entry->st_name) != symbol) continue;
      const auto offset = offsetOf(file, *header, entry->st_value, entry->st_size);
      return offset ? bytesAt(file, *offset, entry->st_size) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace hyb
