// Joins two tables of frames by name and file. Unlike topDiff, it needs no stacks: the tables may be parts of larger ones.
import type { TopTable } from './top.ts'

type Top = Pick<TopTable, 'length' | 'frames' | 'frame' | 'self' | 'total' | 'sum' | 'unit'>

/** One function on both sides. */
export interface DiffRow {
  readonly name: string
  readonly file: string
  readonly beforeSelf: number
  readonly afterSelf: number
  readonly beforeTotal: number
  readonly afterTotal: number
}

export interface JoinedTops {
  readonly rows: readonly DiffRow[]
  readonly unit: string
  readonly beforeSum: number
  readonly afterSum: number
}

export function joinTops(before: Top, after: Top): JoinedTops {
  const rows = new Map<string, Writable<DiffRow>>()
  const row = (top: Top, i: number): Writable<DiffRow> => {
    const name = top.frames.name[top.frame[i]]
    const file = top.frames.file[top.frame[i]]
    const key = `${name}\n${file}`
    const known = rows.get(key)
    if (known !== undefined) return known
    const made = { name, file, beforeSelf: 0, afterSelf: 0, beforeTotal: 0, afterTotal: 0 }
    rows.set(key, made)
    return made
  }
  for (let i = 0; i < before.length; i++) {
    const one = row(before, i)
    one.beforeSelf += before.self[i]
    one.beforeTotal += before.total[i]
  }
  for (let i = 0; i < after.length; i++) {
    const one = row(after, i)
    one.afterSelf += after.self[i]
    one.afterTotal += after.total[i]
  }
  return {
    rows: [...rows.values()],
    unit: after.unit === '' ? before.unit : after.unit,
    beforeSum: Number(before.sum),
    afterSum: Number(after.sum),
  }
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }
