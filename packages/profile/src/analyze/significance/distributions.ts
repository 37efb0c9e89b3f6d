// Tails of distributions, and false discovery rates. Written by hand because the library has no dependencies.

/** The probability that a standard normal variable exceeds `z`. Relative error below 1.2e-7. */
export function normalTail(z: number): number {
  const x = Math.abs(z) / Math.SQRT2
  // Chebyshev fit of erfc.
  const t = 1 / (1 + x / 2)
  const coefficients = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223,
    0.17087277,
  ]
  let sum = 0
  for (let i = coefficients.length - 1; i >= 0; i--) sum = sum * t + coefficients[i]
  const tail = (t * Math.exp(-x * x + sum)) / 2
  return z >= 0 ? tail : 1 - tail
}

/** The probability that Student's t with `freedom` degrees of freedom exceeds `t`. */
export function studentTail(t: number, freedom: number): number {
  if (freedom === Infinity) return normalTail(t)
  const tail = incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2
  return t >= 0 ? tail : 1 - tail
}

/** The probability of at least `successes` in `trials` with probability `p` each. Neither number needs to be an integer. */
export function binomialTail(successes: number, trials: number, p: number): number {
  if (successes <= 0) return 1
  return incompleteBeta(p, successes, Math.max(0, trials - successes) + 1)
}

/**
 * The probability of at least `marked` marked ones among those that are drawn without replacement: Fisher's exact test.
 */
export function hypergeometricTail(
  found: number,
  { drawn, marked, of }: { readonly drawn: number; readonly marked: number; readonly of: number },
): number {
  const fewest = Math.max(0, drawn + marked - of)
  if (found <= fewest) return 1
  const whole = logChoose(of, drawn)
  let sum = 0
  for (let k = found; k <= Math.min(drawn, marked); k++)
    sum += Math.exp(logChoose(marked, k) + logChoose(of - marked, drawn - k) - whole)
  return Math.min(1, sum)
}

/** The logarithm of the number of ways to choose `k` of `n`. */
export function logChoose(n: number, k: number): number {
  return logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1)
}

/**
 * The probability that the distribution functions of two samples of one distribution are at least `distance` apart somewhere
 * (Kolmogorov and Smirnov, with the approximation of Stephens for small samples). Too large if values repeat.
 */
export function kolmogorovTail(distance: number, first: number, second: number): number {
  const root = Math.sqrt((first * second) / (first + second))
  const size = (root + 0.12 + 0.11 / root) * distance
  // The series converges slowly here, and the probability is above 0.9999.
  if (size < 0.3) return 1
  let sum = 0
  for (let k = 1; k <= 20; k++) sum += 2 * (k % 2 === 1 ? 1 : -1) * Math.exp(-2 * k * k * size * size)
  return Math.min(1, Math.max(0, sum))
}

/** The value that Student's t exceeds with probability `tail`. */
export function studentQuantile(tail: number, freedom: number): number {
  let [low, high] = [0, 1]
  while (studentTail(high, freedom) > tail && high < 1e9) high *= 2
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2
    if (studentTail(middle, freedom) > tail) low = middle
    else high = middle
  }
  return high
}

/** The q-value of each p-value: the false discovery rate of all tests with a p-value up to it (Benjamini and Hochberg). */
export function falseDiscoveryRates(p: Float64Array): Float64Array {
  const order = Uint32Array.from(p, (_, i) => i).sort((a, b) => p[a] - p[b])
  const q = new Float64Array(p.length)
  let least = 1
  for (let rank = order.length; rank > 0; rank--) {
    const i = order[rank - 1]
    least = Math.min(least, (p[i] * p.length) / rank)
    q[i] = least
  }
  return q
}

/** The second derivative of the logarithm of the gamma function, for positive numbers. */
export function trigamma(x: number): number {
  let [sum, at] = [0, x]
  // The series is exact to eight digits from here on.
  for (; at < 8; at++) sum += 1 / (at * at)
  const square = 1 / (at * at)
  return sum + 1 / at + square / 2 + (square / at) * (1 / 6 - square * (1 / 30 - square / 42))
}

/** The number whose trigamma is `y`. */
export function trigammaInverse(y: number): number {
  let [low, high] = [1e-6, 1e6]
  for (let i = 0; i < 100; i++) {
    const middle = Math.sqrt(low * high)
    if (trigamma(middle) > y) low = middle
    else high = middle
  }
  return high
}

/** The regularized incomplete beta function. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x))
  // The fraction converges fast on one side of the mean only.
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(x, a, b)) / a : 1 - (front * betaFraction(1 - x, b, a)) / b
}

/** The continued fraction of the incomplete beta function, by Lentz's method. Needs about sqrt(max(a, b)) steps. */
function betaFraction(x: number, a: number, b: number): number {
  const least = 1e-300
  const nonZero = (value: number): number => (Math.abs(value) < least ? least : value)
  let c = 1
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  for (let m = 1; m < 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / nonZero(1 + even * d)
    c = nonZero(1 + even / c)
    fraction *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / nonZero(1 + odd * d)
    c = nonZero(1 + odd / c)
    fraction *= d * c
    if (Math.abs(d * c - 1) < 1e-12) break
  }
  return fraction
}

/** The logarithm of the gamma function for positive numbers, by Lanczos. Relative error below 1e-10. */
function logGamma(x: number): number {
  const coefficients = [
    76.18009172947146, -86.50532032941678, 24.01409824083091, -1.231739572450155, 0.1208650973866179e-2,
    -0.5395239384953e-5,
  ]
  let sum = 1.000000000190015
  for (const [i, coefficient] of coefficients.entries()) sum += coefficient / (x + 1 + i)
  const base = x + 5.5
  return (x + 0.5) * Math.log(base) - base + Math.log((Math.sqrt(2 * Math.PI) * sum) / x)
}
