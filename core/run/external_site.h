#pragma once
#include <functional>
#include <memory>
#include <string>

#include "core/coupling/site_spec.h"
#include "core/tick/target_exchange.h"

namespace hyb {

/// A server through which another program computes the NS of a test. It listens during its whole lifetime.
class ExternalSite {
 public:
  virtual ~ExternalSite() = default;        // closes the connection
  virtual std::string address() const = 0;  // listening address: "tcp://127.0.0.1:8090"
  virtual bool connected() const noexcept = 0;
};
/// Throws DeviceError if it cannot listen there.
using SiteFactory =
    std::function<std::unique_ptr<ExternalSite>(const SiteSpec&, std::shared_ptr<TargetExchange> exchange)>;

}  // namespace hyb
