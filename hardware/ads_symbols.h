#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/checks.h"
#include "hardware/ads_link.h"

namespace hyb {

/// A value that the driver reads or writes.
struct AdsValue {
  AdsPlace place;
  std::string symbol_at, type_at;  // where the project names it, and its type
  bool written = false;
  std::string remedy = {};  // for a missing variable; empty: the usual one

  std::string name() const;  // "MAIN.target", "index group 16448, offset 8"
};

/// The values of a connection: checks them against the variables of the PLC program, and keeps the handles of those
/// with a name. A controller gives out handles for one connection.
class AdsSymbols {
 public:
  explicit AdsSymbols(std::vector<AdsValue> values) : values_(std::move(values)), handles_(values_.size(), 0) {}

  /// Asks for the type of each variable. Throws InputError with all variables that are missing, read-only, or of
  /// another type; a controller that cannot tell is believed. Otherwise the answer of the link.
  AdsLink::Answer check(AdsLink& link) const;
  /// Fetches all handles. `refused`: complaint() says of which variable; the others have theirs. `for_stop`: no
  /// interrupt ends it.
  AdsLink::Answer fetch(AdsLink& link, bool for_stop = false);
  bool fetched() const noexcept { return fetched_; }
  /// The handles are no longer valid.
  void forget() noexcept { fetched_ = false; }
  /// Gives them back, without waiting for long.
  void release(AdsLink& link);

  const AdsValue& operator[](std::size_t k) const noexcept { return values_[k]; }
  std::size_t size() const noexcept { return values_.size(); }
  /// How the controller addresses value k; once fetched.
  AdsPart part(std::size_t k) const noexcept;
  const std::string& complaint() const noexcept { return complaint_; }

 private:
  AdsLink::Answer fetchOneByOne(AdsLink& link, const std::vector<std::size_t>& named, bool for_stop);
  AdsLink::Answer wrong(const std::string& sentence);
  void refuse(std::size_t k, std::uint32_t error);

  std::vector<AdsValue> values_;
  std::vector<std::uint32_t> handles_;  // [values]
  bool fetched_ = false;
  std::string complaint_;
};

}  // namespace hyb
