#include "core/linalg/product.h"

#include <array>
#include <cstring>

namespace hyb::linalg {
namespace {

using Eigen::Index;
using Four [[gnu::vector_size(32)]] = double;
using Two [[gnu::vector_size(16)]] = double;

/// sums += factor * a, for as many rows as sums.
template <typename Factor, typename Sums>
[[gnu::always_inline]] inline void add(const Factor& factor, const double* a, Sums& sums) noexcept {
  Sums column;
  std::memcpy(&column, a, sizeof column);
  sums += factor * column;
}
template <typename Sums>
[[gnu::always_inline]] inline void put(const Sums& sums, bool adds, double* y) noexcept {
  Sums all = sums;
  if (adds) add(1.0, y, all);
  std::memcpy(y, &all, sizeof all);
}

/// The first rows of `a` and `y`; columns are `stride` apart.
template <int rows>
[[gnu::always_inline]] inline void rowsTimes(const double* a, Index stride, const Stretch* x, const Stretch* end,
                                             bool adds, double* y) noexcept {
  constexpr int first_two = rows / 4 * 4;
  Four first{}, second{}, third{}, fourth{};
  Two two{};
  double one = 0.0;
  const double *of = x->first, *last = of + x->count;
  for (;; a += stride) {
    while (of == last) {
      if (++x == end) {
        if constexpr (rows >= 4) put(first, adds, y);
        if constexpr (rows >= 8) put(second, adds, y + 4);
        if constexpr (rows >= 16) put(third, adds, y + 8);
        if constexpr (rows >= 16) put(fourth, adds, y + 12);
        if constexpr ((rows & 2) != 0) put(two, adds, y + first_two);
        if constexpr ((rows & 1) != 0) put(one, adds, y + rows - 1);
        return;
      }
      of = x->first;
      last = of + x->count;
    }
    const double factor = *of++;
    const Four four = {factor, factor, factor, factor};  // its first half is reused for two values
    if constexpr (rows >= 4) add(four, a, first);
    if constexpr (rows >= 8) add(four, a + 4, second);
    if constexpr (rows >= 16) add(four, a + 8, third);
    if constexpr (rows >= 16) add(four, a + 12, fourth);
    if constexpr ((rows & 2) != 0) add(__builtin_shufflevector(four, four, 0, 1), a + first_two, two);
    if constexpr ((rows & 1) != 0) add(factor, a + rows - 1, one);
  }
}

// The same sums, bit for bit, with the widest registers of the present machine.
using Kernel = void (*)(const double* a, Index stride, const Stretch* x, const Stretch* end, bool adds,
                        double* y) noexcept;
using Kernels = std::array<Kernel, 10>;  // for that many rows; the last: for 16
constexpr std::size_t kMost = 9;

template <int rows>
[[gnu::hot]] void plain(const double* a, Index stride, const Stretch* x, const Stretch* end, bool adds,
                        double* y) noexcept {
  rowsTimes<rows>(a, stride, x, end, adds, y);
}
constexpr Kernels kPlain = {plain<0>, plain<1>, plain<2>, plain<3>, plain<4>,
                            plain<5>, plain<6>, plain<7>, plain<8>, plain<16>};
#ifdef __x86_64__
template <int rows>
[[gnu::hot, gnu::target("avx2")]] void wide(const double* a, Index stride, const Stretch* x, const Stretch* end,
                                            bool adds, double* y) noexcept {
  rowsTimes<rows>(a, stride, x, end, adds, y);
}
constexpr Kernels kWide = {wide<0>, wide<1>, wide<2>, wide<3>, wide<4>, wide<5>, wide<6>, wide<7>, wide<8>, wide<16>};
const Kernels& kernels = __builtin_cpu_supports("avx2") ? kWide : kPlain;
#else
constexpr const Kernels& kernels = kPlain;
#endif

/// More than 8 rows; a separate call, so that small products need not save registers.
[[gnu::noinline]] void multiplyTall(const double* a, Index rows, const Stretch* x, const Stretch* end, bool adds,
                                    double* y) noexcept {
  const Index stride = rows;
  for (; rows >= 16; rows -= 16, a += 16, y += 16) kernels[kMost](a, stride, x, end, adds, y);
  if (rows >= 8) {
    kernels[8](a, stride, x, end, adds, y);
    rows -= 8, a += 8, y += 8;
  }
  if (rows > 0) kernels[static_cast<std::size_t>(rows)](a, stride, x, end, adds, y);
}

}  // namespace

[[gnu::hot]] void multiplyFew(const double* a, Index rows, const Stretch* x, const Stretch* end, bool adds,
                              double* y) noexcept {
  if (rows <= 8) return kernels[static_cast<std::size_t>(rows)](a, rows, x, end, adds, y);
  multiplyTall(a, rows, x, end, adds, y);
}

}  // namespace hyb::linalg
