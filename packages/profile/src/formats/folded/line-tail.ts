// Parses a line from its end, where its numbers are. Names may contain spaces and numbers, so a single line can be
// ambiguous. The whole file decides which reading applies (see dialect.ts).
//
//   main;worker 3 17                                  kind     plain reading     richer reading
//   main;worker 17                                    one      value 17          -
//   main;worker 3 17                                  two      worker 3 = 17     before 3, after 17; or value 3 at time 17
//   main;worker 3 region=us,trace_id=0x01 17          timed    …trace_id = 17    value 3, attributes, time 17
//   main;worker 3 region=us                           labeled  -                 value 3, attributes

export type TailKind = 'no-value' | 'no-stack' | 'one' | 'two' | 'timed' | 'labeled'

const SPACE = 0x20
const TAB = 0x09
const CR = 0x0d
const SEMICOLON = 0x3b
const COMMA = 0x2c
const EQUALS = 0x3d
const MINUS = 0x2d
const PLUS = 0x2b
const DOT = 0x2e
/** Longer tokens are not numbers: nobody writes them, and converting digits to a number takes quadratic time. */
const MAX_NUMBER = 64

export function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB || byte === CR
}

export interface Token {
  from: number
  to: number
  /** The end of the text before the token, without the spaces between. NONE (-1) if there is no such token. */
  before: number
}

const noToken = (): Token => ({ from: -1, to: -1, before: -1 })

export class LineTail {
  kind: TailKind = 'no-value'
  /** The last token of the line, which is the value in a plain reading. */
  readonly last: Token = noToken()
  /** The value in the richer readings. */
  readonly value: Token = noToken()
  /** The attributes of `timed` and `labeled`. */
  readonly attributes: Token = noToken()

  /** The line is bytes[from, to) without spaces at its end. It is not empty. */
  parse(bytes: Uint8Array, from: number, to: number): TailKind {
    return (this.kind = this.#parse(bytes, from, to))
  }

  #parse(bytes: Uint8Array, from: number, to: number): TailKind {
    const { last, value, attributes } = this
    if (!tokenBefore(bytes, from, to, last)) {
      return last.from === from && isNumber(bytes, last.from, last.to) ? 'no-stack' : 'no-value'
    }
    if (!isNumber(bytes, last.from, last.to)) {
      if (!isAttributeList(bytes, last.from, last.to)) return 'no-value'
      copyToken(last, attributes)
      return this.#numberBefore(bytes, from, last.before, value) ? 'labeled' : 'no-value'
    }
    return stackEnd(last) === from ? 'no-stack' : this.kindOfStack(bytes, from, last.before)
  }

  /** The kind of line that the stack in bytes[from, end) makes with one number after it. */
  kindOfStack(bytes: Uint8Array, from: number, end: number): 'one' | 'two' | 'timed' {
    const { value, attributes } = this
    let to = end
    while (to > from && isBlank(bytes[to - 1])) to--
    if (this.#numberBefore(bytes, from, to, value)) return 'two'
    if (value.before < 0 || !isAttributeList(bytes, value.from, value.to)) return 'one'
    copyToken(value, attributes)
    return this.#numberBefore(bytes, from, attributes.before, value) ? 'timed' : 'one'
  }

  /** Whether the text up to `to` ends in a number with something before it. */
  #numberBefore(bytes: Uint8Array, from: number, to: number, token: Token): boolean {
    return tokenBefore(bytes, from, to, token) && token.before > from && isNumber(bytes, token.from, token.to)
  }
}

/**
 * The end of the stack whose value is this token. One space separates them. Further spaces are part of the name,
 * because some collapsers write an unknown frame as a single space.
 */
export function stackEnd(value: Token): number {
  return value.from - 1
}

function copyToken(source: Token, target: Token): void {
  target.from = source.from
  target.to = source.to
  target.before = source.before
}

/**
 * Finds the token that ends at `to`, back to a space. Tokens contain no `;`, so the search does not walk over a frame's
 * text.
 */
function tokenBefore(bytes: Uint8Array, from: number, to: number, token: Token): boolean {
  let at = to
  while (at > from && !isBlank(bytes[at - 1]) && bytes[at - 1] !== SEMICOLON) at--
  token.from = at
  token.to = to
  token.before = -1
  if (at === from || bytes[at - 1] === SEMICOLON) return false
  let before = at
  while (before > from && isBlank(bytes[before - 1])) before--
  token.before = before
  return true
}

/** `12`, `-3`, `1.5`, `1e-5`. */
export function isNumber(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from > MAX_NUMBER) return isLongNumber(bytes, from, to)
  let at = bytes[from] === MINUS ? from + 1 : from
  const whole = at
  at = digitsEnd(bytes, at, to)
  let digits = at - whole
  if (at < to && bytes[at] === DOT) {
    const fraction = at + 1
    at = digitsEnd(bytes, fraction, to)
    digits += at - fraction
  }
  if (digits === 0) return false
  if (at < to && (bytes[at] | 0x20) === 0x65) {
    const sign = at + 1 < to && (bytes[at + 1] === MINUS || bytes[at + 1] === PLUS) ? 1 : 0
    const exponent = at + 1 + sign
    at = digitsEnd(bytes, exponent, to)
    if (at === exponent) return false
  }
  return at === to
}

/**
 * A number with too many digits is still a number. The error then says that it is too large, not that it is missing.
 */
function isLongNumber(bytes: Uint8Array, from: number, to: number): boolean {
  return digitsEnd(bytes, bytes[from] === MINUS ? from + 1 : from, to) === to
}

/** Whether the whole token consists of digits, like a timestamp. */
export function isDigits(bytes: Uint8Array, from: number, to: number): boolean {
  return from < to && digitsEnd(bytes, from, to) === to
}

function digitsEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from
  while (at < to && bytes[at] >= 0x30 && bytes[at] <= 0x39) at++
  return at
}

/** `key=value,key=value`: every part has a key. */
export function isAttributeList(bytes: Uint8Array, from: number, to: number): boolean {
  let part = from
  let keyed = false
  for (let at = from; at <= to; at++) {
    if (at === to || bytes[at] === COMMA) {
      if (!keyed) return false
      part = at + 1
      keyed = false
    } else if (bytes[at] === EQUALS && !keyed) {
      if (at === part) return false
      keyed = true
    }
  }
  return true
}
