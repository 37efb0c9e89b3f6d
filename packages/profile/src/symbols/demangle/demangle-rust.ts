// Demangles Rust names of both schemes: legacy, which looks like C++ with a hash at the end, and v0.
import { demangleRustV0 } from './rust-v0.ts'

const MAX_INPUT = 1 << 16

const ESCAPES: Readonly<Record<string, string>> = {
  SP: '@',
  BP: '*',
  RF: '&',
  LT: '<',
  GT: '>',
  LP: '(',
  RP: ')',
  C: ',',
}

/** Returns undefined if the text is not a mangled Rust name. Never throws. */
export function demangleRust(name: string): string | undefined {
  if (name.length > MAX_INPUT) return undefined
  // Mach-O puts one more underscore in front.
  const v0 = /^__?R/.exec(name)
  if (v0 === null) return demangleLegacy(name)
  const symbol = name.slice(v0[0].length)
  const result = demangleRustV0(symbol)
  if (result === undefined) return undefined
  const suffix = suffixText(symbol.slice(result.end))
  return suffix === undefined ? undefined : result.text + suffix
}

/**
 * `_ZN`, parts with their lengths, `E`. The last part is `h` and 16 hex digits, which distinguishes it from C++:
 *
 *   _ZN4core3fmt5Write9write_fmt17h0123456789abcdefE
 */
function demangleLegacy(name: string): string | undefined {
  const start = /^__?ZN/.exec(name)
  if (start === null) return undefined
  const parts: string[] = []
  let at = start[0].length
  while (name[at] !== 'E') {
    const length = /^[1-9]\d{0,5}/.exec(name.slice(at, at + 6))
    if (length === null) return undefined
    const from = at + length[0].length
    at = from + Number(length[0])
    if (at >= name.length) return undefined
    parts.push(name.slice(from, at))
  }
  const hash = parts.pop()
  const suffix = suffixText(name.slice(at + 1))
  if (hash === undefined || parts.length === 0 || !/^h[0-9a-f]{16}$/.test(hash) || suffix === undefined)
    return undefined
  return parts.map(unescaped).join('::') + suffix
}

/** The text for a symbol's suffix: nothing for LLVM's numbers, names of clones as for C++. */
function suffixText(rest: string): string | undefined {
  const suffix = rest.replace(/\.llvm\.[0-9A-Fa-f@]+$/, '')
  if (suffix === '') return ''
  return /^[.$][\w.$@]+$/.test(suffix) ? ` [clone ${suffix}]` : undefined
}

function unescaped(part: string): string {
  // Identifiers may not start with `$`, so the compiler adds an underscore.
  return part
    .replace(/^_(?=\$)/, '')
    .replace(/\.\.|\$([A-Z]{1,2}|u[0-9a-f]{1,6})\$/g, (all, code: string | undefined) => {
      if (code === undefined) return '::'
      if (!code.startsWith('u')) return ESCAPES[code] ?? all
      const point = Number.parseInt(code.slice(1), 16)
      const isText = point >= 0x20 && point !== 0x7f && point <= 0x10_ffff && !(point >= 0xd800 && point < 0xe000)
      return isText ? String.fromCodePoint(point) : all
    })
}
