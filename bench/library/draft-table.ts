// The size table of the arrays draft, and the reading time of former drafts against OTLP: npm run bench:sizes -- --draft.
import type { Profiles } from '@hearth/profile'
import { arraysDraft, otep239, otlp, pprof } from '@hearth/profile'
import { gzipSync } from 'node:zlib'
import { allocatedBy, measure, microsOf } from '../measure.ts'
import type { DraftLayout } from './draft-layouts.ts'
import { DRAFT_LAYOUTS, countAllocations, decodeLayout, encodeLayouts } from './draft-layouts.ts'
import { draftInputs } from './inputs.ts'

const number = (value: number): string => Math.round(value).toLocaleString('en-US')
const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

function sizeRows(name: string, document: string, profiles: Profiles): string[] {
  const { labelSets, bytes } = encodeLayouts(profiles)
  const sizes = (content: Uint8Array): string[] => {
    const gzip = gzipSync(content).length
    return [number(content.length), number(gzip), (content.length / gzip).toFixed(1)]
  }
  const ofLayout = (layout: DraftLayout): string => {
    const decode = (): unknown => decodeLayout(layout, bytes[layout])
    const decoded = decode()
    const cells = [number(countAllocations(decoded)), number(labelSets), number(allocatedBy(decode, 1))]
    return line(['', layout, ...sizes(bytes[layout]), '', ...cells])
  }
  const first = [name, 'pprof', ...sizes(pprof.write!(profiles, {}).bytes), document, 'n/a', number(labelSets), 'n/a']
  return [line(first), ...DRAFT_LAYOUTS.map(ofLayout)]
}

function timeRow(name: string, profiles: Profiles): string {
  const variants = [otlp, arraysDraft, otep239].map(format => {
    const { bytes } = format.write!(profiles, {})
    return { name: format.name, run: () => format.read!(bytes, {}) }
  })
  const timings = measure(variants, 3)
  const micros = variants.map(variant => microsOf(timings, variant.name))
  const cells = micros.map((each, i) => (i === 0 ? number(each) : `${number(each)} (${(each / micros[0]).toFixed(1)})`))
  return line([name, ...cells])
}

export function draftSection(): string {
  const inputs = draftInputs()
  const head = ['profile', 'layout', 'bytes', 'gzip', 'ratio', 'ratio in the document', 'allocations']
  return [
    line([...head, 'unique label sets', 'bytes allocated']),
    line(['---', '---', ...Array.from({ length: 7 }, () => '---:')]),
    ...inputs.flatMap(({ name, document, profiles }) => sizeRows(name, document, profiles)),
    '',
    'The CPU time to read the same profiles as OTLP and as the former drafts, in µs, and how many times as long it takes. The formats',
    'take turns in one process. If other programs use the machine, only the factors are comparable:',
    '',
    line(['profile', 'otlp', 'arrays-draft', 'otep239']),
    line(['---', '---:', '---:', '---:']),
    ...inputs.map(({ name, profiles }) => timeRow(name, profiles)),
  ].join('\n')
}
