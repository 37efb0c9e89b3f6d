// Recordings of programs whose ledger is known by construction; see README.md.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readGoTrace } from '../../../formats/go-trace/read.ts'
import { readJfr } from '../../../formats/jfr/read.ts'
import type { Profiles } from '../../../model/columns/profiles.ts'
import type { EntryKind } from '../entry-kinds.ts'
import type { FileLedgers } from '../file/file-ledgers.ts'
import { fileLedgers } from '../file/file-ledgers.ts'
import { ledgerSentence } from '../sentence.ts'

interface Part {
  readonly name: string
  readonly kind: EntryKind
  /** By the clock of the program. */
  readonly nanos: number
}

/** The program's clock is read a few calls after the region or event began. */
const TOLERANCE = 3e6

const here = (name: string): Buffer => readFileSync(new URL(name, import.meta.url))
const partsOf = (name: string): readonly Part[] => JSON.parse(here(name).toString('utf8')) as Part[]

function ledgersOf(profiles: Profiles): FileLedgers {
  const found = fileLedgers(profiles)
  if (found === undefined) throw new Error('no ledgers')
  return found
}

function entriesOf({ ledgers }: FileLedgers, name: string) {
  const row = ledgers.input.spans.findIndex(span => span.name === name)
  const { entries, duration } = ledgers.of(row)
  const nanosOf = (kind: EntryKind): number => Number(entries.find(entry => entry.kind === kind)?.nanos ?? 0n)
  const errorOf = (kind: EntryKind): number => Number(entries.find(entry => entry.kind === kind)?.error ?? 0n)
  return { entries, duration, nanosOf, errorOf }
}

const go = ledgersOf(readGoTrace(gunzipSync(here('go.trace.gz'))).profiles)
const java = ledgersOf(readJfr(gunzipSync(here('java.jfr.gz'))).profiles)

describe('ledger of a Go execution trace', () => {
  it.each(partsOf('go.json'))('finds $kind in $name', ({ name, kind, nanos }) => {
    const found = entriesOf(go, name)
    // A goroutine that may run again waits for a processor first. Its own clock includes that.
    const late = kind === 'runnable' ? 0 : found.nanosOf('runnable')
    expect(Math.abs(found.nanosOf(kind) + late - nanos)).toBeLessThan(TOLERANCE + found.errorOf(kind))
    expect(found.nanosOf('unknown')).toBe(0)
  })

  it('makes regions children of their task', () => {
    const { duration, nanosOf, entries } = entriesOf(go, 'request')
    expect(nanosOf('children')).toBeGreaterThan(0.95 * Number(duration))
    expect(entries[0].details.map(({ name }) => name)).toContain('burn')
  })
})

describe('ledger of a flight recording', () => {
  it.each(partsOf('java.json').filter(({ kind }) => kind !== 'own-cpu'))(
    'finds $kind in $name',
    ({ name, kind, nanos }) => {
      const found = entriesOf(java, name)
      expect(Math.abs(found.nanosOf(kind) - nanos)).toBeLessThan(TOLERANCE + found.errorOf(kind))
    },
  )

  it.each(partsOf('java.json').filter(({ kind }) => kind === 'own-cpu'))(
    'finds $kind in $name, and leaves time without samples unknown',
    ({ name, kind, nanos }) => {
      const found = entriesOf(java, name)
      expect(found.nanosOf(kind)).toBeGreaterThan(0)
      expect(found.nanosOf(kind)).toBeLessThan(nanos + found.errorOf(kind))
      // The collector ran meanwhile.
      const rest = found.nanosOf('unknown') + found.nanosOf('runtime')
      expect(Math.abs(found.nanosOf(kind) + rest - nanos)).toBeLessThan(TOLERANCE)
    },
  )

  it('names the span whose thread had the monitor', () => {
    const { entries, duration } = entriesOf(java, 'lock')
    expect(entries.find(({ kind }) => kind === 'lock')?.details[0]).toMatchObject({
      what: 'lock',
      name: 'monitor held by hold',
    })
    expect(ledgerSentence(duration, entries)).toContain('it waited for a monitor held by hold')
  })
})
