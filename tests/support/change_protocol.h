#pragma once
#include "core/rig/rig_spec.h"

namespace hyb::test {

/// Settings of a connection's protocol for a test to change: Change<TextSpec>(connection)->reply_s = 3.0;
template <typename Spec>
class Change {
 public:
  explicit Change(ConnectionSpec& connection)
      : connection_(connection), spec_(settingsOf<Spec>(connection.protocol.get())) {}
  ~Change() { connection_.protocol = protocolOf(spec_); }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;
  Spec* operator->() noexcept { return &spec_; }

 private:
  ConnectionSpec& connection_;
  Spec spec_;
};

}  // namespace hyb::test
