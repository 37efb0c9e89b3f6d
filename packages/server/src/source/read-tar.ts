// Reads the files of a tar archive: ustar, with the long names of pax and GNU tar. Archives are untrusted input: every length is
// checked, and a chain of headers without files ends at a limit.
//
//   header (512 bytes) ─ content, padded to 512 ─ header ─ content ─ … ─ two empty blocks
import { FormatError } from '@hearth/profile'

export interface TarFile {
  readonly path: string
  /** A view of the archive. */
  readonly content: Uint8Array
}

const BLOCK = 512
const MAX_ENTRIES = 1_000_000
/** Longer names are of no file system. */
const MAX_NAME_BYTES = 65_536

const MAGIC = { at: 257, text: 'ustar' }

export function isTar(bytes: Uint8Array): boolean {
  return bytes.length >= BLOCK && latin1(bytes, MAGIC.at, MAGIC.text.length) === MAGIC.text
}

/** The regular files in their order. Links and devices are skipped. Throws FormatError. */
export function* readTar(bytes: Uint8Array): Generator<TarFile> {
  let longName: string | undefined
  let entries = 0
  for (let at = 0; at + BLOCK <= bytes.length && !isEmptyBlock(bytes, at);) {
    if (++entries > MAX_ENTRIES) throw new FormatError('tar', at, `more than ${MAX_ENTRIES} entries`)
    checkSum(bytes, at)
    const size = numberAt(bytes, at + 124, 12)
    const start = at + BLOCK
    if (size > bytes.length - start)
      throw new FormatError('tar', at, `a file of ${size} bytes exceeds the ${bytes.length - start} that are left`)
    const content = bytes.subarray(start, start + size)
    const kind = latin1(bytes, at + 156, 1)
    if (kind === 'L') longName = decodeUntilZero(nameContent(content, at))
    else if (kind === 'x') longName = paxPath(nameContent(content, at)) ?? longName
    else if (kind !== 'g' && kind !== 'K') {
      if (kind === '0' || kind === '\0' || kind === '7') yield { path: longName ?? shortName(bytes, at), content }
      longName = undefined
    }
    at = start + Math.ceil(size / BLOCK) * BLOCK
  }
}

function nameContent(content: Uint8Array, at: number): Uint8Array {
  if (content.length <= MAX_NAME_BYTES) return content
  throw new FormatError('tar', at, `a name of ${content.length} bytes exceeds the limit of ${MAX_NAME_BYTES}`)
}

/** `prefix/name` of ustar. GNU's variant of the magic has other fields there. */
function shortName(bytes: Uint8Array, at: number): string {
  const name = decodeUntilZero(bytes.subarray(at, at + 100))
  const hasPrefix = latin1(bytes, at + MAGIC.at, 6) === 'ustar\0'
  const prefix = hasPrefix ? decodeUntilZero(bytes.subarray(at + 345, at + 500)) : ''
  return prefix === '' ? name : `${prefix}/${name}`
}

/** Records of pax are `LENGTH KEY=VALUE\n`. */
function paxPath(content: Uint8Array): string | undefined {
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at)
    const length = space < 0 ? Number.NaN : Number(latin1(content, at, space - at))
    if (!Number.isSafeInteger(length) || length <= space - at || at + length > content.length) return undefined
    const record = new TextDecoder().decode(content.subarray(space + 1, at + length - 1))
    if (record.startsWith('path=')) return record.slice('path='.length)
    at += length
  }
  return undefined
}

/** The sum of the header's bytes, with its own field as spaces. */
function checkSum(bytes: Uint8Array, at: number): void {
  let sum = 8 * 0x20
  for (let i = 0; i < BLOCK; i++) if (i < 148 || i >= 156) sum += bytes[at + i]
  const stated = numberAt(bytes, at + 148, 8)
  if (sum !== stated) throw new FormatError('tar', at, `the checksum of a header is ${sum}, not ${stated}`)
}

/** Octal text, or a number in base 256 if the first bit is set. */
function numberAt(bytes: Uint8Array, at: number, length: number): number {
  let value = 0
  if ((bytes[at] & 0x80) !== 0) {
    for (let i = 1; i < length; i++) value = value * 256 + bytes[at + i]
    return value
  }
  const text = latin1(bytes, at, length).replaceAll('\0', ' ').trim()
  if (!/^[0-7]*$/.test(text)) throw new FormatError('tar', at, `${JSON.stringify(text)} is not an octal number`)
  return text === '' ? 0 : Number.parseInt(text, 8)
}

function isEmptyBlock(bytes: Uint8Array, at: number): boolean {
  for (let i = at; i < at + BLOCK; i++) if (bytes[i] !== 0) return false
  return true
}

function decodeUntilZero(bytes: Uint8Array): string {
  const end = bytes.indexOf(0)
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end))
}

function latin1(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length))
}
