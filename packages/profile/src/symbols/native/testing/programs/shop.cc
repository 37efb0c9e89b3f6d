// A program without a runtime library, so that its binaries are a few kilobytes: nested inlined calls, a function in two
// pieces, a template, a local function and a line table with two files.
#include "price.h"

namespace shop {
struct Cart {
  int items[4];
  int total() const;
};

__attribute__((noinline)) int Cart::total() const {
  int sum = 0;
  for (int item : items) sum += discounted(item);
  return sum;
}
}  // namespace shop

template <class T>
__attribute__((noinline)) T twice(T value) {
  return value + price::rounded(value);
}

static __attribute__((noinline)) int checkout(shop::Cart &cart, int count) {
  int paid = 0;
  for (int i = 0; i < count; i++) paid += cart.total();
  return paid;
}

extern "C" void _start() {
  shop::Cart cart = {{3, 5, 7, 11}};
  volatile int paid = checkout(cart, 1000);
  volatile long doubled = twice<long>(paid);
  (void)doubled;
  asm volatile("mov $60, %eax; xor %edi, %edi; syscall");
}
