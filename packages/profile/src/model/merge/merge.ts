// Merges many sets of profiles into one. Equal resources become one, then equal scopes within them, then profiles of
// the same type, unit, period, attributes and shape, then samples of the same stack, attributes and link. Values are
// never summed across different types, units, periods or shapes. Cumulative profiles supersede each other instead (see
// temporality/cumulative-series.ts), and snapshots of a state are combined (see temporality/snapshots.ts). Notes report what
// could not be carried over. The order is that of first appearance.
import { AttributeSets } from './attribute-sets.ts'
import type { StringIndex } from '../columns/brand.ts'
import { NONE } from '../columns/brand.ts'
import { canonicalResource, canonicalScope } from '../attributes/canonical.ts'
import { DictionaryBuilder } from '../build/dictionary-builder.ts'
import { DictionaryTransfer } from '../build/dictionary-transfer.ts'
import { GrowingInts } from '../columns/growing-columns.ts'
import { SequenceInterner } from '../build/intern.ts'
import type { MergeNote } from './merge-notes.ts'
import { MergeNotes } from './merge-notes.ts'
import { MergedMessages } from './merged-messages.ts'
import type { MergedHeader } from './merged-profile.ts'
import { MergedProfile } from './merged-profile.ts'
import { MergedSamples, Shape, shapeOf } from './merged-samples.ts'
import type { Profiles } from '../columns/profiles.ts'
import { ProfileColumn, SCOPE_STRIDE } from '../columns/profiles.ts'
import { ProfilesDraft } from '../columns/profiles-draft.ts'
import { CUMULATIVE_PROFILES, temporalityOf } from '../temporality/cumulative-series.ts'
import type { SnapshotMode } from '../temporality/gauge-types.ts'
import { LatestProfiles } from '../temporality/latest-profiles.ts'
import type { Snapshot, SnapshotState } from '../temporality/snapshots.ts'
import { averageFactors, isSnapshot, snapshotOf, snapshotReplacement } from '../temporality/snapshots.ts'
import { UnknownFieldsDraft } from '../columns/unknown-fields.ts'

export interface MergeResult {
  readonly profiles: Profiles
  readonly notes: readonly MergeNote[]
}

export interface MergeOptions {
  /** How snapshots of a state, such as the live heap, are combined over time for each instance. Default: 'average'. */
  readonly snapshots?: SnapshotMode | undefined
}

export function merge(inputs: Iterable<Profiles>, options: MergeOptions = {}): MergeResult {
  const merger = new ProfilesMerger(options)
  for (const profiles of inputs) merger.add(profiles)
  return merger.finish()
}

const SHAPES = 5

/** Accepts inputs one at a time. Only the last one is kept alive. */
export class ProfilesMerger {
  readonly #dictionary = new DictionaryBuilder()
  #transfer: DictionaryTransfer | undefined
  readonly #resources = new MergedMessages(canonicalResource)
  readonly #scopes = new MergedMessages(canonicalScope)
  readonly #attributeSets = new AttributeSets()
  readonly #headers = new SequenceInterner()
  /** The profile of each header and shape; NONE if there is none. */
  readonly #byShape = new GrowingInts()
  readonly #profiles: MergedProfile[] = []
  readonly #samples = new MergedSamples(this.#attributeSets)
  readonly #run = new GrowingInts()
  readonly #unknown = new UnknownFieldsDraft()
  readonly #cumulative = new LatestProfiles(CUMULATIVE_PROFILES)
  readonly #mode: SnapshotMode
  /** The snapshots that wait for the end, if only one of each instance counts. */
  readonly #snapshots: LatestProfiles<SnapshotState> | undefined
  /** The snapshots that are averaged, and the instance of each merged profile that consists of some. */
  readonly #averaged: Snapshot[] = []
  readonly #instances = new Map<number, string>()

  constructor({ snapshots = 'average' }: MergeOptions = {}) {
    this.#mode = snapshots
    if (snapshots === 'latest' || snapshots === 'maximum')
      this.#snapshots = new LatestProfiles(snapshotReplacement(snapshots))
  }

  add(profiles: Profiles): void {
    this.#add(profiles, false)
  }

  /** Profiles that later inputs may replace wait for the end unless `isLast`. */
  #add(profiles: Profiles, isLast: boolean): void {
    const { dictionary, resources, scopes, samples, unknown } = profiles
    this.#unknown.append('self', 0, unknown?.self?.get(0))
    const transfer = (this.#transfer =
      this.#transfer?.next(dictionary) ?? new DictionaryTransfer(dictionary, this.#dictionary))
    for (let r = 0; r < resources.length; r++) {
      const resource = this.#resources.row(NONE, resources, r, unknown?.resources?.get(r))
      for (let s = resources.from(r); s < resources.to(r); s++) {
        const scope = this.#scopes.row(resource, scopes, s, unknown?.scopes?.get(s))
        for (let p = scopes.from(s); p < scopes.to(s); p++) {
          const waiting = isLast ? undefined : this.#waiting(profiles, p)
          if (waiting !== undefined) {
            waiting.add(profiles, p)
            continue
          }
          const from = profiles.profiles.samplesFrom(p)
          const to = profiles.profiles.samplesTo(p)
          const profile = this.#profile(scope, profiles, p, shapeOf(samples, from, to), transfer)
          this.#profiles[profile].absorb(profiles, p)
          this.#samples.add(profile, profiles, from, to, transfer)
          if (this.#mode === 'average' && isSnapshot(profiles, p)) {
            const snapshot = snapshotOf(profiles, p)
            this.#averaged.push(snapshot)
            this.#instances.set(profile, snapshot.instance)
          }
        }
      }
    }
  }

  /** The collection of a profile that later inputs may replace. */
  #waiting(profiles: Profiles, p: number): Pick<LatestProfiles<unknown>, 'add'> | undefined {
    if (temporalityOf(profiles, p) === 'cumulative') return this.#cumulative
    return this.#snapshots !== undefined && isSnapshot(profiles, p) ? this.#snapshots : undefined
  }

  /** The factors of the merged profiles that are averages. Empty if no instance has several snapshots. */
  #factors(): Map<number, number> {
    const instances = new Set(this.#averaged.map(({ instance }) => instance))
    if (instances.size === this.#averaged.length) return new Map()
    const factors = averageFactors(this.#averaged)
    return new Map(Array.from(this.#instances, ([profile, instance]) => [profile, factors.get(instance)!]))
  }

  /** Returns the result. The merger cannot be used afterwards. */
  finish(): MergeResult {
    for (const waiting of [this.#cumulative, this.#snapshots ?? []]) {
      for (const profiles of waiting) this.#add(profiles, true)
    }
    const draft = new ProfilesDraft()
    const notes = new MergeNotes()
    const order = this.#writeMessages(draft)
    const factors = this.#factors()
    const ends = this.#samples.write(order, this.#profiles.length, draft, factors)
    for (const [i, row] of order.entries()) {
      const profile = this.#profiles[row]
      this.#attributeSets.write(profile.header.attributes, draft.profileAttributes)
      draft.unknown.set('profiles', i, this.#blob(profile.header.unknown))
      profile.write(draft, ends[i], this.#dictionary.bytes)
      profile.addNotes(notes)
    }
    this.#noteKeptApart(notes)
    draft.unknown.addAll(this.#unknown.take())
    notes.add('overflow', this.#samples.overflows)
    notes.add('superseded', this.#cumulative.superseded)
    notes.add('snapshots-replaced', this.#snapshots?.superseded ?? 0)
    notes.add('snapshots-averaged', factors.size === 0 ? 0 : this.#averaged.length)
    notes.add('timestamps-averaged', this.#samples.averagedTimestamps)
    notes.add('irregular-samples', this.#samples.irregular)
    this.#dictionary.writeTo(draft)
    const { array, length } = this.#dictionary.bytes
    return { profiles: draft.freeze(array.subarray(0, length)), notes: notes.list() }
  }

  /** The number of the merged profile that profile `p` belongs to. */
  #profile(scope: number, input: Profiles, p: number, shape: Shape, transfer: DictionaryTransfer): number {
    const { profiles } = input
    const unknown = input.unknown?.profiles?.get(p)
    const run = this.#run
    const from = profiles.attributesFrom(p)
    const attributes = this.#attributeSets.carry(profiles.attributes, from, profiles.attributesTo(p), transfer)
    run.length = 0
    run.push(scope)
    for (let column = 0; column < ProfileColumn.time; column++) {
      run.push(transfer.string(profiles.column(p, column) as StringIndex))
    }
    run.push(profiles.column(p, ProfileColumn.period))
    run.push(profiles.column(p, ProfileColumn.period + 1))
    run.push(attributes)
    // Cumulative profiles of different starts stay apart, so that later ones can still supersede them.
    const isCumulative = temporalityOf(input, p) === 'cumulative'
    run.push(isCumulative ? profiles.column(p, ProfileColumn.time) : 0)
    run.push(isCumulative ? profiles.column(p, ProfileColumn.time + 1) : 0)
    run.push(unknown === undefined ? 0 : this.#dictionary.blobs.intern(unknown, 0, unknown.length))
    const header = this.#headers.intern(run.array, 0, run.length)
    if (header * SHAPES === this.#byShape.length) for (let k = 0; k < SHAPES; k++) this.#byShape.push(NONE)
    return this.#profileOfShape(header, shape)
  }

  /** Profiles without samples join the first profile with their header, whatever its shape. */
  #profileOfShape(header: number, shape: Shape): number {
    const byShape = this.#byShape.array
    const at = header * SHAPES
    if (byShape[at + shape] !== NONE) return byShape[at + shape]
    const first = byShape[at + Shape.none]
    if (first === NONE || this.#profiles[first].shape !== Shape.none) {
      const profile = this.#profiles.push(new MergedProfile(this.#headerOf(header), shape)) - 1
      byShape[at + shape] = profile
      if (first === NONE) byShape[at + Shape.none] = profile
      return profile
    }
    this.#profiles[first].shape = shape
    byShape[at + shape] = first
    return first
  }

  #headerOf(header: number): MergedHeader {
    const { array } = this.#headers.pool
    const at = this.#headers.start(header)
    return {
      scope: array[at],
      type: array[at + 1],
      unit: array[at + 2],
      periodType: array[at + 3],
      periodUnit: array[at + 4],
      periodLo: array[at + 5],
      periodHi: array[at + 6],
      attributes: array[at + 7],
      startLo: array[at + 8],
      startHi: array[at + 9],
      unknown: array[at + 10],
    }
  }

  #blob(blob: number): Uint8Array {
    const offset = this.#dictionary.blobOffset(blob)
    return this.#dictionary.bytes.array.slice(offset, offset + this.#dictionary.blobLength(blob))
  }

  /** Writes resources and scopes. Returns the profiles in their final order. */
  #writeMessages(draft: ProfilesDraft): number[] {
    const scopes = grouped(this.#resources.length, this.#scopes.length, scope => this.#scopes.parent(scope))
    const profiles = grouped(this.#scopes.length, this.#profiles.length, row => this.#profiles[row].header.scope)
    const order: number[] = []
    for (let resource = 0; resource < this.#resources.length; resource++) {
      for (const scope of scopes[resource]) {
        for (const profile of profiles[scope]) order.push(profile)
        draft.unknown.set('scopes', draft.scopes.length / SCOPE_STRIDE, this.#scopes.unknown(scope))
        this.#scopes.write(scope, draft.scopes, this.#dictionary.bytes)
        draft.scopes.push(order.length)
      }
      draft.unknown.set('resources', resource, this.#resources.unknown(resource))
      this.#resources.write(resource, draft.resources, this.#dictionary.bytes)
      draft.resources.push(draft.scopes.length / SCOPE_STRIDE)
    }
    return order
  }

  /** Compares profiles of one scope, type and attributes, so that the result does not depend on their order. */
  #noteKeptApart(notes: MergeNotes): void {
    const [kinds, units, periods, starts, fields] = Array.from({ length: 5 }, () => new SequenceInterner())
    const row = (of: SequenceInterner, ...key: readonly number[]): number =>
      of.intern(Int32Array.from(key), 0, key.length)
    for (const { header } of this.#profiles) {
      const [known, knownUnits, knownPeriods, knownStarts, knownFields] = [kinds, units, periods, starts, fields].map(
        of => of.length,
      )
      const kind = row(kinds, header.scope, header.type, header.attributes)
      const unit = row(units, kind, header.unit)
      const period = row(periods, unit, header.periodType, header.periodUnit, header.periodLo, header.periodHi)
      const start = row(starts, period, header.startLo, header.startHi)
      row(fields, start, header.unknown)
      if (kinds.length > known) continue
      if (units.length > knownUnits) notes.add('kept-apart-unit', 1)
      else if (periods.length > knownPeriods) notes.add('kept-apart-period', 1)
      else if (starts.length > knownStarts) notes.add('kept-apart-start', 1)
      else if (fields.length > knownFields) notes.add('kept-apart-unknown-fields', 1)
      else notes.add('kept-apart-shape', 1)
    }
  }
}

/** The children of each parent, in order. */
function grouped(parents: number, children: number, parentOf: (child: number) => number): number[][] {
  const groups: number[][] = Array.from({ length: parents }, () => [])
  for (let child = 0; child < children; child++) groups[parentOf(child)].push(child)
  return groups
}
