// Repeated looks at growing data. Each look may find chance, so the false discovery rate is spent over all of them.

/** The false discovery rate of all looks together. */
export const RATE = 0.05
const FIRST_LOOK_SECONDS = 30
/** 30 s · 2^11 is 17 hours. */
export const MAX_LOOKS = 12

/** The number of looks that are due at an age: the first after 30 s, each next one at twice the age. */
export function looksAt(seconds: number): number {
  let looks = 0
  while (looks < MAX_LOOKS && seconds >= FIRST_LOOK_SECONDS * 2 ** looks) looks++
  return looks
}

/** The part of the rate that the n-th look may spend: the sum over all n is the rate. */
export function rateOfLook(n: number): number {
  return (RATE * 6) / (Math.PI ** 2 * n * n)
}
