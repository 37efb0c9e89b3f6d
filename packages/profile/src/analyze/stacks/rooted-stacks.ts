// Stacks with the values of chosen attributes at their root: pprof's -tagroot. A value is taken from what is nearest to the
// sample: its own attributes, then its profile's, the scope's, the resource's. Samples of one stack that differ in it are of
// several rows:
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

/** Distinct pairs of a stack and what stands at its root. */
export interface RootedStacks {
  readonly length: number
  /** How many root frames each has. */
  readonly depth: number
  /** Row by row the stack and behind it its root frames, outermost first. */
  readonly ints: Int32Array
  /** For each sample of the profiles that were chosen its row. */
  readonly ofSample: Int32Array
}

/** `roots` gets the frames that are met; several sides may share it. */
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
  /** Any level where it is undefined, the nearest first. */
  readonly level: Level | undefined
  readonly key: string
}

const LEVEL = /^(resource|scope|profile|sample):([^]+)$/

/** As selectors have it: `region`, or `resource:region` for one level alone. */
function wantedKey(text: string): WantedKey {
  const parts = LEVEL.exec(text)
  return parts === null ? { level: undefined, key: text } : { level: parts[1] as Level, key: parts[2] }
}

function looksAt({ level }: WantedKey, at: Level): boolean {
  return level === undefined || level === at
}

/** By profile what its scope or else its resource has under each key; empty where neither has any. */
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

/** Attributes of the dictionary as root frames, each read once. */
class AttributeFrames {
  readonly #profiles: Profiles
  readonly #wanted: readonly WantedKey[]
  readonly #roots: RootFrames
  /** For each key and attribute the frame; NONE where the attribute has another key, or no value. */
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

  /** Puts what the sample itself has into `row`, from place 1 on. */
  read(sample: number, row: Int32Array): void {
    const { samples } = this.#profiles
    const from = samples.attributesFrom(sample)
    const to = samples.attributesTo(sample)
    for (let k = 0; k < this.#ofSamples.length; k++) {
      const frames = this.#ofSamples[k]
      // From the last on, so that of several the first stays.
      for (let at = to - 1; at >= from; at--) {
        const frame = frames[samples.attributes.at(at)]
        if (frame !== NONE) row[k + 1] = frame
      }
    }
  }
}
