#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace hyb {

/// A value that is computed at its first use. Copies share it. One thread at a time.
template <typename T>
class Lazy {
 public:
  Lazy() : Lazy(T()) {}
  Lazy(T value) : kept_(std::make_shared<Kept>(Kept{std::move(value), {}})) {}
  /// What `compute` refers to must live until the first use.
  static Lazy by(std::function<T()> compute) {
    return Lazy(std::make_shared<Kept>(Kept{std::nullopt, std::move(compute)}));
  }
  const T& operator()() const {
    if (!kept_->value) kept_->value.emplace(kept_->compute());
    return *kept_->value;
  }

 private:
  struct Kept {
    std::optional<T> value;
    std::function<T()> compute;
  };
  explicit Lazy(std::shared_ptr<Kept> kept) : kept_(std::move(kept)) {}
  std::shared_ptr<Kept> kept_;
};

}  // namespace hyb
