// Counts of samples as time: each sample of a profiler stands for its period, such as 10.3 ms of CPU time at 97 Hz.
import { canonicalUnit } from '@hearth/profile'
import { presentProfiles } from '../catalog/present-profiles.ts'
import type { Query } from '../query.ts'
import { RunningQuery } from '../query.ts'
import type { ReadEngine } from '../../store/engine.ts'
import { Values } from '../statement.ts'
import { profilesWhere } from './profiles-where.ts'
import type { Selection } from './selection.ts'
import { resolve } from './selection.ts'

export interface SampledTime {
  /** The type and unit of the periods. */
  readonly type: string
  readonly unit: string
}

/** Undefined if the query selects other values than counts, or counts without a period in time. */
export async function sampledTime(engine: ReadEngine, query: Query): Promise<SampledTime | undefined> {
  if (query.exact === true) return undefined
  const selection = await resolve(new RunningQuery(engine, query))
  const [first] = selection.series
  if (first === undefined) return undefined
  const { periodType: type, periodUnit: unit } = first
  const isCount = selection.series.every(
    row =>
      canonicalUnit(row.unit) === '1' &&
      canonicalUnit(row.periodUnit) === 'ns' &&
      row.periodType === type &&
      row.periodUnit === unit,
  )
  return isCount && type !== '' && (await havePeriods(selection)) ? { type, unit } : undefined
}

/** Whether every selected profile states its period. */
export async function havePeriods(selection: Selection): Promise<boolean> {
  const present = await presentProfiles(selection, { ofSamples: true })
  if (present !== undefined) return present.every(({ form }) => form.period > 0n)
  const values = new Values()
  const block = await selection.running.select(
    `SELECT 1 FROM profiles WHERE ${profilesWhere(selection, values)} AND period <= 0 LIMIT 1`,
    values.all,
  )
  return block.rows === 0
}
