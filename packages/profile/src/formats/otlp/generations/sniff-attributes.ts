// The last resort to distinguish v1.11 from v1.8 and v1.9: samples with only a stack, timestamps, and as many numbers in field
// 2. These are attributes in v1.11 and values in the others, and both interpretations satisfy all rules.
import type { SniffCursor } from './sniff-cursor.ts'

export interface AttributeJudgement {
  readonly isAttributes: boolean
  readonly certain: boolean
  readonly why: string
}

/** Paths of tags that lead to messages in the payload. */
const SAMPLES = [0x0a, 0x12, 0x12, 0x12]
const RESOURCE_ATTRIBUTES = [0x0a, 0x0a, 0x0a]
const SCOPE_ATTRIBUTES = [0x0a, 0x12, 0x0a, 0x1a]
const DICTIONARY_ATTRIBUTES = [0x12, 0x32]

/** Deeper values are ignored. */
const MAX_DEPTH = 16

/** Whether an attribute has its key or value in the string table, which is possible since v1.10. */
export function refersToStrings(cursor: SniffCursor, from: number, to: number): boolean {
  const isKeyValue = (start: number, end: number): boolean => keyValueRefers(cursor, start, end, 0)
  return (
    some(cursor, from, to, RESOURCE_ATTRIBUTES, 0, isKeyValue) ||
    some(cursor, from, to, SCOPE_ATTRIBUTES, 0, isKeyValue) ||
    // KeyValueAndUnit has its value in the same field. Its field 3 is the unit.
    some(cursor, from, to, [...DICTIONARY_ATTRIBUTES, 0x12], 0, (start, end) => valueRefers(cursor, start, end, 0))
  )
}

/**
 * Judges the numbers in field 2. Values are rarely all valid attribute indexes. If they are, other references count: a
 * dictionary should have no orphans, so attributes without references from mappings, locations and profiles belong to samples.
 */
export function mostlyAttributes(
  cursor: SniffCursor,
  from: number,
  to: number,
  isUsed: Uint8Array,
  maxSamples: number,
): AttributeJudgement {
  let samples = 0
  let numbers = 0
  let hasOrphan = false
  let against: AttributeJudgement | undefined
  const seen = new Set<number>()
  const judge = (list: number, listEnd: number): boolean => {
    for (let p = list; p < listEnd && against === undefined; p = cursor.pos) {
      const index = cursor.varint(p, listEnd)
      if (index >= isUsed.length) against = NO_ATTRIBUTES
      else if (seen.has(index)) against = REPEATED
      else if (isUsed[index] === 0 && index > 0) hasOrphan = true
      seen.add(index)
      numbers++
    }
    return against !== undefined
  }
  some(cursor, from, to, SAMPLES, 0, (start, end) => {
    samples++
    seen.clear()
    // Packed and unpacked.
    const isSettled = some(cursor, start, end, [0x12], 0, judge) || some(cursor, start, end, [0x10], 0, judge)
    return isSettled || samples >= maxSamples
  })
  if (numbers === 0) return NOTHING
  return against ?? (hasOrphan ? ORPHANS : NO_ORPHANS)
}

const NOTHING: AttributeJudgement = { isAttributes: true, certain: false, why: 'nothing indicates its generation' }
const NO_ATTRIBUTES: AttributeJudgement = {
  isAttributes: false,
  certain: true,
  why: 'its samples have numbers in field 2 that are not attributes',
}
const REPEATED: AttributeJudgement = {
  isAttributes: false,
  certain: false,
  why: 'its samples have duplicate numbers in field 2, which is unlikely for attributes',
}
const ORPHANS: AttributeJudgement = {
  isAttributes: true,
  certain: false,
  why: 'its samples may refer to attributes without other references',
}
const NO_ORPHANS: AttributeJudgement = {
  isAttributes: false,
  certain: false,
  why: 'its samples have values for their timestamps, or attributes with other references',
}

/**
 * Returns, for each row of the attribute table, whether a mapping, a location or a profile refers to it. `profileLists` are
 * starts and ends of the lists of profiles.
 */
export function usedAttributes(
  cursor: SniffCursor,
  dictionaryFrom: number,
  dictionaryTo: number,
  profileLists: readonly number[],
): Uint8Array {
  let rows = 0
  const lists = [...profileLists]
  for (let p = dictionaryFrom; p < dictionaryTo;) {
    const table = cursor.field(p, dictionaryTo)
    if (table === 0) break
    const { start, pos: stop } = cursor
    p = stop
    if (table === 0x32) rows++
    else if (table === 0x0a || table === 0x12) {
      const wanted = table === 0x0a ? 0x2a : 0x22
      for (let inner = start; inner < stop; inner = cursor.pos) {
        const tag = cursor.field(inner, stop)
        if (tag === 0) break
        if (tag === wanted) lists.push(cursor.start, cursor.pos)
      }
    }
  }
  const isUsed = new Uint8Array(rows)
  for (let i = 0; i < lists.length; i += 2) {
    for (let p = lists[i]; p < lists[i + 1]; p = cursor.pos) {
      const index = cursor.varint(p, lists[i + 1])
      if (index < rows) isUsed[index] = 1
    }
  }
  return isUsed
}

/** Visits all fields at the end of a path of tags until a visit returns true. */
function some(
  cursor: SniffCursor,
  from: number,
  to: number,
  path: readonly number[],
  depth: number,
  visit: (from: number, to: number) => boolean,
): boolean {
  for (let p = from; p < to;) {
    const tag = cursor.field(p, to)
    if (tag === 0) return false
    const { start, pos: stop } = cursor
    p = stop
    if (tag !== path[depth]) continue
    const found = depth + 1 === path.length ? visit(start, stop) : some(cursor, start, stop, path, depth + 1, visit)
    if (found) return true
  }
  return false
}

function keyValueRefers(cursor: SniffCursor, from: number, to: number, depth: number): boolean {
  for (let p = from; p < to;) {
    const tag = cursor.field(p, to)
    if (tag === 0) return false
    const { start, pos: stop } = cursor
    p = stop
    if (tag === 0x18) return true
    if (tag === 0x12 && valueRefers(cursor, start, stop, depth)) return true
  }
  return false
}

/** Whether an AnyValue refers to the string table: field 8 is the reference, 5 an array, 6 a list of key-values. */
function valueRefers(cursor: SniffCursor, from: number, to: number, depth: number): boolean {
  if (depth > MAX_DEPTH) return false
  for (let p = from; p < to;) {
    const tag = cursor.field(p, to)
    if (tag === 0) return false
    const { start, pos: stop } = cursor
    p = stop
    if (tag === 0x40) return true
    if (tag === 0x2a && some(cursor, start, stop, [0x0a], 0, (a, b) => valueRefers(cursor, a, b, depth + 1)))
      return true
    if (tag === 0x32 && some(cursor, start, stop, [0x0a], 0, (a, b) => keyValueRefers(cursor, a, b, depth + 1)))
      return true
  }
  return false
}
