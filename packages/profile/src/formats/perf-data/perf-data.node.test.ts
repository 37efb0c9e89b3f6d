// Reads real recordings. For some of them, compares every record and every field of a sample with another reader.
import * as zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { findBadReference } from '../../model/validate/references.ts'
import { validate } from '../../model/validate/validate.ts'
import { CompressionError, portableCodecs } from '../../wire/compression/compression.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'
import { FormatError, NoteList } from '../format.ts'
import { corpus } from '../testing/corpora.node.ts'
import type { OnCut } from './file-header.ts'
import { readFileHeader } from './file-header.ts'
import { perfData } from './index.ts'
import { readPerfData } from './read.ts'
import { RecordList } from './record-list.ts'
import { RecordType } from './record-types.ts'
import type { PerfObservation } from './testing/observations.ts'
import { observationsOf } from './testing/observations.ts'
import type { ParsedMessage } from './testing/text-proto.ts'
import { all, one, parseTextProto, unquoted } from './testing/text-proto.ts'

const recordings = corpus('perf-data')
const quipper = corpus('perf-data/quipper')
const files = [...(recordings ?? []), ...(quipper ?? [])].filter(({ name }) => !name.endsWith('.pb_text'))

// Node has zstd from 22.15 on. Without it, the reader must reject compressed files and give the reason.
const unzstd = 'zstdDecompressSync' in zlib ? (zlib.zstdDecompressSync as (bytes: Uint8Array) => Uint8Array) : undefined
const codecs = unzstd === undefined ? portableCodecs : { ...portableCodecs, unzstd }

describe.skipIf(recordings === undefined || quipper === undefined)('the perf.data corpus is readable', () => {
  test.each(files)('$name', ({ name, bytes }) => {
    expect(perfData.detect(bytes.subarray(0, 64), '')).toBe('certain')
    if (name.includes('corrupted')) {
      expect(() => readPerfData(bytes)).toThrow(FormatError)
      expect(() => readPerfData(bytes)).toThrow(/record of 0 bytes/)
      const { profiles, notes } = readPerfData(bytes, { lenient: true })
      expect(findBadReference(profiles)).toBeUndefined()
      expect(notes.map(({ code }) => code)).toContain('truncated')
      return
    }
    if (name.includes('compressed') && unzstd === undefined) {
      expect(() => readPerfData(bytes, { codecs })).toThrow(CompressionError)
      return
    }
    const { profiles } = readPerfData(bytes, { codecs })
    expect(validate(profiles)).toEqual([])
    expect(observationsOf(profiles).length).toBeGreaterThan(0)
  })
})

/** Entries of a chain that give the mode of the following addresses. */
const FIRST_CONTEXT = 2n ** 64n - 4095n

/** A sample in a form that both readers can produce. */
function key(time: bigint, value: bigint, pid: number, tid: number, cpu: number, addresses: readonly bigint[]): string {
  return [time, value, pid, tid, cpu, addresses.map(address => address.toString(16)).join(' ')].join('|')
}

function expectedKey(sample: ParsedMessage): string {
  const whole = (field: string): bigint => BigInt(one(sample, field) ?? 0)
  const chain = (sample.fields.get('callchain') ?? []).map(BigInt).filter(address => address < FIRST_CONTEXT)
  const addresses = chain.length === 0 ? [whole('ip')] : chain
  const cpu = Number(one(sample, 'cpu') ?? -1)
  return key(whole('sample_time_ns'), whole('period'), Number(whole('pid')), Number(whole('tid')), cpu, addresses)
}

/** The other reader sets the highest bit of the addresses in a chain that it cannot map. */
function actualKey(
  { time, value, pid, tid, cpu, addresses, files: mapped }: PerfObservation,
  hasChains: boolean,
): string {
  const marked = addresses.map((address, i) => (hasChains && mapped[i] === '' ? address | (1n << 63n) : address))
  return key(time ?? 0n, value, pid, tid, cpu, marked)
}

const oracles = (quipper ?? [])
  .filter(({ name }) => name.endsWith('.pb_text'))
  .map(({ name, bytes }) => ({
    name: name.slice(0, -'.pb_text'.length),
    oracle: parseTextProto(decodeUtf8(bytes)),
  }))

const reject: OnCut = fault => {
  throw fault
}

describe.skipIf(quipper === undefined).each(oracles)('$name compared with perf_data_converter', ({ name, oracle }) => {
  const { bytes } = (quipper ?? []).find(file => file.name === name)!
  const events = all(oracle, 'events')
  const list = new RecordList(readFileHeader(bytes, reject), {}, new NoteList(), reject)
  const { profiles } = readPerfData(bytes)

  test('has the same number of records of every type', () => {
    // The other reader merges adjacent maps of one file, here in three processes.
    const merged = (type: number): number => (type === RecordType.mmap && name.includes('callgraph') ? 3 : 0)
    const counts = new Map<number, number>()
    for (const event of events) {
      const type = Number(one(all(event, 'header')[0], 'type'))
      counts.set(type, (counts.get(type) ?? 0) + 1)
    }
    expect(counts.size).toBeGreaterThan(3)
    // It omits some of perf's own records, so only kernel records are compared in both directions.
    for (let type = 0; type < 64; type++) {
      expect([type, list.counts[type] - merged(type)]).toEqual([type, counts.get(type) ?? 0])
    }
    for (const [type, count] of counts) expect([type, list.counts[type] - merged(type)]).toEqual([type, count])
  })

  test('has the same samples', () => {
    const samples = events.flatMap(event => all(event, 'sample_event'))
    const expected = samples.map(expectedKey)
    expect(expected.length).toBeGreaterThan(10)
    const hasChains = samples.some(({ fields }) => fields.has('callchain'))
    const actual = observationsOf(profiles)
      .map(observation => actualKey(observation, hasChains))
      .sort()
    expect(actual).toHaveLength(expected.length)
    const different = expected.sort().flatMap((line, i) => (line === actual[i] ? [] : [[line, actual[i]]]))
    expect(different.slice(0, 3)).toEqual([])
  })

  test('has the same events', () => {
    const attrs = all(oracle, 'file_attrs').map(file => all(file, 'attr')[0])
    expect(
      list.events.attrs.map(attr => [attr.type, attr.config, attr.period, attr.isFrequency, attr.sampleType]),
    ).toEqual(
      attrs.map(attr => [
        Number(one(attr, 'type')),
        BigInt(one(attr, 'config')!),
        BigInt(one(attr, 'sample_period')!),
        one(attr, 'freq') === 'true',
        Number(one(attr, 'sample_type')),
      ]),
    )
    const names = all(oracle, 'event_types').map(type => unquoted(one(type, 'name')!))
    expect(list.events.attrs.map((_, event) => list.events.name(event))).toEqual(names)
  })

  test('has its mappings where the records place them', () => {
    const mapped = new Set(
      events
        .flatMap(event => all(event, 'mmap_event'))
        .map(map => [unquoted(one(map, 'filename')!).replace(/\]_s?text$/, ']'), one(map, 'start')].join(' ')),
    )
    const { mappings, strings } = profiles.dictionary
    const used = Array.from({ length: mappings.length - 1 }, (_, i) =>
      [strings.text(mappings.filename((i + 1) as never)), mappings.memoryStart((i + 1) as never)].join(' '),
    )
    expect(used.length).toBeGreaterThan(1)
    expect(used.filter(map => !mapped.has(map))).toEqual([])
  })

  test('has the same build ids', () => {
    const ids = all(oracle, 'build_ids')
    expect(ids.length).toBeGreaterThan(0)
    for (const id of ids) expect(list.buildIds.of(unquoted(one(id, 'filename')!))).toHaveLength(40)
  })
})
