// Repeats the size table of OTEP 0239 with today's layout added: npm run bench:sizes. The same profiles in each layout, raw and
// compressed, with the number of objects after reading and the reading time. `--write` updates docs/sizes.md, and `--draft`
// measures only the table of the arrays draft.
import type { Format, Profiles } from '@hearth/profile'
import { arraysDraft, contentEqual, otep239, otlp, pprof, readProfile } from '@hearth/profile'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { draftSection } from './draft-table.ts'
import { sizeInputs } from './inputs.ts'
import { measure, microsOf } from '../measure.ts'
import { loadPeers } from './peers.ts'
import { retainedObjects } from './retained.ts'
import { zstdCompressor } from './zstd.ts'

const page = new URL('../../../docs/sizes.md', import.meta.url)
const corpora = new URL('../../../../shared/corpora/', import.meta.url)

/** In the order of their publication. */
const LAYOUTS: readonly Format[] = [pprof, arraysDraft, otep239, otlp]

interface Named {
  readonly name: string
  readonly profiles: Profiles
}

/** Rounds of the time measurement, in which the layouts take turns. */
const ROUNDS = 5

interface Written {
  readonly layout: string
  readonly bytes: Uint8Array
  /** The name for `retainedObjects`. */
  readonly decoder: string
  readonly read: (bytes: Uint8Array) => unknown
  /** Codes of losses. A layout that loses something is smaller than it should be. */
  readonly lost: readonly string[]
}

interface Row extends Written {
  readonly input: string
  readonly objects: number
  readonly micros: number
}

/** Real profiles: a large one, one with labels, one without symbols, and one of the eBPF profiler. */
const RECORDINGS = [
  'pprof/large.cpu',
  'pprof/profile-with-labels.pb.gz',
  'pprof/unsymbolized-cpu.pprof',
  'otlp/ebpf-v1.8.otlp',
]

function recordings(): Named[] {
  const found = RECORDINGS.map(name => new URL(name, corpora)).filter(url => existsSync(url))
  return found.map(url => ({
    name: url.pathname.split('/').at(-1) ?? '',
    profiles: readProfile(readFileSync(url)).profiles,
  }))
}

function inputs(): Named[] {
  const made = sizeInputs().map(({ name, bytes }) => ({ name, profiles: otlp.read!(bytes, {}).profiles }))
  return [...made, ...recordings()]
}

async function rows(): Promise<Row[]> {
  const [, protobufEs] = await loadPeers()
  const folder = mkdtempSync(join(tmpdir(), 'hearth-sizes-'))
  try {
    return inputs().flatMap(({ name, profiles }) => {
      const hearth = LAYOUTS.map((format): Written => {
        const { bytes, notes } = format.write!(profiles, {})
        const lost = notes.map(({ code }) => code)
        return { layout: format.name, bytes, decoder: format.name, read: input => format.read!(input, {}), lost }
      })
      const again = protobufEs.encode(protobufEs.decode(hearth[LAYOUTS.indexOf(otlp)].bytes))
      if (!contentEqual(otlp.read!(again, {}).profiles, profiles))
        throw new Error(`${name}: ${protobufEs.name} differs`)
      const { name: decoder } = protobufEs
      const read = (input: Uint8Array): unknown => protobufEs.decode(input)
      return measured(
        name,
        [...hearth, { layout: `otlp by ${decoder}`, bytes: again, decoder, read, lost: [] }],
        folder,
      )
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

let warm = false

function measured(input: string, layouts: readonly Written[], folder: string): Row[] {
  const variants = layouts.map(({ layout, bytes, read }) => ({ name: layout, run: () => read(bytes) }))
  // Warms up, because the first measurement would run uncompiled code.
  if (!warm) measure(variants, 1)
  warm = true
  const timings = measure(variants, ROUNDS)
  const file = join(folder, 'profile')
  return layouts.map(written => {
    writeFileSync(file, written.bytes)
    const objects = retainedObjects(written.decoder, file)
    const micros = microsOf(timings, written.layout)
    // Prints progress, because the table takes minutes.
    console.error(`${input}, ${written.layout}: ${objects} objects, ${Math.round(micros)} µs`)
    return { ...written, input, objects, micros }
  })
}

function tableOf(all: readonly Row[], compressZstd: (bytes: Uint8Array) => Uint8Array): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const lines = [
    line(['profile', 'layout', 'bytes', 'gzip', 'zstd', 'gzip against pprof', 'objects kept', 'read, µs', 'lost']),
    line(['---', '---', '---:', '---:', '---:', '---:', '---:', '---:', '---']),
  ]
  let pprofGzip = 0
  for (const { input, layout, bytes, objects, micros, lost } of all) {
    const gzip = gzipSync(bytes).length
    const first = layout === pprof.name
    if (first) pprofGzip = gzip
    const against = first ? '' : percentText((100 * gzip) / pprofGzip - 100)
    const sizes = [bytes.length, gzip, compressZstd(bytes).length].map(size => size.toLocaleString('en-US'))
    const reading = [objects, Math.round(micros)].map(number => number.toLocaleString('en-US'))
    lines.push(line([first ? input : '', layout, ...sizes, against, ...reading, lost.join(', ')]))
  }
  return lines.join('\n')
}

function percentText(change: number): string {
  const rounded = Math.round(change)
  return `${rounded > 0 ? '+' : rounded < 0 ? '−' : ''}${Math.abs(rounded)} %`
}

const HEAD = `<!-- Made by \`npm run bench:sizes -- --write\`; not to be edited. -->

# Sizes

OTEP 0239 chose a layout for profiles by a table of sizes. This is that table with today's OTLP beside the layouts that it
compared, each written by Hearth from the same profiles. Compression is gzip and zstd at their usual levels (6 and 3).

- The OTEP's own profiles are not public. *average* (ten seconds of a Go service), *average, a timestamp each*, *deep stacks*
  (its "ruby") and *day* (its "large") are made from a fixed seed to be like them; files with an extension are recordings.
- *otlp by protobuf-es* is the same message read and written by a plain protobuf library: what the bytes cost without any
  care in writing them.
- *objects kept* are those on the heap for as long as the profiles are, read by Hearth into its columns, or by protobuf-es
  into messages: nodes of a heap snapshot with them, less those of one without.
- *read* is the CPU time to read the uncompressed bytes once, the median of rounds in which the layouts take turns.
- *lost* is what a layout has no place for. Where there is something, its sizes are those of less.
- A profile of OTLP measures one thing, so what other layouts hold as one sample with several values is as many samples.

`

const HEAD_OF_TABLE = '## Layouts that Hearth reads and writes'
const HEAD_OF_DRAFT = '## The table of the arrays draft\n'
const DRAFT_TEXT = `
The arrays draft compares four layouts of the same profiles: \`pprof\`, \`denormalized\` (everything is embedded), \`normalized\`
(tables, and a message for each sample) and \`arrays\` (tables, and arrays of numbers). Its profiles are not public. These are
generated with fewer samples; two columns compare how well they compress. protobufjs decodes the last three. *allocations* are the objects, arrays and strings that it
creates, *bytes allocated* is the growth of the heap.

`

async function main(): Promise<void> {
  const draft = draftSection()
  console.log(draft)
  const known = readFileSync(page, 'utf8').split(`${HEAD_OF_TABLE}\n\n`)[1]?.split(`\n${HEAD_OF_DRAFT}`)[0] ?? ''
  const table = process.argv.includes('--draft') ? known.trimEnd() : tableOf(await rows(), await zstdCompressor())
  if (!process.argv.includes('--draft')) console.log(table)
  if (process.argv.includes('--write')) {
    writeFileSync(page, `${HEAD}${HEAD_OF_TABLE}\n\n${table}\n\n${HEAD_OF_DRAFT}${DRAFT_TEXT}${draft}\n`)
  }
}

await main()
