// Profiles as text, for tests. A column is a sample: its value on top, its stack below, root first. Cells begin where the
// value above them begins.
//
//   const { profiles, f } = profileOf(`
//     1ms   2ms   3ms
//     main  main  main
//     run   run   idle
//     gc          `)
//
// A value is an integer. Commas separate the observations of a sample. A time follows `@`: `3`, `3@100`,
// `@100,@200`, `3@100,4@200`. The letters after the first value are the unit of the profile; without any it is `count`.
//
// A frame is `name[file:line](mapping@address){type}`, each part optional:
//
//   main[app.c:12]         a function in a file, at a line
//   ^gc                    inlined into the frame above: both are one location
//   (libc.so.6@0x1234)     not symbolised
//   ()                     nothing known: the zero location
//   sys_read{kernel}       with a profile.frame.type
import type { FunctionIndex, LocationIndex } from '../../model/columns/brand.ts'
import type { LineContent } from '../../model/build/builder.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'

export interface ProfileOf {
  readonly profiles: Profiles
  /** The function with each name; the first one if several have it. */
  readonly f: Readonly<Record<string, FunctionIndex>>
}

/** Each text becomes a profile of type `cpu`. All share one dictionary. */
export function profileOf(...texts: readonly string[]): ProfileOf {
  const builder = new ProfilesBuilder()
  const f: Record<string, FunctionIndex> = {}
  for (const text of texts) {
    const [header, ...rows] = text.split('\n').filter(line => line.trim() !== '')
    const columns = tokensOf(header ?? '')
    const unit = /[a-zA-Z]*$/.exec(columns[0]?.text ?? '')![0]
    builder.profile({ type: 'cpu', unit: unit === '' ? 'count' : unit })
    const cells = rows.map(row => cellsOf(row, columns))
    for (const [c, column] of columns.entries()) {
      const frames = cells.map(row => row[c]).filter(cell => cell !== '')
      const locations = groupInlined(frames.map(parseFrame)).map(group => addLocation(builder, group, f))
      builder.sample({ stack: builder.stack(locations.reverse()), ...parseValue(column.text, unit) })
    }
  }
  return { profiles: builder.build(), f }
}

interface Token {
  readonly at: number
  readonly text: string
}

function tokensOf(line: string): Token[] {
  return Array.from(line.matchAll(/\S+/g), match => ({ at: match.index, text: match[0] }))
}

/** One text per column, empty if the row has none. */
function cellsOf(row: string, columns: readonly Token[]): string[] {
  const cells = columns.map(() => '')
  for (const { at, text } of tokensOf(row)) {
    const column = columns.findIndex(token => token.at === at)
    if (column < 0) throw new Error(`'${text}' does not begin below a value: ${row}`)
    cells[column] = text
  }
  return cells
}

function parseValue(text: string, unit: string): { values: bigint[]; timestamps: bigint[] } {
  const values: bigint[] = []
  const timestamps: bigint[] = []
  for (const observation of text.split(',')) {
    const match = /^(-?\d+)?(?:@(\d+))?([a-zA-Z]*)$/.exec(observation)
    if (match === null || (match[3] !== '' && match[3] !== unit))
      throw new Error(`'${text}' is not a value in '${unit}'`)
    if (match[1] !== undefined) values.push(BigInt(match[1]))
    if (match[2] !== undefined) timestamps.push(BigInt(match[2]))
  }
  return { values, timestamps }
}

interface Frame {
  readonly inlined: boolean
  readonly name: string
  readonly file: string
  readonly line: bigint
  readonly mapping: string
  readonly address: bigint
  readonly type: string
}

const FRAME = /^(\^?)([^[({]*)(?:\[([^:\]]*)(?::(\d+))?\])?(?:\(([^@)]*)(?:@(0x[0-9a-f]+))?\))?(?:\{(.*)\})?$/

function parseFrame(text: string): Frame {
  const match = FRAME.exec(text)
  if (match === null) throw new Error(`'${text}' is not a frame`)
  const [, mark, name, file = '', line = '0', mapping = '', address = '0', type = ''] = match
  return { inlined: mark !== '', name, file, line: BigInt(line), mapping, address: BigInt(address), type }
}

/** Groups frames by location, outermost first. */
function groupInlined(frames: readonly Frame[]): Frame[][] {
  const groups: Frame[][] = []
  for (const frame of frames) {
    const above = groups.at(-1)
    if (!frame.inlined) groups.push([frame])
    else if (above === undefined) throw new Error(`'^${frame.name}' has nothing above to be inlined into`)
    else above.push(frame)
  }
  return groups
}

function addLocation(
  builder: ProfilesBuilder,
  frames: readonly Frame[],
  f: Record<string, FunctionIndex>,
): LocationIndex {
  const [{ mapping, address, type }] = frames
  const lines: LineContent[] = []
  for (const { name, file, line } of frames) {
    if (name === '' && file === '') continue
    const row = builder.function({ name, filename: file })
    f[name] ??= row
    lines.unshift({ function: row, line })
  }
  return builder.location({
    mapping: builder.mapping({ filename: mapping }),
    address,
    lines,
    attributes: type === '' ? [] : [builder.attribute(ATTRIBUTES.frameType, type)],
  })
}
