// Punycode (RFC 3492) as Rust's v0 mangling uses it: `gdel_5qa` for `gödel`, with `_` between the plain characters and
// the deltas.

const BASE = 36
const T_MIN = 1
const T_MAX = 26

/** Returns undefined if `text` is not valid punycode. */
export function decodePunycode(text: string): string | undefined {
  const split = text.lastIndexOf('_')
  const points = Array.from(split < 0 ? '' : text.slice(0, split), char => char.codePointAt(0) ?? 0)
  let at = split + 1
  if (at === text.length) return undefined
  let point = 128
  let bias = 72
  let i = 0
  let isFirst = true
  while (at < text.length) {
    const before = i
    let weight = 1
    for (let k = BASE; ; k += BASE) {
      const digit = digitOf(text.charCodeAt(at++))
      if (digit < 0) return undefined
      i += digit * weight
      if (i > 0x7fff_ffff) return undefined
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX)
      if (digit < threshold) break
      weight *= BASE - threshold
    }
    const length = points.length + 1
    bias = adapted(i - before, length, isFirst)
    isFirst = false
    point += Math.floor(i / length)
    i %= length
    if (point > 0x10_ffff || (point >= 0xd800 && point < 0xe000)) return undefined
    points.splice(i++, 0, point)
  }
  return points.map(code => String.fromCodePoint(code)).join('')
}

function adapted(delta: number, length: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? 700 : 2))
  rest += Math.floor(rest / length)
  let k = 0
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - T_MIN))
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + 38))
}

/** Returns 0-25 for a-z, 26-35 for 0-9, and -1 for other characters and the end of the text. */
function digitOf(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return code - 0x61
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 26
  return -1
}
