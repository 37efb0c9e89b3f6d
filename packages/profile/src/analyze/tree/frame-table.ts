// The frames of a tree as plain columns of text: one row per distinct function, line or file, by the tree's grouping.
// They have no reference to the profile, so they can be sent from a worker or a server.
import { compareTexts } from '../../model/columns/order.ts'

export interface FrameTable {
  readonly length: number
  readonly name: readonly string[]
  /** The source file; empty if it is unknown. */
  readonly file: readonly string[]
  /** The file of the mapping, that is the library or binary; empty if there is none. */
  readonly mapping: readonly string[]
  /** `profile.frame.type`, such as native or jvm; empty if it is unknown. */
  readonly type: readonly string[]
  /** Empty unless the grouping has lines. */
  readonly line: readonly string[]
  /** Empty unless the grouping has addresses. */
  readonly address: readonly string[]
  /** The build id of the mapping. Undefined if none is known. */
  readonly buildId?: readonly string[]
  /** The attribute whose value a frame is; empty for functions. Undefined if all frames are functions. */
  readonly attribute?: readonly string[]
}

/** One frame in JSON. Unknown fields are missing. */
export interface FrameRow {
  readonly name: string
  readonly file?: string
  readonly line?: string
  readonly address?: string
  readonly mapping?: string
  readonly type?: string
  readonly buildId?: string
  readonly attribute?: string
}

export interface FunctionName {
  readonly name: string
  /** Restricts the match to functions of this file. Default: any file. */
  readonly file?: string
}

/** The attribute of threads at the root of stacks. */
export const THREAD = 'thread.name'

export function framesOfRows(rows: readonly FrameRow[]): FrameTable {
  const hasAttributes = rows.some(({ attribute = '' }) => attribute !== '')
  const hasBuildIds = rows.some(({ buildId = '' }) => buildId !== '')
  return {
    length: rows.length,
    name: rows.map(row => row.name),
    file: rows.map(row => row.file ?? ''),
    mapping: rows.map(row => row.mapping ?? ''),
    type: rows.map(row => row.type ?? ''),
    line: rows.map(row => row.line ?? ''),
    address: rows.map(row => row.address ?? ''),
    ...(hasBuildIds ? { buildId: rows.map(row => row.buildId ?? '') } : {}),
    ...(hasAttributes ? { attribute: rows.map(row => row.attribute ?? '') } : {}),
  }
}

export function frameRow(frames: FrameTable, i: number): FrameRow {
  const { name, file, line, address, mapping, type, buildId, attribute } = frames
  const of = attribute?.[i] ?? ''
  const build = buildId?.[i] ?? ''
  return {
    name: name[i],
    ...(file[i] === '' ? {} : { file: file[i] }),
    ...(line[i] === '' ? {} : { line: line[i] }),
    ...(address[i] === '' ? {} : { address: address[i] }),
    ...(mapping[i] === '' ? {} : { mapping: mapping[i] }),
    ...(type[i] === '' ? {} : { type: type[i] }),
    ...(build === '' ? {} : { buildId: build }),
    ...(of === '' ? {} : { attribute: of }),
  }
}

/** The same frames and one more. */
export function withFrame(frames: FrameTable, row: FrameRow): FrameTable {
  return {
    length: frames.length + 1,
    name: [...frames.name, row.name],
    file: [...frames.file, row.file ?? ''],
    mapping: [...frames.mapping, row.mapping ?? ''],
    type: [...frames.type, row.type ?? ''],
    line: [...frames.line, row.line ?? ''],
    address: [...frames.address, row.address ?? ''],
    ...(frames.buildId === undefined ? {} : { buildId: [...frames.buildId, row.buildId ?? ''] }),
    ...(frames.attribute === undefined ? {} : { attribute: [...frames.attribute, row.attribute ?? ''] }),
  }
}

/** Whether the frame is a function, and not an attribute's value at the root of stacks. */
export function isFunction({ attribute }: FrameTable, i: number): boolean {
  return attribute === undefined || attribute[i] === ''
}

/** The name of the frame for samples without the attribute. */
export function noValue(attribute: string): string {
  return `(no ${attribute})`
}

/** `db.query`, or `thread.name = main` for a frame that is not a function. */
export function titleOf({ name, attribute }: FrameTable, i: number): string {
  const key = attribute?.[i] ?? ''
  return key === '' || name[i] === noValue(key) ? name[i] : `${key} = ${name[i]}`
}

/** By name, file, line and address, in code units: the same on every machine. */
export function compareFrames(frames: FrameTable, a: number, b: number): number {
  return (
    compareTexts(frames.name[a], frames.name[b]) ||
    compareTexts(frames.file[a], frames.file[b]) ||
    Number(frames.line[a]) - Number(frames.line[b]) ||
    Number(frames.address[a]) - Number(frames.address[b]) ||
    a - b
  )
}
