// The formats of Pyroscope's oldest clients: stacks with a number, as text or as a trie or tree. All are root first.
//
//   groups   one line per stack: `main;run;gc 12`
//   lines    one line per occurrence of a stack: `main;run;gc`
//   trie     nodes in depth-first order, each before its children: length of its text, text, value, number of children.
//            The texts from the root down make a line: `main;r` + `un`
//   tree     the same, but each text is one function; the root has none
//
// Numbers of the binary formats are varints. A trie of a few kilobytes can expand to gigabytes of text, so the expanded
// size has the limit of a body.
import { FormatError } from '@hearth/profile'

export type StackFormat = 'groups' | 'lines' | 'trie' | 'tree'

const SEPARATOR = ';'
const NEWLINE = 0x0a
const MAX_INT64 = 2n ** 63n - 1n

/** The expanded stacks exceed the limit. */
export class UnfoldError extends Error {
  override readonly name = 'UnfoldError'
}

/** The sums of each stack's values, by its functions from the root, joined with `\0`. */
class StackCounts {
  readonly counts = new Map<string, bigint>()
  #left: number

  /** `limit` is the maximum size of all texts in bytes. */
  constructor(limit: number) {
    this.#left = limit
  }

  add(line: string, value: bigint): void {
    this.addFrames(line.split(SEPARATOR), value)
  }

  addFrames(frames: readonly string[], value: bigint): void {
    // An empty text between separators is not a function.
    const key = frames.filter(frame => frame !== '').join('\0')
    if (key === '') return
    const sum = (this.counts.get(key) ?? 0n) + value
    if (sum > MAX_INT64 || sum < -MAX_INT64 - 1n) throw new RangeError(`the values of a stack add up to ${sum}`)
    this.counts.set(key, sum)
  }

  /** Counts the text of a stack towards the limit. */
  spend(bytes: number): void {
    this.#left -= bytes
    if (this.#left < 0) throw new UnfoldError('the stacks expand to more than the limit')
  }
}

/** Throws FormatError, UnfoldError and RangeError. */
export function readStackCounts(format: StackFormat, body: Uint8Array, limit: number): StackCounts {
  const counts = new StackCounts(limit)
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  if (format === 'trie' || format === 'tree') readNodes(format, bytes, counts)
  else readLines(format, bytes, counts)
  return counts
}

function readLines(format: 'groups' | 'lines', bytes: Buffer, counts: StackCounts): void {
  for (let from = 0; from < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, from)
    const to = newline < 0 ? bytes.length : newline
    const line = bytes.toString('utf8', from, to).trim()
    if (line !== '') {
      if (format === 'lines') counts.add(line, 1n)
      else {
        const space = line.lastIndexOf(' ')
        const value = space < 0 ? undefined : wholeOf(line.slice(space + 1))
        if (value === undefined)
          throw new FormatError(format, from, 'a line does not end in a space and a whole number')
        counts.add(line.slice(0, space), value)
      }
    }
    from = to + 1
  }
}

function wholeOf(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,19}$/.test(text)) return undefined
  const value = BigInt(text.replace(/^\+/, ''))
  return value > MAX_INT64 ? undefined : value
}

/** The nodes from the root down to the one that is being read. */
interface OpenNode {
  readonly text: Buffer
  /** The number of children that follow. */
  left: number
}

function readNodes(format: 'trie' | 'tree', bytes: Buffer, counts: StackCounts): void {
  const cursor = new NodeCursor(format, bytes)
  const open: OpenNode[] = []
  while (cursor.at < bytes.length) {
    if (open.length > 0) open[open.length - 1].left--
    const text = cursor.text()
    const value = cursor.varint()
    open.push({ text, left: cursor.count() })
    if (value > 0n) addPath(format, open, value, counts)
    while (open.length > 0 && open[open.length - 1].left === 0) open.pop()
  }
  if (open.length > 0) cursor.fail('the bytes end before the last node')
}

function addPath(format: 'trie' | 'tree', open: readonly OpenNode[], value: bigint, counts: StackCounts): void {
  let size = open.length
  for (const { text } of open) size += text.length
  counts.spend(size)
  const texts = open.map(({ text }) => text)
  // A part of a trie may end inside of a character.
  if (format === 'trie') counts.add(Buffer.concat(texts).toString('utf8'), value)
  else
    counts.addFrames(
      texts.map(text => text.toString('utf8')),
      value,
    )
}

class NodeCursor {
  at = 0
  readonly #format: string
  readonly #bytes: Buffer

  constructor(format: string, bytes: Buffer) {
    this.#format = format
    this.#bytes = bytes
  }

  fail(what: string, at = this.at): never {
    throw new FormatError(this.#format, at, what)
  }

  text(): Buffer {
    const from = this.at
    const length = this.varint()
    if (length > BigInt(this.#bytes.length - this.at)) this.fail(`a text of ${length} bytes runs past the end`, from)
    this.at += Number(length)
    return this.#bytes.subarray(this.at - Number(length), this.at)
  }

  /** The number of nodes that follow. Each has at least 3 bytes. */
  count(): number {
    const from = this.at
    const count = this.varint()
    if (count * 3n > BigInt(this.#bytes.length - this.at)) this.fail(`${count} children run past the end`, from)
    return Number(count)
  }

  varint(): bigint {
    const from = this.at
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (this.at >= this.#bytes.length) this.fail('a number runs past the end', from)
      const byte = this.#bytes[this.at++]
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value > MAX_INT64 ? this.fail('a number does not fit in 63 bits', from) : value
    }
    return this.fail('a number is longer than 10 bytes', from)
  }
}
