// The size table of OTEP 0239 made again, with today's layout beside those that it compared: npm run bench:sizes. The same
// profiles in each layout, raw and compressed; `--write` puts the table into docs/sizes.md.
import type { Format, Profiles } from '@hearth/profile'
import { arraysDraft, contentEqual, otep239, otlp, pprof, readProfile } from '@hearth/profile'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { sizeInputs } from './inputs.ts'
import { loadPeers } from './peers.ts'
import { zstdCompressor } from './zstd.ts'

const page = new URL('../../docs/sizes.md', import.meta.url)
const corpora = new URL('../../../shared/corpora/', import.meta.url)

/** In the order in which they came about. */
const LAYOUTS: readonly Format[] = [pprof, arraysDraft, otep239, otlp]

interface Named {
  readonly name: string
  readonly profiles: Profiles
}

interface Row {
  readonly input: string
  readonly layout: string
  readonly bytes: Uint8Array
  /** Codes of what the layout has no place for, which makes it smaller than it should be. */
  readonly lost: readonly string[]
}

function recordings(): Named[] {
  const folder = new URL('pprof/', corpora)
  const files = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }).filter(entry => entry.isFile()) : []
  const real = files.map(({ name }) => new URL(name, folder))
  const capture = new URL('otlp/ebpf-v1.8.otlp', corpora)
  if (existsSync(capture)) real.push(capture)
  return real.map(url => ({
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
  return inputs().flatMap(({ name, profiles }) => {
    const hearth = LAYOUTS.map(format => {
      const { bytes, notes } = format.write!(profiles, {})
      return { input: name, layout: format.name, bytes, lost: notes.map(({ code }) => code) }
    })
    const again = protobufEs.encode(protobufEs.decode(hearth[LAYOUTS.indexOf(otlp)].bytes))
    if (!contentEqual(otlp.read!(again, {}).profiles, profiles)) throw new Error(`${name}: ${protobufEs.name} differs`)
    return [...hearth, { input: name, layout: `otlp by ${protobufEs.name}`, bytes: again, lost: [] }]
  })
}

function tableOf(all: readonly Row[], compressZstd: (bytes: Uint8Array) => Uint8Array): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const lines = [
    line(['profile', 'layout', 'bytes', 'gzip', 'zstd', 'gzip against pprof', 'lost']),
    line(['---', '---', '---:', '---:', '---:', '---:', '---']),
  ]
  let pprofGzip = 0
  for (const { input, layout, bytes, lost } of all) {
    const gzip = gzipSync(bytes).length
    const first = layout === pprof.name
    if (first) pprofGzip = gzip
    const against = first ? '' : percentText((100 * gzip) / pprofGzip - 100)
    const sizes = [bytes.length, gzip, compressZstd(bytes).length].map(size => size.toLocaleString('en-US'))
    lines.push(line([first ? input : '', layout, ...sizes, against, lost.join(', ')]))
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
- *lost* is what a layout has no place for. Where there is something, its sizes are those of less.
- A profile of OTLP measures one thing, so what other layouts hold as one sample with several values is as many samples.

`

async function main(): Promise<void> {
  const table = tableOf(await rows(), await zstdCompressor())
  console.log(table)
  if (process.argv.includes('--write')) writeFileSync(page, `${HEAD}${table}\n`)
}

await main()
