// Stacks with the values of selected attributes at their root, like pprof's -tagroot. A value comes from the nearest level of
// the sample: its own attributes, then its profile's, the scope's, the resource's. Samples of one stack with different values
// have several rows:
//
//   sample        0       1       2       3                row     0        1
//   stack         7       7       7       7         ──►    stack   7        7
//   thread.name   main    gc      main    main             roots   main     gc
//                                                          ofSample  0 1 0 0
import type { AttributeIndex } from '../../model/columns/brand.ts'
import { NONE } from '../../model/columns/brand.ts'
import type { KeyValue } from '../../model/columns/any-value.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { valueText } from '../../model/attributes/value-text.ts'
import type { RootFrames } from './root-frames.ts'

/** The distinct pairs of a stack and its root frames. */
export interface RootedStacks {
  readonly length: number
  /** The number of root frames of each row. */
  readonly depth: number
  /** For each row the stack, then its root frames, outermost first. */
  readonly ints: Int32Array
  /** The row of each sample of the selected profiles. */
  readonly ofSample: Int32Array
}

/** Adds the frames to `roots`, which several sides may share. */
export function rootedStacks(profiles: Profiles, selected: readonly number[], roots: RootFrames): RootedStacks {
  const { samples, profiles: table } = profiles
  const depth = roots.keys.length
  const stride = depth + 1
  const wanted = roots.keys.map(wantedKey)
  const values = new AttributeFrames(profiles, wanted, roots)
  const around = surroundings(profiles, new Set(selected), wanted)
  const rows = new SequenceInterner()
  const ofSample = new Int32Array(samples.length).fill(NONE)
  const row = new Int32Array(stride)
  for (const profile of selected) {
    const given = around.get(profile) ?? []
    const usual = Int32Array.from(wanted, (_, k) => {
      const own = values.ofProfile(k, table.attributesOf(profile))
      return own === NONE ? roots.frame(k, given[k] ?? '') : own
    })
    for (let i = table.samplesFrom(profile), to = table.samplesTo(profile); i < to; i++) {
      row[0] = samples.stack(i)
      row.set(usual, 1)
      values.read(i, row)
      ofSample[i] = rows.intern(row, 0, stride)
    }
  }
  return { length: rows.length, depth, ints: rows.pool.view(), ofSample }
}

type Level = 'resource' | 'scope' | 'profile' | 'sample'

interface WantedKey {
  /** Undefined for any level, the nearest first. */
  readonly level: Level | undefined
  readonly key: string
}

const LEVEL = /^(resource|scope|profile|sample):([^]+)$/

/** Parses a key as selectors write it: `region`, or `resource:region` for one level. */
function wantedKey(text: string): WantedKey {
  const parts = LEVEL.exec(text)
  return parts === null ? { level: undefined, key: text } : { level: parts[1] as Level, key: parts[2] }
}

function looksAt({ level }: WantedKey, at: Level): boolean {
  return level === undefined || level === at
}

/** The value of each key in the scope or else the resource of each profile; empty if neither has it. */
function surroundings(
  { resources, scopes }: Profiles,
  selected: ReadonlySet<number>,
  wanted: readonly WantedKey[],
): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, readonly string[]>()
  for (let r = 0; r < resources.length; r++) {
    const resource = textsOf(wanted, 'resource', resources.resource(r).attributes)
    for (let s = resources.from(r); s < resources.to(r); s++) {
      const { name, version, attributes } = scopes.scope(s)
      const own = [...attributes, { key: 'scope.name', value: name }, { key: 'scope.version', value: version }]
      const scope = textsOf(wanted, 'scope', own)
      const texts = scope.map((text, k) => (text === '' ? resource[k] : text))
      for (let i = scopes.from(s); i < scopes.to(s); i++) if (selected.has(i)) found.set(i, texts)
    }
  }
  return found
}

function textsOf(wanted: readonly WantedKey[], level: Level, attributes: readonly KeyValue[]): string[] {
  return wanted.map(each => {
    if (!looksAt(each, level)) return ''
    return valueText(attributes.find(({ key }) => key === each.key)?.value)
  })
}

/** Reads attributes of the dictionary as root frames, each only once. */
class AttributeFrames {
  readonly #profiles: Profiles
  readonly #wanted: readonly WantedKey[]
  readonly #roots: RootFrames
  /** The frame for each key and attribute; NONE if the attribute has another key or no value. */
  readonly #frames: readonly Int32Array[]
  readonly #ofSamples: readonly Int32Array[]

  constructor(profiles: Profiles, wanted: readonly WantedKey[], roots: RootFrames) {
    this.#profiles = profiles
    this.#wanted = wanted
    this.#roots = roots
    this.#frames = wanted.map((each, k) => this.#framesOf(each, k))
    this.#ofSamples = this.#frames.map((frames, k) =>
      looksAt(wanted[k], 'sample') ? frames : new Int32Array(frames.length).fill(NONE),
    )
  }

  #framesOf({ key }: WantedKey, k: number): Int32Array {
    const { attributes, strings } = this.#profiles.dictionary
    const frames = new Int32Array(attributes.length).fill(NONE)
    for (let i = 1; i < attributes.length; i++) {
      const row = i as AttributeIndex
      if (strings.text(attributes.key(row)) !== key) continue
      const text = valueText(attributes.value(row))
      if (text !== '') frames[i] = this.#roots.frame(k, text)
    }
    return frames
  }

  ofProfile(k: number, rows: readonly AttributeIndex[]): number {
    if (!looksAt(this.#wanted[k], 'profile')) return NONE
    const row = rows.find(each => this.#frames[k][each] !== NONE)
    return row === undefined ? NONE : this.#frames[k][row]
  }

  /** Writes the sample's own root frames into `row`, starting at index 1. */
  read(sample: number, row: Int32Array): void {
    const { samples } = this.#profiles
    const from = samples.attributesFrom(sample)
    const to = samples.attributesTo(sample)
    for (let k = 0; k < this.#ofSamples.length; k++) {
      const frames = this.#ofSamples[k]
      // Starts at the last attribute, so that the first one with a key wins.
      for (let at = to - 1; at >= from; at--) {
        const frame = frames[samples.attributes.at(at)]
        if (frame !== NONE) row[k + 1] = frame
      }
    }
  }
}
