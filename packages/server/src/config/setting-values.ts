// The value types of settings. Each parser reads the text of a flag, an environment variable or the configuration file.
import { parseDurationMs } from '@hearth/profile'

/** An invalid value. The caller adds where it was found. */
export class ValueError extends Error {
  override readonly name = 'ValueError'
}

/** Returns milliseconds. */
export function duration(text: string): number {
  const ms = parseDurationMs(text)
  if (ms === undefined) throw new ValueError(`'${text}' is not a duration; write 100ms, 30s, 15m, 12h, 30d or 8w`)
  return ms
}

const SIZES: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
}

/** Returns bytes. */
export function size(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(B|kB|MB|GB|TB|KiB|MiB|GiB|TiB)$/.exec(text)
  if (match === null) throw new ValueError(`'${text}' is not a size; write 512MiB, 50GiB or 2TB`)
  return Math.floor(Number(match[1]) * SIZES[match[2]])
}

export function port(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > 65_535)
    throw new ValueError(`'${text}' is not a port; use 0 to 65535, where 0 picks a free one`)
  return value
}

export function count(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new ValueError(`'${text}' is not a whole number`)
  return value
}

/** A price with a currency, which is USD unless given. */
export function price(text: string): { readonly amount: number; readonly currency: string } {
  const match = /^(\d+(?:\.\d+)?)\s*([A-Z]{3})?$/.exec(text)
  if (match === null) throw new ValueError(`'${text}' is not a price; write 0.04 or 0.04EUR`)
  return { amount: Number(match[1]), currency: match[2] ?? 'USD' }
}

/** Adds a minimum to a parser. */
export function atLeast(min: number, read: (text: string) => number): (text: string) => number {
  return text => {
    const value = read(text)
    if (value < min) throw new ValueError(`'${text}' is too small; the minimum is ${min}`)
    return value
  }
}

/** Adds a maximum to a parser. */
export function atMost(max: number, read: (text: string) => number): (text: string) => number {
  return text => {
    const value = read(text)
    if (value > max) throw new ValueError(`'${text}' is too large; the maximum is ${max}`)
    return value
  }
}

export function yesOrNo(text: string): boolean {
  if (text === 'true' || text === 'yes' || text === '1') return true
  if (text === 'false' || text === 'no' || text === '0') return false
  throw new ValueError(`'${text}' is neither true nor false`)
}

export function oneOf<const Choice extends string>(...choices: readonly Choice[]): (text: string) => Choice {
  return text => {
    const choice = choices.find(name => name === text)
    if (choice === undefined) throw new ValueError(`unknown value '${text}'; expected one of ${choices.join(', ')}`)
    return choice
  }
}

export function someText(text: string): string {
  if (text === '') throw new ValueError('the value must not be empty')
  return text
}

const LINK_PLACES = ['repo', 'revision', 'path', 'line']

/** Reads the address of a source line with {places}. */
export function linkTemplate(text: string): string {
  if (!/^https?:\/\/[^{}\s]/.test(text)) throw new ValueError(`"${text}" does not start with https:// and a host`)
  const unknown = Array.from(text.matchAll(/\{([^}]*)\}/g), ([, name]) => name).find(
    name => !LINK_PLACES.includes(name),
  )
  if (unknown === undefined) return text
  throw new ValueError(`unknown place {${unknown}}; use ${LINK_PLACES.map(name => `{${name}}`).join(', ')}`)
}

/** Reads a comma-separated list. */
export function list(text: string): readonly string[] {
  return text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
}

export function httpUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw new ValueError(`'${text}' is not a URL; write https://hearth.example`)
}

/** Reads a comma-separated list of HTTP addresses. */
export function urls(text: string): readonly string[] {
  return list(text).map(httpUrl)
}
