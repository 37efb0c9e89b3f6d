// Reads the layout that a chunk describes: classes with their fields in the order of the values. Event types are classes too.
// The metadata event has a table of strings and a tree of elements, of which `class` and `field` matter here:
//
//   root > metadata > class { id, name, superType } > field { name, class, constantPool, dimension }
import { NONE } from '../../../model/columns/brand.ts'
import { highHalf, lowHalf, uint64 } from '../../../model/columns/int64.ts'
import { decodeUtf8 } from '../../../wire/utf8.ts'
import type { Cursor } from './cursor.ts'
import { TextEncoding } from './cursor.ts'
import { KeyIndex } from './key-index.ts'

/** The layout of a value: a sequence of its fields, or a kind without fields. */
type ClassKind = 'fields' | 'integer' | 'byte' | 'float' | 'double' | 'text'

export interface JfrField {
  readonly name: string
  /** Row of the class; NONE if there is no such class. */
  readonly type: number
  /** True if the value is a key for the constants of its class. */
  readonly constant: boolean
  readonly array: boolean
}

interface JfrClass {
  readonly name: string
  readonly kind: ClassKind
  readonly fields: readonly JfrField[]
}

export interface Metadata {
  readonly classes: readonly JfrClass[]
  /** Class ids to rows. */
  readonly ids: KeyIndex
}

const KINDS: ReadonlyMap<string, ClassKind> = new Map<string, ClassKind>([
  ['boolean', 'byte'],
  ['byte', 'byte'],
  ['short', 'integer'],
  ['char', 'integer'],
  ['int', 'integer'],
  ['long', 'integer'],
  ['float', 'float'],
  ['double', 'double'],
  ['java.lang.String', 'text'],
])

/** JDK 9 and 10 used other prefixes for the same classes. */
const OLD_PREFIXES: readonly (readonly [string, string])[] = [
  ['com.oracle.jdk.', 'jdk.'],
  ['com.oracle.jfr.types.', 'jdk.types.'],
]

interface FieldDraft {
  name: string
  id: bigint
  constant: boolean
  array: boolean
}

interface ClassDraft {
  id: bigint
  name: string
  fields: FieldDraft[]
}

/** Expects the cursor in the event, after its size and type. */
export function readMetadata(cursor: Cursor): Metadata {
  cursor.skipLongs(3) // start time, duration, metadata id
  const strings = readStrings(cursor)
  const drafts = readElements(cursor, strings)
  const ids = new KeyIndex()
  const unique = drafts.filter(({ id }) => {
    const known = ids.length
    return ids.add(lowHalf(id), highHalf(id)) === known
  })
  const classes = unique.map(({ name, fields }) => ({
    name,
    kind: KINDS.get(name) ?? ('fields' as const),
    fields: fields.map(field => ({
      name: field.name,
      type: ids.find(lowHalf(field.id), highHalf(field.id)),
      constant: field.constant,
      array: field.array,
    })),
  }))
  return { classes, ids }
}

function readStrings(cursor: Cursor): string[] {
  const strings: string[] = []
  for (let left = cursor.count(1); left > 0; left--) strings.push(readString(cursor))
  return strings
}

/** Strings of the metadata cannot refer to constants, because those come later. */
function readString(cursor: Cursor): string {
  const at = cursor.pos
  const encoding = cursor.byte()
  switch (encoding) {
    case TextEncoding.none:
    case TextEncoding.empty:
      return ''
    case TextEncoding.utf8: {
      const length = cursor.count(1)
      cursor.pos += length
      return decodeUtf8(cursor.bytes, cursor.pos - length, cursor.pos)
    }
    case TextEncoding.latin1: {
      let text = ''
      for (let left = cursor.count(1); left > 0; left--) text += String.fromCharCode(cursor.byte())
      return text
    }
    case TextEncoding.chars: {
      let text = ''
      for (let left = cursor.count(1); left > 0; left--) {
        cursor.long()
        text += String.fromCharCode(cursor.lo & 0xffff)
      }
      return text
    }
    default:
      return cursor.fail(`unsupported string encoding ${encoding} in the metadata`, at)
  }
}

function readElements(cursor: Cursor, strings: readonly string[]): ClassDraft[] {
  const classes: ClassDraft[] = []
  // The number of remaining elements on each level. A class is current while its level is open.
  const left: number[] = [1]
  let current: ClassDraft | undefined
  let currentLevel = 0
  while (left.length > 0) {
    if (left[left.length - 1]-- === 0) {
      left.pop()
      if (left.length <= currentLevel) current = undefined
      continue
    }
    const element = text(cursor, strings)
    if (element === 'class') {
      current = { id: -1n, name: '', fields: [] }
      currentLevel = left.length
      classes.push(current)
    }
    const field: FieldDraft | undefined =
      element === 'field' && current !== undefined && left.length === currentLevel + 1
        ? { name: '', id: -1n, constant: false, array: false }
        : undefined
    for (let attributes = cursor.count(2); attributes > 0; attributes--) {
      const key = text(cursor, strings)
      const value = text(cursor, strings)
      if (field !== undefined) setField(cursor, field, key, value)
      else if (element === 'class') setClass(cursor, current!, key, value)
    }
    if (field !== undefined) current!.fields.push(field)
    left.push(cursor.count(3))
  }
  return classes
}

function text(cursor: Cursor, strings: readonly string[]): string {
  const at = cursor.pos
  cursor.long()
  const string = cursor.hi === 0 ? strings[cursor.lo] : undefined
  return (
    string ?? cursor.fail(`string ${cursor.unsigned()} is outside of the ${strings.length} strings of the metadata`, at)
  )
}

function setClass(cursor: Cursor, target: ClassDraft, key: string, value: string): void {
  if (key === 'id') target.id = wholeNumber(cursor, value)
  else if (key === 'name') target.name = currentName(value)
}

function setField(cursor: Cursor, target: FieldDraft, key: string, value: string): void {
  switch (key) {
    case 'name':
      target.name = value
      break
    case 'class':
      target.id = wholeNumber(cursor, value)
      break
    case 'constantPool':
      target.constant = value === 'true'
      break
    case 'dimension':
      if (value !== '0' && value !== '1') cursor.fail(`unsupported field with ${value} dimensions`)
      target.array = value === '1'
      break
  }
}

function wholeNumber(cursor: Cursor, value: string): bigint {
  return /^-?\d{1,20}$/.test(value) ? BigInt(value) : cursor.fail(`invalid class id ${JSON.stringify(value)}`)
}

function currentName(name: string): string {
  for (const [old, now] of OLD_PREFIXES) if (name.startsWith(old)) return now + name.slice(old.length)
  return name
}

/** The name of a class, or a placeholder if the metadata does not describe it. */
export function classNameOf({ classes }: Metadata, row: number, lo: number, hi: number): string {
  if (row !== NONE) return classes[row].name
  return `type ${uint64(lo, hi)}`
}
