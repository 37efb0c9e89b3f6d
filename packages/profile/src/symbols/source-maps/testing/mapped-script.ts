// Writes source maps from plain numbers, for tests.

/** The column and its origin: source, line, column, name. All count from 0, as in the file. */
export type MappedSegment =
  | readonly [number]
  | readonly [number, number, number, number]
  | readonly [number, number, number, number, number]

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

export function encodeMappings(lines: readonly (readonly MappedSegment[])[]): string {
  const before = [0, 0, 0, 0, 0]
  return lines
    .map(segments => {
      before[0] = 0
      return segments
        .map(segment =>
          segment
            .map((value, i) => {
              const difference = value - before[i]
              before[i] = value
              return encodeNumber(difference)
            })
            .join(''),
        )
        .join(',')
    })
    .join(';')
}

function encodeNumber(value: number): string {
  let rest = value < 0 ? -value * 2 + 1 : value * 2
  let text = ''
  do {
    const digit = rest % 32
    rest = Math.floor(rest / 32)
    text += ALPHABET[rest > 0 ? digit + 32 : digit]
  } while (rest > 0)
  return text
}

export function mapText(
  lines: readonly (readonly MappedSegment[])[],
  sources: readonly string[],
  names: readonly string[] = [],
): string {
  return JSON.stringify({ version: 3, sources, names, mappings: encodeMappings(lines) })
}
