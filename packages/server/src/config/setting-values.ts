// The kinds of values that settings have, each read from the text of a flag, of an environment variable or of the
// configuration file.

/** What is wrong with a value; the caller knows where it stands. */
export class ValueError extends Error {
  override readonly name = 'ValueError'
}

const DURATIONS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** Milliseconds. */
export function duration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)$/.exec(text)
  if (match === null) throw new ValueError(`'${text}' is not a duration: write 100ms, 30s, 15m, 12h, 30d or 8w`)
  return Number(match[1]) * DURATIONS[match[2]]
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

/** Bytes. */
export function size(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(B|kB|MB|GB|TB|KiB|MiB|GiB|TiB)$/.exec(text)
  if (match === null) throw new ValueError(`'${text}' is not a size: write 512MiB, 50GiB or 2TB`)
  return Math.floor(Number(match[1]) * SIZES[match[2]])
}

export function port(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > 65_535)
    throw new ValueError(`'${text}' is not a port: 0 to 65535, 0 takes a free one`)
  return value
}

export function count(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new ValueError(`'${text}' is not a whole number`)
  return value
}

/** The same without what is too little to work with. */
export function atLeast(least: number, read: (text: string) => number): (text: string) => number {
  return text => {
    const value = read(text)
    if (value < least) throw new ValueError(`'${text}' is too little`)
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
    if (choice === undefined) throw new ValueError(`'${text}' is none of ${choices.join(', ')}`)
    return choice
  }
}

export function someText(text: string): string {
  if (text === '') throw new ValueError('it must not be empty')
  return text
}

/** Separated by commas. */
export function list(text: string): readonly string[] {
  return text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
}
