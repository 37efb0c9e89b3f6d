// The threads of a written Firefox profile: the observations of each thread of each profile, in the order of their
// times.
import type { AttributeIndex } from '../../model/columns/brand.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { compareLongs } from '../../model/columns/order.ts'
import type { NoteList } from '../format.ts'
import { FIREFOX_ATTRIBUTES } from './names.ts'

export interface WrittenThread {
  readonly profile: number
  readonly pid: string
  readonly processName: string
  /** JSON: a number or a string. */
  readonly tid: number | bigint | string
  readonly name: string
  /** The sample of each observation, its value, and its time if samples have times. */
  readonly samples: Int32Array
  readonly values: BigInt64Array
  readonly times: readonly bigint[]
  readonly isTimed: boolean
}

export function threadsOf(payload: Profiles, notes: NoteList): WrittenThread[] {
  const { resources, scopes, profiles } = payload
  const threads: WrittenThread[] = []
  for (let r = 0, unknown = 0; r < resources.length; r++) {
    const process = processOf(payload, r)
    const pid = process.pid ?? (++unknown === 1 ? 'unknown' : `unknown ${unknown}`)
    for (let s = resources.from(r); s < resources.to(r); s++) {
      for (let p = scopes.from(s); p < scopes.to(s); p++) {
        for (const rows of samplesByThread(payload, p)) {
          threads.push({
            profile: p,
            pid,
            processName: process.name,
            ...threadOf(payload, rows),
            ...observe(payload, rows, notes),
          })
        }
      }
    }
  }
  notes.add('no-samples', 'profiles without samples', profiles.length - new Set(threads.map(t => t.profile)).size)
  return threads
}

function processOf({ resources }: Profiles, row: number): { pid: string | undefined; name: string } {
  const values = new Map(resources.resource(row).attributes.map(({ key, value }) => [key, value]))
  const pid = values.get(ATTRIBUTES.processPid)
  const id = values.get(FIREFOX_ATTRIBUTES.processId)
  const name = values.get(ATTRIBUTES.processExecutableName)
  return {
    pid: typeof pid === 'bigint' && pid >= 0n ? `${pid}` : typeof id === 'string' ? id : undefined,
    name: typeof name === 'string' ? name : '',
  }
}

/** The samples of each thread, in the order of first appearance. */
function samplesByThread({ profiles, samples, dictionary }: Profiles, profile: number): number[][] {
  const { attributes, strings } = dictionary
  const keys = new Map<AttributeIndex, boolean>()
  const isThread = (row: AttributeIndex): boolean => {
    let known = keys.get(row)
    if (known === undefined) {
      const key = strings.text(attributes.key(row))
      known = key === ATTRIBUTES.threadId || key === ATTRIBUTES.threadName || key === FIREFOX_ATTRIBUTES.threadId
      keys.set(row, known)
    }
    return known
  }
  const threads = new Map<string, number[]>()
  for (let i = profiles.samplesFrom(profile); i < profiles.samplesTo(profile); i++) {
    const key = samples.attributesOf(i).filter(isThread).join()
    const rows = threads.get(key)
    if (rows === undefined) threads.set(key, [i])
    else rows.push(i)
  }
  return [...threads.values()]
}

function threadOf({ samples, dictionary }: Profiles, rows: readonly number[]): Pick<WrittenThread, 'tid' | 'name'> {
  const { attributes, strings } = dictionary
  let tid: number | bigint | string = 'unknown'
  let name = ''
  for (const row of samples.attributesOf(rows[0])) {
    const key = strings.text(attributes.key(row))
    const value = attributes.value(row)
    if (key === ATTRIBUTES.threadName && typeof value === 'string') name = value
    else if (key === ATTRIBUTES.threadId && typeof value === 'bigint') tid = value
    else if (key === FIREFOX_ATTRIBUTES.threadId && typeof value === 'string') tid = value
  }
  return { tid, name }
}

function observe(
  { samples }: Profiles,
  rows: readonly number[],
  notes: NoteList,
): Pick<WrittenThread, 'samples' | 'values' | 'times' | 'isTimed'> {
  const isTimed = rows.every(i => samples.timestampsTo(i) > samples.timestampsFrom(i))
  if (!isTimed) {
    notes.add('no-timestamps', 'samples without a time are placed one after another', rows.length)
    return {
      samples: Int32Array.from(rows),
      values: BigInt64Array.from(rows, i => samples.total(i)),
      times: [],
      isTimed,
    }
  }
  const all: { readonly sample: number; readonly value: bigint; readonly time: bigint }[] = []
  const values = samples.values.signed()
  const times = samples.timestamps.unsigned()
  for (const sample of rows) {
    const from = samples.timestampsFrom(sample)
    const valuesFrom = samples.valuesFrom(sample)
    const valued = samples.valuesTo(sample) > valuesFrom
    for (let k = from; k < samples.timestampsTo(sample); k++) {
      all.push({ sample, value: valued ? values[valuesFrom + k - from] : 1n, time: times[k] })
    }
  }
  all.sort((a, b) => compareLongs(a.time, b.time))
  return {
    samples: Int32Array.from(all, ({ sample }) => sample),
    values: BigInt64Array.from(all, ({ value }) => value),
    times: all.map(({ time }) => time),
    isTimed,
  }
}
