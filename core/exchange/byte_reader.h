#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace hyb {

/// The bytes ended before the value did.
struct EndOfBytes : std::runtime_error {
  EndOfBytes() : std::runtime_error("end of bytes") {}
};

/// Values from bytes of either order, never beyond their end.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes, bool little = true) : bytes_(bytes), little_(little) {}
  bool little() const noexcept { return little_; }
  void setLittle(bool little) noexcept { little_ = little; }
  std::size_t place() const noexcept { return place_; }
  std::size_t left() const noexcept { return bytes_.size() - place_; }
  /// The next bytes. Throws EndOfBytes, as all below.
  std::string_view take(std::uint64_t count) {
    if (count > left()) throw EndOfBytes();
    place_ += static_cast<std::size_t>(count);
    return bytes_.substr(place_ - static_cast<std::size_t>(count), static_cast<std::size_t>(count));
  }
  void goTo(std::size_t place) {
    if (place > bytes_.size()) throw EndOfBytes();
    place_ = place;
  }
  template <typename T>
  T value() {
    std::string_view from = take(sizeof(T));
    T result{};
    auto* to = reinterpret_cast<char*>(&result);
    if (little_ == (std::endian::native == std::endian::little))
      std::memcpy(to, from.data(), sizeof(T));
    else
      for (std::size_t i = 0; i < sizeof(T); ++i) to[i] = from[sizeof(T) - 1 - i];
    return result;
  }
  std::string text(std::uint64_t count) { return std::string(take(count)); }

 private:
  std::string_view bytes_;
  std::size_t place_ = 0;
  bool little_;
};

}  // namespace hyb
