// Attributes that slow requests have more often than fast ones.
//
// The measure is the difference of two shares: the share of slow requests that fulfil a condition minus that of fast ones. A condition is
// `key = value`. For numbers it is also `key > n` or `key ≤ n` with the n for which the difference is largest, which is the
// Kolmogorov-Smirnov distance of both sets. Its probability by chance is that of the best of all n. A single value is compared by Fisher's
// exact test, because a set of slow requests is often small.
import { falseDiscoveryRates, hypergeometricTail, kolmogorovTail } from '../../significance/distributions.ts'

export interface CommonAttribute {
  readonly key: string
  readonly comparison: '=' | '>' | '≤'
  readonly value: string
  /** The shares of slow and fast requests that fulfil the condition, 0 to 1. */
  readonly slow: number
  readonly fast: number
  /** The measure: `slow - fast`. */
  readonly difference: number
  /** The false discovery rate of this condition and all that are as unlikely to be chance. */
  readonly rate: number
}

/** An attribute of a request. Numbers are compared as such. */
export interface RequestAttribute {
  readonly key: string
  readonly value: string
  readonly isNumber: boolean
}

/** Conditions that chance fulfils more often than in one of 20 lists are not returned. */
const MAX_RATE = 0.05
/** Values that fewer requests have are not counted. */
const MIN_REQUESTS = 3
/** Attributes with more values than this share of the requests are identifiers. */
const MAX_DISTINCT_SHARE = 0.5
/** A number with fewer values than this is compared by its values only. */
const MIN_NUMBERS = 4

interface Found extends Omit<CommonAttribute, 'rate'> {
  readonly p: number
}

/** `attributesOf` returns the attributes of a request, each key once. The best condition of each key is returned, the best key first. */
export function commonAttributes(
  slow: ArrayLike<number>,
  fast: ArrayLike<number>,
  attributesOf: (request: number) => Iterable<RequestAttribute>,
  limit = 10,
): CommonAttribute[] {
  const keys = new Map<string, KeyValues>()
  const read = (members: ArrayLike<number>, isSlow: boolean): void => {
    for (let i = 0; i < members.length; i++) {
      for (const { key, value, isNumber } of attributesOf(members[i])) {
        let values = keys.get(key)
        if (values === undefined) keys.set(key, (values = new KeyValues()))
        values.add(value, isNumber, isSlow)
      }
    }
  }
  read(slow, true)
  read(fast, false)
  const all: Found[] = []
  for (const [key, values] of keys) all.push(...values.conditions(key, slow.length, fast.length))
  const rates = falseDiscoveryRates(Float64Array.from(all, ({ p }) => p))
  const best = new Map<string, CommonAttribute>()
  for (const [i, { key, comparison, value, slow: ofSlow, fast: ofFast, difference }] of all.entries()) {
    const known = best.get(key)
    if (rates[i] > MAX_RATE || (known !== undefined && known.difference >= difference)) continue
    best.set(key, { key, comparison, value, slow: ofSlow, fast: ofFast, difference, rate: rates[i] })
  }
  return [...best.values()].sort((a, b) => b.difference - a.difference || (a.key < b.key ? -1 : 1)).slice(0, limit)
}

/** The values of a key with their numbers of slow and fast requests. */
class KeyValues {
  readonly #counts = new Map<string, { slow: number; fast: number }>()
  #isNumber = true
  #requests = 0

  add(value: string, isNumber: boolean, isSlow: boolean): void {
    let count = this.#counts.get(value)
    if (count === undefined) this.#counts.set(value, (count = { slow: 0, fast: 0 }))
    count[isSlow ? 'slow' : 'fast']++
    this.#isNumber &&= isNumber
    this.#requests++
  }

  *conditions(key: string, slow: number, fast: number): Generator<Found> {
    if (this.#isNumber && this.#counts.size >= MIN_NUMBERS) yield* this.#threshold(key, slow, fast)
    if (this.#counts.size > MAX_DISTINCT_SHARE * this.#requests) return
    for (const [value, count] of this.#counts) {
      if (count.slow + count.fast < MIN_REQUESTS || count.slow / slow <= count.fast / fast) continue
      const tail = hypergeometricTail(count.slow, { drawn: slow, marked: count.slow + count.fast, of: slow + fast })
      yield { key, comparison: '=', value, ...sharesOf(count, slow, fast), p: Math.min(1, 2 * tail) }
    }
  }

  /** The threshold with the largest difference. Requests without the attribute fulfil neither direction. */
  *#threshold(key: string, slow: number, fast: number): Generator<Found> {
    const sorted = [...this.#counts].sort(([a], [b]) => Number(a) - Number(b))
    const all = { slow: 0, fast: 0 }
    for (const [, { slow, fast }] of sorted) {
      all.slow += slow
      all.fast += fast
    }
    const below = { slow: 0, fast: 0 }
    let best: Omit<Found, 'p'> | undefined
    for (const [value, { slow: ofSlow, fast: ofFast }] of sorted.slice(0, -1)) {
      below.slow += ofSlow
      below.fast += ofFast
      const above = { slow: all.slow - below.slow, fast: all.fast - below.fast }
      for (const [comparison, some] of [['>', above] as const, ['≤', below] as const]) {
        const shares = sharesOf(some, slow, fast)
        if (best === undefined || shares.difference > best.difference) best = { key, comparison, value, ...shares }
      }
    }
    if (best !== undefined) yield { ...best, p: kolmogorovTail(best.difference, slow, fast) }
  }
}

function sharesOf(some: { readonly slow: number; readonly fast: number }, slow: number, fast: number) {
  const shares = { slow: some.slow / slow, fast: some.fast / fast }
  return { ...shares, difference: shares.slow - shares.fast }
}
