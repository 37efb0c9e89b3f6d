import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ProfilesBuilder, readProfile, writeProfile } from '@hearth/profile'
import { afterAll, describe, expect, it } from 'vitest'
import type { ImportPlan } from './import-profiles.ts'
import { importProfiles } from './import-profiles.ts'
import type { StoredSeries, StoredSource, Window } from './stored-source.ts'
import { withSelectors } from './stored-source.ts'

const folder = mkdtempSync(join(tmpdir(), 'hearth-import-'))
afterAll(() => rmSync(folder, { recursive: true }))

const MINUTE = 60_000
const DAY = 86_400_000
const START = 1_800_000_000_000

function pprof(value: number): Uint8Array {
  const builder = new ProfilesBuilder()
  builder.profile({ type: 'cpu', unit: 'nanoseconds' })
  const main = builder.location({ lines: [{ function: builder.function({ name: 'main' }) }] })
  builder.sample({ stack: builder.stack([main]), values: [value] })
  return writeProfile(builder.build(), 'pprof').bytes
}

function series(
  type: string,
  labels: Readonly<Record<string, string>>,
  kind: StoredSeries['kind'] = 'events',
): StoredSeries {
  return { key: `${type}${JSON.stringify(labels)}`, name: 'process_cpu', type, kind, labels, selector: '{}' }
}

/** A source with profiles every 15 seconds, from START - 5 minutes. A snapshot is two milliseconds after it. */
function sourceOf(...list: readonly StoredSeries[]): StoredSource {
  return {
    series: async () => list,
    windows: async (_, { from, to }, step) =>
      Array.from({ length: (to - from) / step }, (_, i) => ({ from: from + i * step, to: from + (i + 1) * step })),
    snapshots: async (_, { from, to }) => {
      const first = Math.max(from, START - 5 * MINUTE)
      return Array.from({ length: Math.max(0, Math.ceil((to - first) / 15_000)) }, (_, i) => {
        const at = first + i * 15_000 + 2
        return { from: at, to: at + 1 }
      })
    },
    profile: async (_, window) => pprof(window.to - window.from),
  }
}

interface Stored {
  readonly labels: Readonly<Record<string, string>>
  readonly from: number
  readonly ms: number
  readonly total: number
}

function planOf(name: string, source: StoredSource, more: Partial<ImportPlan> = {}) {
  const stored: Stored[] = []
  const plan: ImportPlan = {
    source,
    about: 'test',
    range: { from: START, to: START + 10 * MINUTE },
    stepMs: MINUTE,
    stateFile: join(folder, name),
    parallel: 2,
    store: async (labels, bytes) => {
      const { profiles, samples } = readProfile(bytes).profiles
      stored.push({
        labels,
        from: Number(profiles.time(0) / 1_000_000n),
        ms: Number(profiles.duration(0) / 1_000_000n),
        total: samples.length === 0 ? 0 : Number(samples.total(0)),
      })
    },
    onProgress: () => {},
    signal: new AbortController().signal,
    ...more,
  }
  return { plan, stored }
}

describe('importProfiles', () => {
  it('copies every window once, with its time and labels', async () => {
    const { plan, stored } = planOf('all', sourceOf(series('cpu', { job: 'shop', region: 'eu' })))
    expect(await importProfiles(plan)).toMatchObject({ series: 1, profiles: 10 })
    const labels = { job: 'shop', region: 'eu', __name__: 'process_cpu', service_name: 'shop' }
    expect(stored).toEqual(
      Array.from({ length: 10 }, (_, i) => ({ labels, from: START + i * MINUTE, ms: MINUTE, total: MINUTE })),
    )
  })

  it('continues after an interruption and copies nothing twice', async () => {
    const stop = new AbortController()
    const source = sourceOf(series('cpu', { service_name: 'a' }), series('cpu', { service_name: 'b' }))
    const onProgress = ({ profiles }: { readonly profiles: number }): void => void (profiles === 4 && stop.abort())
    const first = planOf('resumed', source, { signal: stop.signal, onProgress })
    await expect(importProfiles(first.plan)).rejects.toThrow('aborted')
    const second = planOf('resumed', source)
    await importProfiles(second.plan)
    const times = [...first.stored, ...second.stored].map(({ labels, from }) => `${labels['service_name']} ${from}`)
    expect([times.length, new Set(times).size]).toEqual([20, 20])
  })

  it('copies one snapshot of a state per step', async () => {
    const source = sourceOf(series('inuse_space', { service_name: 'a' }, 'state'))
    const { plan, stored } = planOf('snapshots', source)
    await importProfiles(plan)
    expect(stored.map(({ from, ms }) => [from, ms])).toEqual(
      Array.from({ length: 10 }, (_, i) => [START + (i + 1) * MINUTE - 15_000 + 2, 1]),
    )
  })

  it('copies the increase of a counter since the previous step, also after an interruption', async () => {
    const source = {
      ...sourceOf(series('alloc_space', { service_name: 'a' }, 'counter')),
      // Restarts in the fourth minute.
      profile: async (_: StoredSeries, { from }: Window) => pprof(from - START + (from < START + 3 * MINUTE ? DAY : 0)),
    }
    const stop = new AbortController()
    const onProgress = ({ profiles }: { readonly profiles: number }): void => void (profiles === 4 && stop.abort())
    const first = planOf('counter', source, { signal: stop.signal, onProgress })
    await expect(importProfiles(first.plan)).rejects.toThrow('aborted')
    const second = planOf('counter', source)
    await importProfiles(second.plan)
    const before = START - 15_000 + 2
    expect([...first.stored, ...second.stored].map(({ from, ms, total }) => [from, ms, total])).toEqual(
      Array.from({ length: 10 }, (_, i) => {
        const from = before + i * MINUTE
        return [from + 1, MINUTE, i === 3 ? from + MINUTE - START : MINUTE]
      }),
    )
  })

  it('has no increase of the first reading of a counter', async () => {
    const source = sourceOf(series('alloc_space', { service_name: 'a' }, 'counter'))
    const { plan, stored } = planOf('first', source, { range: { from: START - 7 * MINUTE, to: START - 3 * MINUTE } })
    await importProfiles(plan)
    expect(stored.map(({ from }) => from)).toEqual([START - 4 * MINUTE - 15_000 + 3])
  })

  it('rejects the state of another import, and leaves it as it is', async () => {
    const { plan } = planOf('other', sourceOf())
    writeFileSync(plan.stateFile, JSON.stringify({ about: 'another', done: {} }))
    await expect(importProfiles(plan)).rejects.toThrow('belongs to another import: another')
    expect(readFileSync(plan.stateFile, 'utf8')).toContain('another')
  })
})

describe('withSelectors', () => {
  it('excludes series that have more labels', () => {
    const [small, large] = withSelectors([series('cpu', { job: 'a' }), series('cpu', { job: 'a', region: 'eu' })])
    expect([small.selector, large.selector]).toEqual(['{job="a",region=""}', '{job="a",region="eu"}'])
  })
})
