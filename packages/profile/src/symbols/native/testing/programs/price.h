#pragma once
namespace price {
static inline __attribute__((always_inline)) long rounded(long value) {
  return value / 10 * 10;
}
}  // namespace price
static inline __attribute__((always_inline)) int discounted(int item) {
  return item > 5 ? (int)price::rounded(item * 9) : item;
}
