// Lower bounds for any reader: a look at every byte, and a walk over every tag, length and varint that keeps nothing. The
// tables show them to show how much room is left.

/** Reads every byte. */
export function scanBytes(bytes: Uint8Array): number {
  let high = 0
  for (let i = 0; i < bytes.length; i++) high += bytes[i] >> 7
  return high
}

/** Fields that are messages themselves, by number. Other length-delimited fields are skipped or packed. */
interface Shape {
  readonly [field: number]: Shape | 'varints' | 'skip'
}

const anyValue: Shape = { 1: 'skip', 7: 'skip' }
const keyValue: Shape = { 1: 'skip', 2: anyValue }
const resource: Shape = { 1: keyValue }
const scope: Shape = { 1: 'skip', 2: 'skip', 3: keyValue }
const profile: Shape = {
  1: {},
  2: { 2: 'varints', 4: 'varints', 5: 'skip' },
  5: {},
  7: 'skip',
  9: 'skip',
  10: 'skip',
  11: 'varints',
}
const request: Shape = {
  1: { 1: resource, 2: { 1: scope, 2: profile, 3: 'skip' }, 3: 'skip' },
  2: {
    1: { 5: 'varints' },
    2: { 3: {}, 4: 'varints' },
    3: {},
    4: { 1: 'skip', 2: 'skip' },
    5: 'skip',
    6: { 2: anyValue },
    7: { 1: 'varints' },
  },
}

let position = 0

/** Reads every tag and number of a payload and keeps only their sum. */
export function walkStructure(bytes: Uint8Array): number {
  return walk(bytes, 0, bytes.length, request)
}

function walk(bytes: Uint8Array, from: number, end: number, shape: Shape): number {
  let sum = 0
  let p = from
  while (p < end) {
    const tag = varint(bytes, p)
    p = position
    switch (tag & 7) {
      case 0:
        sum += varint(bytes, p)
        p = position
        break
      case 1:
        p += 8
        break
      case 2: {
        const stop = varint(bytes, p) + position
        p = position
        const inner = shape[tag >> 3]
        if (inner === 'varints') for (; p < stop; p = position) sum += varint(bytes, p)
        else if (inner !== undefined && inner !== 'skip') sum += walk(bytes, p, stop, inner)
        p = stop
        break
      }
      default:
        throw new Error(`wire type ${tag & 7} in a payload of the benchmark`)
    }
  }
  return sum
}

function varint(bytes: Uint8Array, from: number): number {
  let byte = bytes[from]
  position = from + 1
  if (byte < 128) return byte
  let value = byte & 127
  for (let shift = 7; byte >= 128; shift += 7) {
    byte = bytes[position++]
    if (shift < 32) value |= (byte & 127) << shift
  }
  return value
}
