// The frames of a tree as plain columns of text: one row per distinct function, line, file... whatever the tree is grouped
// by. Made from the library's frame table or from the server's list.
import type { FrameTable } from '@hearth/profile'

export interface Frames {
  readonly length: number
  readonly name: readonly string[]
  /** Source file; empty where it is not known. */
  readonly file: readonly string[]
  /** File of the mapping, which is the library or binary; empty where there is none. */
  readonly mapping: readonly string[]
  /** profile.frame.type, as native or jvm; empty where it is not known. */
  readonly type: readonly string[]
  /** Empty unless the grouping has lines. */
  readonly line: readonly string[]
  /** Empty unless the grouping has addresses. */
  readonly address: readonly string[]
  /** Of which attribute a frame that is no function is a value; empty for functions, not there where all are. */
  readonly attribute?: readonly string[]
}

/** The attribute that colours by thread go by. */
export const THREAD = 'thread.name'

/** A row as the server writes it. */
export interface FrameRow {
  readonly name: string
  readonly file?: string
  readonly line?: string
  readonly address?: string
  readonly mapping?: string
  readonly type?: string
  readonly attribute?: string
}

export const NO_FRAMES: Frames = { length: 0, name: [], file: [], mapping: [], type: [], line: [], address: [] }

export function framesOfRows(rows: readonly FrameRow[]): Frames {
  return {
    length: rows.length,
    name: rows.map(row => row.name),
    file: rows.map(row => row.file ?? ''),
    mapping: rows.map(row => row.mapping ?? ''),
    type: rows.map(row => row.type ?? ''),
    line: rows.map(row => row.line ?? ''),
    address: rows.map(row => row.address ?? ''),
    ...(rows.some(row => isNamed(row.attribute)) ? { attribute: rows.map(row => row.attribute ?? '') } : {}),
  }
}

function isNamed(attribute: string | undefined): boolean {
  return attribute !== undefined && attribute !== ''
}

/** Whether the frame is a function, and not an attribute's value at the root of stacks. */
export function isFunction({ attribute }: Frames, i: number): boolean {
  return attribute === undefined || attribute[i] === ''
}

/** What stands for samples without the attribute. */
export function noValue(attribute: string): string {
  return `(no ${attribute})`
}

/** `db.query`, or `thread.name = main` for what is no function. */
export function titleOf({ name, attribute }: Frames, i: number): string {
  const key = attribute?.[i] ?? ''
  return key === '' || name[i] === noValue(key) ? name[i] : `${key} = ${name[i]}`
}

export function framesOfTable(table: FrameTable): Frames {
  const text = (of: (i: number) => string): string[] => Array.from({ length: table.length }, (_, i) => of(i))
  return {
    length: table.length,
    name: text(i => table.name(i)),
    file: text(i => table.file(i)),
    mapping: text(i => table.mapping(i)),
    type: text(i => table.kind(i) ?? ''),
    line: text(i => table.line(i)?.toString() ?? ''),
    address: text(i => table.address(i)?.toString() ?? ''),
    ...(table.functions < table.length ? { attribute: text(i => table.attribute(i) ?? '') } : {}),
  }
}

/** The same frames and one more. */
export function withFrame(frames: Frames, row: FrameRow): Frames {
  return {
    length: frames.length + 1,
    name: [...frames.name, row.name],
    file: [...frames.file, row.file ?? ''],
    mapping: [...frames.mapping, row.mapping ?? ''],
    type: [...frames.type, row.type ?? ''],
    line: [...frames.line, row.line ?? ''],
    address: [...frames.address, row.address ?? ''],
    ...(frames.attribute === undefined ? {} : { attribute: [...frames.attribute, row.attribute ?? ''] }),
  }
}
