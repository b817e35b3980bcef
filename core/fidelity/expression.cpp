#include "core/fidelity/expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/words.h"
#include "core/fidelity/record.h"

namespace hyb {

/// Number, channel, operator with two arguments, or function of one.
struct Expression::Node {
  enum class Kind { number, channel, add, subtract, multiply, divide, power, negate, absolute, root, figure } kind;
  double number = 0.0;
  std::string channel;
  double (*figure)(std::span<const double>) = nullptr;
  std::shared_ptr<const Node> left, right;
  bool column = false;  // one value per sample; otherwise one value
};

namespace {

using Node = Expression::Node;
using Kind = Node::Kind;
using Values = std::vector<double>;

constexpr std::size_t kLongest = 1000;
constexpr int kDeepest = 50;

double meanOf(std::span<const double> x) {
  double sum = 0.0;
  for (const double value : x) sum += value;
  return sum / static_cast<double>(x.size());
}
double highest(std::span<const double> x) { return *std::max_element(x.begin(), x.end()); }
double lowest(std::span<const double> x) { return *std::min_element(x.begin(), x.end()); }

struct Function {
  const char* name;
  double (*figure)(std::span<const double>);
};
constexpr std::array<Function, 8> kFigures = {{
    {"max", highest},
    {"min", lowest},
    {"mean", meanOf},
    {"rms", [](std::span<const double> x) { return rms(x); }},
    {"peak", [](std::span<const double> x) { return largest(x); }},
    {"range", [](std::span<const double> x) { return highest(x) - lowest(x); }},
    {"first", [](std::span<const double> x) { return x.front(); }},
    {"last", [](std::span<const double> x) { return x.back(); }},
}};

/// Descends through sum, product, sign, power and atom.
class Parser {
 public:
  Parser(const std::string& text, const std::string& where, std::vector<std::string>& channels)
      : text_(text), where_(where), channels_(channels) {}

  std::shared_ptr<const Node> whole() {
    auto node = sum();
    skip();
    if (at_ < text_.size()) fail("has \"" + text_.substr(at_, 1) + "\" instead of an operator or the end.");
    if (node->column)
      throw InputError(where_,
                       "has a value for every sample; reduce it to one number, for example with max(...) or rms(...).");
    return node;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(where_, "column " + std::to_string(at_ + 1) + ": " + what);
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(char wanted) {
    skip();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  static std::shared_ptr<Node> make(Kind kind, std::shared_ptr<const Node> left,
                                    std::shared_ptr<const Node> right = nullptr) {
    auto node = std::make_shared<Node>();
    node->kind = kind;
    node->column = left->column || (right && right->column);
    node->left = std::move(left);
    node->right = std::move(right);
    return node;
  }

  std::shared_ptr<const Node> sum() {
    if (++depth_ > kDeepest) fail("is nested more than 50 deep; simplify it.");
    auto node = product();
    for (;;) {
      if (take('+'))
        node = make(Kind::add, node, product());
      else if (take('-'))
        node = make(Kind::subtract, node, product());
      else
        break;
    }
    --depth_;
    return node;
  }
  std::shared_ptr<const Node> product() {
    auto node = sign();
    for (;;) {
      if (take('*'))
        node = make(Kind::multiply, node, sign());
      else if (take('/'))
        node = make(Kind::divide, node, sign());
      else
        return node;
    }
  }
  std::shared_ptr<const Node> sign() {
    if (!take('-')) return power();
    if (++depth_ > kDeepest) fail("is nested more than 50 deep; simplify it.");
    auto node = make(Kind::negate, sign());
    --depth_;
    return node;
  }
  std::shared_ptr<const Node> power() {
    auto base = atom();
    if (!take('^')) return base;
    if (++depth_ > kDeepest) fail("is nested more than 50 deep; simplify it.");
    auto node = make(Kind::power, base, sign());
    --depth_;
    return node;
  }
  std::shared_ptr<const Node> atom() {
    skip();
    if (take('(')) {
      auto node = sum();
      if (!take(')')) fail("lacks a closing bracket.");
      return node;
    }
    if (at_ >= text_.size()) fail("ends before a number, a channel or a function.");
    const char c = text_[at_];
    if ((c >= '0' && c <= '9') || c == '.') return number();
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return word();
    fail("has \"" + text_.substr(at_, 1) + "\" instead of a number, a channel or a function.");
  }
  std::shared_ptr<const Node> number() {
    const char* start = text_.c_str() + at_;
    auto node = std::make_shared<Node>();
    node->kind = Kind::number;
    // strtod would depend on the decimal mark of the user's language.
    const auto [end, error] = std::from_chars(start, text_.c_str() + text_.size(), node->number);
    if (error != std::errc() || !std::isfinite(node->number)) fail("has a number that cannot be read.");
    at_ += static_cast<std::size_t>(end - start);
    return node;
  }
  std::shared_ptr<const Node> word() {
    const std::size_t start = at_;
    const auto letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    while (at_ < text_.size() && letter(text_[at_])) ++at_;
    const std::string name = text_.substr(start, at_ - start);
    if (take('(')) return call(name, start);
    auto node = std::make_shared<Node>();
    node->kind = Kind::channel;
    node->channel = name;
    node->column = true;
    if (std::find(channels_.begin(), channels_.end(), name) == channels_.end()) channels_.push_back(name);
    return node;
  }
  std::shared_ptr<const Node> call(const std::string& name, std::size_t start) {
    auto inner = sum();
    if (!take(')')) fail("lacks the closing bracket of " + name + "(.");
    if (name == "abs") return make(Kind::absolute, inner);
    if (name == "sqrt") return make(Kind::root, inner);
    std::vector<std::string> known = {"abs", "sqrt"};
    for (const Function& function : kFigures) {
      known.emplace_back(function.name);
      if (name != function.name) continue;
      if (!inner->column) {
        at_ = start;
        fail(name + " needs a channel inside its brackets; this is already one number.");
      }
      auto node = make(Kind::figure, inner);
      node->figure = function.figure;
      node->column = false;
      return node;
    }
    at_ = start;
    fail("has no function \"" + name.substr(0, 40) + "\". " + hint(name, known) +
         "Available: abs, sqrt, max, min, mean, rms, peak, range, first, last.");
  }

  const std::string& text_;
  const std::string& where_;
  std::vector<std::string>& channels_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

double combine(Kind kind, double a, double b) {
  switch (kind) {
    case Kind::add:
      return a + b;
    case Kind::subtract:
      return a - b;
    case Kind::multiply:
      return a * b;
    case Kind::divide:
      return a / b;
    case Kind::power:
      return std::pow(a, b);
    case Kind::negate:
      return -a;
    case Kind::absolute:
      return std::abs(a);
    default:
      return std::sqrt(a);
  }
}

/// One value, or one value per sample; empty: a channel has no samples.
Values evaluate(const Node& node, const std::function<Values(const std::string&)>& channel) {
  if (node.kind == Kind::number) return {node.number};
  if (node.kind == Kind::channel) return channel(node.channel);
  const Values left = evaluate(*node.left, channel);
  if (left.empty()) return {};
  if (node.kind == Kind::figure) return {node.figure(left)};
  const Values right = node.right ? evaluate(*node.right, channel) : Values{0.0};
  if (right.empty()) return {};
  // One number applies to every sample; channels of one record are equally long.
  const std::size_t count = left.size() == 1    ? right.size()
                            : right.size() == 1 ? left.size()
                                                : std::min(left.size(), right.size());
  Values result(count);
  for (std::size_t i = 0; i < count; ++i)
    result[i] = combine(node.kind, left[left.size() == 1 ? 0 : i], right[right.size() == 1 ? 0 : i]);
  return result;
}

}  // namespace

Expression::Expression(const std::string& text, const std::string& where) : text_(text) {
  if (text.size() > kLongest) throw InputError(where, "is longer than 1000 characters; shorten it.");
  root_ = Parser(text_, where, channels_).whole();
}

double Expression::value(const std::function<std::vector<double>(const std::string&)>& channel) const {
  const Values values = root_ ? evaluate(*root_, channel) : Values{};
  return values.size() == 1 ? values.front() : kNoValue;
}

}  // namespace hyb
