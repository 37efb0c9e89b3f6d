// Compares the content of two sets of profiles. Order, duplicates and orphans of dictionaries do not matter. Resources,
// scopes and profiles compare in order, samples as a multiset, attribute lists as sets. Both dictionaries are copied
// into one, so that equal content becomes equal ints. Time is linear in the size of both.
import type { AttributeIndex, StringIndex } from '../columns/brand.ts'
import { canonicalNested, canonicalResource, canonicalScope } from '../attributes/canonical.ts'
import { ValueKind } from '../columns/dictionary.ts'
import { DictionaryBuilder } from '../build/dictionary-builder.ts'
import { DictionaryTransfer } from '../build/dictionary-transfer.ts'
import { GrowingInts } from '../columns/growing-columns.ts'
import { SequenceInterner } from '../build/intern.ts'
import type { Plain } from './plain-content.ts'
import {
  brief,
  firstDifference,
  plainHeader,
  plainResource,
  plainSample,
  plainScope,
  plainUnknown,
} from './plain-content.ts'
import type { LongPool, Profiles } from '../columns/profiles.ts'
import { ProfileColumn, RESOURCE_STRIDE } from '../columns/profiles.ts'
import type { UnknownTable } from '../columns/unknown-fields.ts'

const NO_BYTES = new Uint8Array(0)

export function contentEqual(a: Profiles, b: Profiles): boolean {
  return new Comparison(a, b).firstDifference() === undefined
}

/** Describes the first difference: its path and the content of both sides. Undefined if there is none. */
export function difference(a: Profiles, b: Profiles): string | undefined {
  return new Comparison(a, b).firstDifference()?.()
}

/** Describes a difference that was found. Separate from the search, because it follows all references. */
type Explain = () => string

/** Nested values have more than one encoding on the wire, so they are made canonical first. */
class CanonicalDictionary extends DictionaryBuilder {
  override attribute(
    key: StringIndex,
    unit: StringIndex,
    kind: number,
    a: number,
    b: number,
    bytes: Uint8Array,
    unknown?: Uint8Array,
  ): AttributeIndex {
    if (kind !== ValueKind.array && kind !== ValueKind.keyValues) {
      return super.attribute(key, unit, kind, a, b, bytes, unknown)
    }
    const value = canonicalNested(bytes, kind, a, b)
    return super.attribute(key, unit, kind, 0, value.length, value, unknown)
  }
}

class Side {
  readonly profiles: Profiles
  readonly #dictionary: DictionaryBuilder
  readonly #transfer: DictionaryTransfer
  readonly #run = new GrowingInts()

  constructor(profiles: Profiles, dictionary: DictionaryBuilder) {
    this.profiles = profiles
    this.#dictionary = dictionary
    this.#transfer = new DictionaryTransfer(profiles.dictionary, dictionary)
  }

  resource(i: number): Int32Array {
    return this.#message('resources', i, canonicalResource)
  }

  scope(i: number): Int32Array {
    return this.#message('scopes', i, canonicalScope)
  }

  /** All fields of a profile except its samples, as a run of ints that the next call overwrites. */
  header(i: number): Int32Array {
    const { profiles } = this.profiles
    this.#run.length = 0
    for (let column = 0; column < ProfileColumn.time; column++) {
      this.#run.push(this.#transfer.string(profiles.column(i, column) as StringIndex))
    }
    for (let column = ProfileColumn.time; column < ProfileColumn.idOffset; column++)
      this.#run.push(profiles.column(i, column))
    for (const column of [ProfileColumn.idOffset, ProfileColumn.formatOffset, ProfileColumn.payloadOffset]) {
      const from = profiles.column(i, column)
      this.#run.push(this.#dictionary.blobs.intern(profiles.bytes, from, from + profiles.column(i, column + 1)))
    }
    this.#run.push(profiles.column(i, ProfileColumn.droppedAttributes))
    this.#pushUnknown('profiles', i)
    this.#transfer.attributeSet(profiles.attributes, profiles.attributesFrom(i), profiles.attributesTo(i), this.#run)
    return this.#run.view()
  }

  /** The number of this sample content in `interner`. */
  sample(i: number, interner: SequenceInterner): number {
    const { samples } = this.profiles
    const run = this.#run
    run.length = 0
    run.push(this.#transfer.stack(samples.stack(i)))
    run.push(this.#transfer.link(samples.link(i)))
    run.push(samples.valuesTo(i) - samples.valuesFrom(i))
    pushLongs(run, samples.values, samples.valuesFrom(i), samples.valuesTo(i))
    run.push(samples.timestampsTo(i) - samples.timestampsFrom(i))
    pushLongs(run, samples.timestamps, samples.timestampsFrom(i), samples.timestampsTo(i))
    this.#pushUnknown('samples', i)
    this.#transfer.attributeSet(samples.attributes, samples.attributesFrom(i), samples.attributesTo(i), run)
    return interner.intern(run.array, 0, run.length)
  }

  #message(
    name: 'resources' | 'scopes',
    i: number,
    canonical: (bytes: Uint8Array, from: number, to: number) => Uint8Array,
  ): Int32Array {
    const { bytes, ints, base } = this.profiles[name]
    const at = base + i * RESOURCE_STRIDE
    const message = canonical(bytes, ints[at], ints[at] + ints[at + 1])
    this.#run.length = 0
    this.#run.push(this.#dictionary.blobs.intern(message, 0, message.length))
    this.#run.push(this.#dictionary.blobs.intern(bytes, ints[at + 2], ints[at + 2] + ints[at + 3]))
    this.#pushUnknown(name, i)
    return this.#run.view()
  }

  #pushUnknown(table: UnknownTable, row: number): void {
    const fields = this.profiles.unknown?.[table]?.get(row) ?? NO_BYTES
    this.#run.push(this.#dictionary.blobs.intern(fields, 0, fields.length))
  }
}

function pushLongs(run: GrowingInts, longs: LongPool, from: number, to: number): void {
  run.pushAll(longs.ints, longs.base + 2 * from, longs.base + 2 * to)
}

class Comparison {
  readonly #a: Side
  readonly #b: Side

  constructor(a: Profiles, b: Profiles) {
    const dictionary = new CanonicalDictionary()
    this.#a = new Side(a, dictionary)
    this.#b = new Side(b, dictionary)
  }

  firstDifference(): Explain | undefined {
    const [a, b] = [this.#a.profiles, this.#b.profiles]
    const unknown = [plainUnknown(a), plainUnknown(b)] as const
    if (firstDifference(...unknown, '') !== undefined) return () => explain(...unknown, 'unknown_fields')
    if (a.resources.length !== b.resources.length)
      return counts('resource_profiles', a.resources.length, b.resources.length)
    for (let i = 0; i < a.resources.length; i++) {
      const found = this.#resource(i, `resource_profiles[${i}]`)
      if (found !== undefined) return found
    }
    return undefined
  }

  #resource(i: number, path: string): Explain | undefined {
    const [a, b] = [this.#a.profiles, this.#b.profiles]
    if (!sameRun(this.#a.resource(i), this.#b.resource(i))) {
      return () => explain(plainResource(a, i), plainResource(b, i), `${path}.resource`)
    }
    const [from, to] = [a.resources.from(i), a.resources.to(i)]
    // All earlier resources are equal, so both start with the same scope.
    if (to !== b.resources.to(i)) return counts(`${path}.scope_profiles`, to - from, b.resources.to(i) - from)
    for (let k = from; k < to; k++) {
      const found = this.#scope(k, `${path}.scope_profiles[${k - from}]`)
      if (found !== undefined) return found
    }
    return undefined
  }

  #scope(i: number, path: string): Explain | undefined {
    const [a, b] = [this.#a.profiles, this.#b.profiles]
    if (!sameRun(this.#a.scope(i), this.#b.scope(i))) {
      return () => explain(plainScope(a, i), plainScope(b, i), `${path}.scope`)
    }
    const [from, to] = [a.scopes.from(i), a.scopes.to(i)]
    if (to !== b.scopes.to(i)) return counts(`${path}.profiles`, to - from, b.scopes.to(i) - from)
    for (let k = from; k < to; k++) {
      const found = this.#profile(k, `${path}.profiles[${k - from}]`)
      if (found !== undefined) return found
    }
    return undefined
  }

  #profile(i: number, path: string): Explain | undefined {
    const [a, b] = [this.#a.profiles, this.#b.profiles]
    if (!sameRun(this.#a.header(i), this.#b.header(i))) return () => explain(plainHeader(a, i), plainHeader(b, i), path)
    const from = a.profiles.samplesFrom(i)
    const interner = new SequenceInterner()
    const left = numbersOf(this.#a, from, a.profiles.samplesTo(i), interner)
    const right = numbersOf(this.#b, from, b.profiles.samplesTo(i), interner)
    const excess = new Int32Array(interner.length)
    for (const number of left) excess[number]++
    for (const number of right) excess[number]--
    const onlyLeft = left.findIndex(number => excess[number] > 0)
    const onlyRight = right.findIndex(number => excess[number] < 0)
    if (onlyLeft < 0 && onlyRight < 0) return undefined
    return () => {
      if (left.length !== right.length) {
        const [side, profiles, at] =
          onlyLeft >= 0 ? (['first', a, onlyLeft] as const) : (['second', b, onlyRight] as const)
        const sample = brief(plainSample(profiles, from + at))
        return `${counts(`${path}.samples`, left.length, right.length)()}; the ${side} alone has ${sample}`
      }
      const other = onlyLeft === onlyRight ? '' : ` (samples[${onlyRight}] in the second)`
      return explain(
        plainSample(a, from + onlyLeft),
        plainSample(b, from + onlyRight),
        `${path}.samples[${onlyLeft}]${other}`,
      )
    }
  }
}

function numbersOf(side: Side, from: number, to: number, interner: SequenceInterner): Int32Array {
  const numbers = new Int32Array(to - from)
  for (let i = from; i < to; i++) numbers[i - from] = side.sample(i, interner)
  return numbers
}

function counts(path: string, a: number, b: number): Explain {
  return () => `${path}: ${a} in the first, ${b} in the second`
}

function explain(a: Plain, b: Plain, path: string): string {
  return firstDifference(a, b, path) ?? `${path}: ${brief(a)} is spelled differently in the first and the second`
}

function sameRun(a: Int32Array, b: Int32Array): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i])
}
