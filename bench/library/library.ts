// The figures of the library in docs/benchmarks.md: npm run bench. Ratios of CPU time to named libraries, interleaved in one
// process. `--write` updates the tables in the page, `--quick` runs fewer rounds.
import { ProfilesMerger, encodeOtlp, readOtlp, readPprof, writeOtlp, writePprof } from '@hearth/profile'
import { Profile } from 'pprof-format'
import type { Input } from './inputs.ts'
import { averageProfile, benchInputs } from './inputs.ts'
import { scanBytes, walkStructure } from './lower-bounds.ts'
import type { Timing } from '../measure.ts'
import { measure, microsOf, ratio } from '../measure.ts'
import { mergeByMap } from './merge-by-map.ts'
import type { Peer } from './peers.ts'
import { loadPeers } from './peers.ts'
import { chromeTraceMemory, formatInputs, microsToRead } from './readers.ts'
import { corpusFile } from './corpus-file.ts'
import { retainedObjects } from './retained.ts'
import { writeFigures } from '../write-figures.ts'

const ROUNDS = process.argv.includes('--quick') ? 3 : 7

function inputs(): Input[] {
  const capture = corpusFile('otlp/ebpf-v1.8.otlp')
  if (capture === undefined) return benchInputs()
  const { bytes } = writeOtlp(readOtlp(capture).profiles)
  return [{ name: 'eBPF profiler, real capture', bytes }, ...benchInputs()].sort(
    (a, b) => a.bytes.length - b.bytes.length,
  )
}

function decodeTable(all: readonly Input[], peers: readonly Peer[]): string {
  const rows = all.map(input => {
    const { bytes } = input
    const timings = measure(
      [
        { name: 'hearth', run: () => readOtlp(bytes) },
        ...peers.map(peer => ({ name: peer.name, run: () => peer.decode(bytes) })),
        { name: 'walk', run: () => walkStructure(bytes) },
        { name: 'scan', run: () => scanBytes(bytes) },
      ],
      ROUNDS,
    )
    return [
      `${input.name}, ${size(bytes.length)}`,
      ...peers.map(({ name }) => times(ratio(timings, name, 'hearth'))),
      speed(timings, 'hearth', bytes.length),
      speed(timings, 'walk', bytes.length),
      speed(timings, 'scan', bytes.length),
    ]
  })
  return table(
    ['decode, kept', ...peers.map(({ name }) => `times ${name}`), 'Hearth', 'structural walk', 'byte scan'],
    rows,
  )
}

function encodeTable(all: readonly Input[], peers: readonly Peer[]): string {
  const rows = all.map(input => {
    const { profiles } = readOtlp(input.bytes)
    const messages = peers.map(peer => peer.decode(input.bytes))
    const timings = measure(
      [
        { name: 'hearth', run: () => encodeOtlp(profiles) },
        { name: 'compacting', run: () => writeOtlp(profiles) },
        ...peers.map((peer, i) => ({ name: peer.name, run: () => peer.encode(messages[i]) })),
      ],
      ROUNDS,
    )
    return [
      `${input.name}, ${size(input.bytes.length)}`,
      ...peers.map(({ name }) => times(ratio(timings, name, 'hearth'))),
      speed(timings, 'hearth', input.bytes.length),
      speed(timings, 'compacting', input.bytes.length),
    ]
  })
  return table(['encode', ...peers.map(({ name }) => `times ${name}`), 'Hearth', 'with compaction'], rows)
}

/** Reads pprof, and converts it to OTLP bytes, next to pprof-format's decoding alone. */
function pprofTable(all: readonly Input[]): string {
  const rows = all.map(({ name, bytes: otlp }) => {
    const { bytes } = writePprof(readOtlp(otlp).profiles)
    const timings = measure(
      [
        { name: 'hearth', run: () => readPprof(bytes) },
        { name: 'to otlp', run: () => writeOtlp(readPprof(bytes).profiles) },
        { name: 'pprof-format', run: () => Profile.decode(bytes) },
      ],
      ROUNDS,
    )
    return [
      `${name}, ${size(bytes.length)}`,
      times(ratio(timings, 'pprof-format', 'hearth')),
      times(ratio(timings, 'pprof-format', 'to otlp')),
      speed(timings, 'hearth', bytes.length),
    ]
  })
  return table(['pprof', 'decode, times pprof-format', 'to OTLP bytes, times pprof-format decoding', 'Hearth'], rows)
}

/** Other formats in bytes per second, and the memory for a trace of 100 MB. */
function readersTable(): string {
  const rows = formatInputs().map(({ name, bytes, read }) => {
    return [`${name}, ${size(bytes.length)}`, `${(bytes.length / microsToRead(bytes, read)).toFixed(0)} MB/s`]
  })
  const { bytes, peak } = chromeTraceMemory(100e6)
  rows.push([`Chrome trace, ${size(bytes)}, peak memory of the process`, size(peak)])
  return table(['read, other formats', 'Hearth'], rows)
}

function mergeTable(protobufjs: Peer): string {
  const payloads = Array.from({ length: 1000 }, (_, i) => encodeOtlp(averageProfile(i, i % 10)))
  const samples = payloads.reduce((sum, bytes) => sum + readOtlp(bytes).profiles.samples.length, 0)
  const decoded = payloads.map(bytes => readOtlp(bytes).profiles)
  const messages = payloads.map(bytes => protobufjs.decode(bytes))
  const merged = mergeAll(decoded)
  const expected = mergeByMap(messages)
  // Row 0 of the stacks is the zero value. The peer counts it too, because every payload has it.
  if (merged.dictionary.stacks.length !== expected.stacks || merged.samples.length !== expected.samples) {
    throw new Error(`the merges disagree: ${merged.samples.length} samples and ${expected.samples}`)
  }
  const timings = measure(
    [
      { name: 'merge', run: () => mergeAll(decoded) },
      { name: 'map', run: () => mergeByMap(messages) },
      { name: 'decode and merge', run: () => mergeAll(payloads.map(bytes => readOtlp(bytes).profiles)) },
      { name: 'decode and map', run: () => mergeByMap(payloads.map(bytes => protobufjs.decode(bytes))) },
    ],
    ROUNDS,
  )
  const perSecond = (name: string): string => {
    return `${(samples / microsOf(timings, name)).toFixed(2)} M samples/s`
  }
  const title = `merge of 1,000 profiles of ${size(payloads[0].length)}`
  return table(
    [title, 'times Map by JSON key on protobufjs', 'Hearth'],
    [
      ['merge alone', times(ratio(timings, 'map', 'merge')), perSecond('merge')],
      ['decode and merge', times(ratio(timings, 'decode and map', 'decode and merge')), perSecond('decode and merge')],
    ],
  )
}

function mergeAll(all: readonly ReturnType<typeof readOtlp>['profiles'][]): ReturnType<typeof readOtlp>['profiles'] {
  const merger = new ProfilesMerger()
  for (const profiles of all) merger.add(profiles)
  return merger.finish().profiles
}

function retainedTable(peers: readonly Peer[], large: Input): string {
  const ours = retainedObjects('otlp')
  const rows = peers.map(({ name }) => {
    const theirs = retainedObjects(name)
    return [
      name,
      theirs.toLocaleString('en-US'),
      ours.toLocaleString('en-US'),
      `${((100 * ours) / theirs).toFixed(4)} %`,
    ]
  })
  return table([`objects kept, ${size(large.bytes.length)}`, 'theirs', 'Hearth', 'share'], rows)
}

function size(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

function times(factor: number): string {
  return `${factor.toFixed(1)}×`
}

function speed(timings: readonly Timing[], name: string, bytes: number): string {
  return `${(bytes / microsOf(timings, name)).toFixed(0)} MB/s`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}

async function main(): Promise<void> {
  const peers = await loadPeers()
  const all = inputs()
  // One small result of each stays alive, as in a running program. If a collection finds no object of a class, the engine
  // drops the code compiled for it, and every round would measure the compiler.
  const [{ bytes: small }] = all
  const alive = [
    readOtlp(small),
    readPprof(writePprof(readOtlp(small).profiles).bytes),
    ...peers.map(peer => peer.decode(small)),
  ]
  const sections = [
    () => decodeTable(all, peers),
    () => encodeTable(all, peers),
    () => pprofTable(all.filter(({ name }) => !/^(host|eBPF)/.test(name))),
    () => readersTable(),
    () => mergeTable(peers[0]),
    () => retainedTable(peers, all[all.length - 1]),
  ]
  const tables: string[] = []
  for (const section of sections) {
    tables.push(section())
    console.log(`${tables[tables.length - 1]}\n`)
  }
  writeFigures('bench', tables.join('\n\n'))
  if (alive.includes(undefined)) throw new Error('the decoder returned nothing')
}

await main()
