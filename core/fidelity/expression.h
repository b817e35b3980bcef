#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hyb {

/// A number from channels of a run: "max(measured_1) - min(target_1)". Channels are columns of samples; + - * / ^ and
/// abs, sqrt apply to each sample; max, min, mean, rms, peak (largest magnitude), range, first, last reduce a column to
/// a number. The result must be a number.
class Expression {
 public:
  Expression() = default;
  /// Throws InputError(where, ...) naming the column (from 1) of the text. At most 1000 characters, nested 50 deep.
  Expression(const std::string& text, const std::string& where);
  const std::string& text() const noexcept { return text_; }
  const std::vector<std::string>& channels() const noexcept { return channels_; }
  /// NaN for a channel without samples, and for undefined arithmetic.
  double value(const std::function<std::vector<double>(const std::string&)>& channel) const;

  struct Node;

 private:
  std::string text_;
  std::vector<std::string> channels_;
  std::shared_ptr<const Node> root_;
};

}  // namespace hyb
