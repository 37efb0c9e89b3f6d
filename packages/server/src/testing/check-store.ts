// Compares the content of a store with the requests sent: nothing missing, nothing twice, nothing incomplete.
import { difference } from '@hearth/profile'
import { expect } from 'vitest'
import type { Engine } from '../store/engine.ts'
import { readRequestProfiles } from '../store/testing/read-request.ts'
import type { SentRequest } from './sent-request.ts'

const TABLES = { profiles: 'profiles', traces: 'spans', logs: 'logs', metrics: 'metric_points' } as const

/** References between tables: each value of the column is an id in the target table, or 0. */
const REFERENCES: readonly (readonly [column: string, from: string, to: string])[] = [
  ['arrayJoin(sample_stacks)', 'profiles', 'stacks'],
  ['arrayJoin(sample_attributes)', 'profiles', 'attribute_sets'],
  ['series', 'profiles', 'series'],
  ['stack', 'span_samples', 'stacks'],
  ['arrayJoin(locations)', 'stacks', 'locations'],
  ['arrayJoin(line_functions)', 'locations', 'functions'],
  ['mapping', 'locations', 'mappings'],
  ['attributes', 'mappings', 'attribute_sets'],
  ['arrayJoin(resources)', 'requests', 'resources'],
  ['arrayJoin(scopes)', 'requests', 'scopes'],
]

/** Checks the counts of all requests, and reads back and compares `sample` profiles. */
export async function checkStore(engine: Engine, sent: readonly SentRequest[], sample: number): Promise<void> {
  expect(await counts(engine, 'requests')).toEqual(new Map(sent.map(({ id }) => [id, 1])))
  for (const [signal, table] of Object.entries(TABLES)) {
    const of = sent.filter(request => request.signal === signal)
    expect(await counts(engine, table)).toEqual(new Map(of.map(({ id, items }) => [id, items])))
  }
  const linked = sent.filter(request => request.linked > 0)
  expect(await counts(engine, 'span_samples')).toEqual(new Map(linked.map(request => [request.id, request.linked])))
  for (const [column, from, to] of REFERENCES) {
    const lost = await engine.select(
      `SELECT count() AS n FROM (SELECT ${column} AS id FROM ${from}) WHERE id != 0 AND id NOT IN (SELECT id FROM ${to})`,
    )
    expect([column, from, lost.column('n').number(0)]).toEqual([column, from, 0])
  }
  const profiles = sent.filter(request => request.profiles !== undefined)
  const step = Math.max(1, Math.floor(profiles.length / sample))
  for (let i = profiles.length - 1; i >= 0; i -= step) {
    const { id, profiles: expected } = profiles[i]
    const back = await readRequestProfiles(engine, 'default', Buffer.from(id, 'hex'))
    expect([id, expected === undefined ? 'none' : difference(expected, back)]).toEqual([id, undefined])
  }
}

/** Counts rows by request. */
async function counts(engine: Engine, table: string): Promise<Map<string, number>> {
  const block = await engine.select(
    `SELECT lower(hex(request)) AS id, toUInt32(count()) AS n FROM ${table} GROUP BY request`,
  )
  const ids = block.column('id')
  const numbers = block.column('n')
  return new Map(Array.from({ length: block.rows }, (_, row) => [ids.text(row), numbers.number(row)]))
}
