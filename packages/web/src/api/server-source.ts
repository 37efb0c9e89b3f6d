// A query of the server as a profile source.
import type { LaneKind } from '@hearth/profile'
import type { ChangesResponse, HearthClient } from '@hearth/client'
import { ApiError } from '@hearth/client'
import { IDLE_FRAME, canonicalUnit, joinTops, laneKindOf, topOfTree, varianceBetween } from '@hearth/profile'
import { limitedColumn } from '../timeline/heat-map-columns.ts'
import type { Query, SpanScope, StackFilter } from '../address/query.ts'
import { selectorKey, selectorOf, snapshotsOf, typeSelector } from '../address/query.ts'
import type { OfLoad } from '../address/time-range.ts'
import {
  absolute,
  lengthOf,
  ofLoad,
  resolveTime,
  preciseTime,
  profileStepFor,
  timeText,
} from '../address/time-range.ts'
import { distinctTypes } from '../timeline/distinct-types.ts'
import { timeline } from '../worker/timeline.ts'
import { denseHeatMap } from './dense-heat-map.ts'
import { diffTree, flameGraphTree, sandwichTrees, topColumns } from './response-columns.ts'
import { timelineOf } from './event-columns.ts'
import { partKey, rootKey, showsTree } from './part-key.ts'
import { sparkValues } from './spark-values.ts'
import { attributesOfBoth } from './attributes-of-both.ts'
import type {
  ComparisonSource,
  DiffRows,
  Disassembly,
  FrameName,
  HeatMapResponse,
  HeatMapChoice,
  Part,
  ProfileSource,
  SandwichTrees,
  SourceFile,
  TimelineResult,
  TimelineEvents,
  TopColumns,
  TreeResult,
  TreeOrder,
  WrittenFile,
} from './profile-source.ts'

/** More than a screen can show, and few enough to load at once (24 bytes each). The response reports hidden nodes. */
const NODES = 200_000
const TOP_ROWS = 20_000
/** The number of listed profiles whose observations are counted. */
const LISTED = 1000
/** 45 bytes each: about three seconds on a fast connection, and more than a screen can show. */
const EVENTS = 1_000_000
const MAX_TYPES = 100
/** The maximum time that the server searches for events before the range. */
const LOOK_BACK_MS = 600_000
const COMPLETIONS = 200
/** Points of a sparkline. */
const SPARK_STEPS = 24
/** The limit of the server. */
const MAX_BUILD_IDS = 16
/** The attributes of the repository and the commit of a service. */
const REPOSITORY = 'vcs.repository.url.full'
const REVISION = 'vcs.ref.head.revision'

/** The eBPF profiler counts samples of CPU time, which users read as time. */
const TIMES = { times: true } as const

const NOT_IDLE: StackFilter = { negated: true, place: 'frame', regex: true, name: IDLE_FRAME }

/** The part of a request that selects samples. */
interface SelectionPart extends Partial<SpanScope>, Pick<Query, 'unlinked'>, OfLoad {
  readonly selector: string
  readonly from: string
  readonly to: string
  readonly exact?: boolean
  readonly threads?: string[]
}

export class ServerSource implements ProfileSource {
  readonly key: string
  readonly query: Query & OfLoad
  /** Only these observations. */
  readonly part: Part | undefined
  readonly #roots: readonly string[]
  readonly #addresses: boolean
  readonly #client: HearthClient
  readonly #now: number
  readonly #events = new Map<LaneKind, TimelineEvents>()
  #prefetched: { readonly order: TreeOrder; readonly result: Promise<TreeResult> } | undefined
  /** The last requested tree, in any order. */
  #tree: Promise<TreeResult> | undefined

  /** All requests have one range, of the load at `now`. With 0, the range is absolute already and belongs to no load. */
  constructor(
    client: HearthClient,
    query: Query & OfLoad,
    now: number,
    part?: Part,
    roots: readonly string[] = [],
    addresses = false,
  ) {
    this.#client = client
    this.#now = now
    this.query = now === 0 ? query : absolute(query, now)
    this.part = part
    this.#roots = roots
    this.#addresses = addresses
    const selected = `${selectorOf(query)}:${this.query.from}:${this.query.to}${spanKey(query)}${partKey(part)}`
    const { snapshots = '' } = snapshotsOf(query)
    this.key = `server:${now}:${selected}${rootKey(roots, addresses)}:${snapshots}`
  }

  async tree(order: TreeOrder, signal: AbortSignal): Promise<TreeResult> {
    const prefetched = this.#prefetched
    this.#prefetched = undefined
    return await (prefetched?.order === order ? prefetched.result : this.#requestTree(order, signal))
  }

  /**
   * Requests a tree before a view needs it. The next call of `tree` gets the result or the error. Resolves when either
   * has arrived.
   */
  async prefetch(order: TreeOrder, signal: AbortSignal): Promise<void> {
    const result = this.#requestTree(order, signal)
    this.#prefetched = { order, result }
    await result.catch(() => undefined)
  }

  /** Whether both send the same requests as the same user. */
  equals(other: ServerSource): boolean {
    return this.#client === other.#client && this.key === other.key
  }

  #requestTree(order: TreeOrder, signal: AbortSignal): Promise<TreeResult> {
    const request = { ...this.selection(), ...snapshotsOf(this.query), ...TIMES, ...this.root(), order, nodes: NODES }
    this.#tree = this.#client.columns('flameGraph', request, { signal }).then(flameGraphTree)
    return this.#tree
  }

  /** Computed from the tree if it was requested and is complete, which is true for all but the largest. */
  async top(signal: AbortSignal): Promise<TopColumns> {
    const { tree } = (await this.#tree?.catch(() => undefined)) ?? {}
    if (tree?.hiddenNodes === 0) {
      await graphShown()
      return topOfTree(tree)
    }
    const request = { ...this.selection(), ...snapshotsOf(this.query), ...TIMES, ...this.#byAddress(), limit: TOP_ROWS }
    return topColumns(await this.#client.columns('top', request, { signal }))
  }

  /** Arrow function, because tables pass it on. */
  readonly overTime = async (frame: FrameName, signal: AbortSignal): Promise<readonly number[]> => {
    const { from, to } = this.query
    const length = Date.parse(to) - Date.parse(from)
    if (!(length > 0) || this.part !== undefined) return []
    const stacks = [...this.query.stacks, { negated: false, place: 'frame', regex: false, name: frame.name } as const]
    const selector = selectorOf({ ...this.query, stacks })
    const step = profileStepFor(length, SPARK_STEPS)
    const request = { selector, ...snapshotsOf(this.query), ...TIMES, ...ofLoad(this.query), from, to, step }
    const { groups } = await this.#client.query('series', request, { signal })
    return sparkValues(groups[0]?.points ?? [], Date.parse(from), length, SPARK_STEPS)
  }

  async lines(signal: AbortSignal): Promise<TopColumns> {
    const request = { ...this.selection(), ...snapshotsOf(this.query), ...TIMES, by: 'line', limit: TOP_ROWS } as const
    return topColumns(await this.#client.columns('top', request, { signal }))
  }

  async sourceFile(file: string, buildIds: readonly string[], signal: AbortSignal): Promise<SourceFile> {
    if (file === '') return { why: '' }
    const of = { file, ...(buildIds.length === 0 ? {} : { buildId: buildIds.slice(0, MAX_BUILD_IDS) }) }
    let found = await this.#client.query('source', of, { signal })
    if (found.linkNeeds !== undefined) {
      const [repository, revision] = await Promise.all([REPOSITORY, REVISION].map(key => this.#onlyValue(key, signal)))
      const known = {
        ...(repository === undefined ? {} : { repository }),
        ...(revision === undefined ? {} : { revision }),
      }
      found = await this.#client.query('source', { ...of, ...known }, { signal })
    }
    const { text, link, reason } = found
    return {
      ...(text === undefined ? {} : { text }),
      ...(link === undefined ? {} : { link }),
      why: reason === 'not-found' ? 'The source code on the server does not contain this file.' : '',
    }
  }

  async disassembly(name: string, signal: AbortSignal): Promise<Disassembly> {
    const request = { ...this.selection(), ...snapshotsOf(this.query), ...TIMES, function: name }
    const { unit, sum, functions } = await this.#client.query('disassembly', request, { signal })
    return {
      unit,
      sum: BigInt(sum),
      functions: functions.map(each => ({
        ...each,
        instructions: each.instructions.map(of => ({ ...of, self: BigInt(of.self), total: BigInt(of.total) })),
      })),
    }
  }

  /** The value of an attribute that all selected profiles share. */
  async #onlyValue(attribute: string, signal: AbortSignal): Promise<string | undefined> {
    const { selector, from, to } = this.selection()
    const { values } = await this.#client.attributeValues(attribute, { selector, from, to, limit: 2 }, { signal })
    return values.length === 1 ? values[0].text : undefined
  }

  async sandwich({ name, file }: FrameName, signal: AbortSignal): Promise<SandwichTrees | undefined> {
    const request = {
      ...this.selection(),
      ...snapshotsOf(this.query),
      ...TIMES,
      ...this.root(),
      function: name,
      ...(file === '' ? {} : { file }),
      nodes: NODES,
    }
    try {
      return sandwichTrees(await this.#client.columns('sandwich', request, { signal }))
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not-found') return undefined
      throw error
    }
  }

  async write(format: string, signal: AbortSignal): Promise<WrittenFile> {
    const rooted = showsTree(format) && this.#roots.length > 0 ? { root: this.#roots.map(selectorKey) } : {}
    return await this.#client.export({ ...this.selection(), ...rooted, format }, { signal })
  }

  async heatMap({ column, rows, busy }: HeatMapChoice, signal: AbortSignal): Promise<HeatMapResponse> {
    const selection = this.#observed(busy)
    const length = BigInt(Math.ceil((lengthOf(selection, this.#now) ?? 0) * 1e6))
    const request = { ...selection, column: `${limitedColumn(column, length)}ns`, rows }
    return denseHeatMap(await this.#client.columns('heatMap', request, { signal }))
  }

  async timeline(thread: string, signal: AbortSignal): Promise<TimelineResult> {
    return timeline(await this.events(laneKindOf(thread), signal), thread, this.#canonicalType())
  }

  /** Events of all types, because running and waiting belong together. */
  async events(lanes: LaneKind, signal: AbortSignal): Promise<TimelineEvents> {
    const known = this.#events.get(lanes)
    if (known !== undefined) return known
    const selector = selectorOf({ ...this.query, type: '' })
    const { from, to } = this.query
    const started = resolveTime(from, this.#now)
    // Profiles that reach into the range start before it.
    const range = { from: started === undefined ? from : timeText(started - LOOK_BACK_MS), to, ...ofLoad(this.query) }
    const { profileTypes } = await this.#client.query('profileTypes', { selector, ...range }, { signal })
    const counted = profileTypes.map(({ type, unit, periodType, periodUnit, profiles }) => ({
      type: `${type}:${canonicalUnit(unit)}`,
      unit: canonicalUnit(unit),
      alike: `${profiles} ${periodType} ${periodUnit}`,
      selector: typeSelector(type, unit),
    }))
    const distinct = new Set(distinctTypes(counted, this.#canonicalType()))
    const types = counted.filter(({ type }) => distinct.has(type)).map(each => each.selector)
    const request = { ...this.#observed(), types: types.slice(0, MAX_TYPES), limit: EVENTS, lanes, reaching: true }
    const events = timelineOf(await this.#client.columns('events', request, { signal }), lanes)
    this.#events.set(lanes, events)
    return events
  }

  #canonicalType(): string {
    const { type } = this.query
    const at = type.lastIndexOf(':')
    return at < 0 ? type : `${type.slice(0, at)}:${canonicalUnit(type.slice(at + 1))}`
  }

  ofType(type: string): ServerSource {
    return new ServerSource(this.#client, { ...this.query, type }, this.#now, this.part, this.#roots)
  }

  within(part: Part): ServerSource {
    return new ServerSource(this.#client, this.query, this.#now, part, this.#roots)
  }

  rooted(roots: readonly string[], addresses = false): ServerSource {
    if (rootKey(roots, addresses) === rootKey(this.#roots, this.#addresses)) return this
    return new ServerSource(this.#client, this.query, this.#now, this.part, roots, addresses)
  }

  async attributes(signal: AbortSignal): Promise<readonly string[]> {
    const { selector, from, to } = this.selection()
    const request = { selector, from, to, ...ofLoad(this.query), limit: COMPLETIONS }
    const { attributes } = await this.#client.query('attributes', request, { signal })
    return attributes.map(each => each.key)
  }

  /** The root attributes of a request. */
  root(): { readonly root?: readonly string[]; readonly addresses?: boolean } {
    return { ...(this.#roots.length === 0 ? {} : { root: this.#roots.map(selectorKey) }), ...this.#byAddress() }
  }

  #byAddress(): { readonly addresses?: boolean } {
    return this.#addresses ? { addresses: true } : {}
  }

  compare(before: Part, after: Part): ServerComparison {
    return new ServerComparison(this.#client, this.within(before), this.within(after))
  }

  /**
   * Exact for a part. Otherwise the number of the latest profiles only, which makes significance tests stricter.
   * Returns undefined if there are no profiles.
   */
  async observations(signal: AbortSignal): Promise<number | undefined> {
    if (this.part !== undefined) {
      const choice = { column: this.part.until - this.part.from, rows: 1, busy: this.part.busy === true }
      const { count } = await this.heatMap(choice, signal)
      return count.reduce((sum, each) => sum + each, 0)
    }
    const { selector, from, to } = this.selection()
    const request = { selector, from, to, ...ofLoad(this.query), limit: LISTED }
    const { profiles: listed } = await this.#client.query('profiles', request, { signal })
    if (listed.length === 0) return undefined
    return listed.reduce((sum, row) => sum + row.observations, 0)
  }

  /** The selection of a request. */
  selection(): SelectionPart {
    return this.part === undefined ? this.#observed() : { ...this.#observed(), exact: true }
  }

  /** The selection of a request whose range always limits observations. */
  #observed(busy = this.part?.busy === true): Omit<SelectionPart, 'exact'> {
    const { query, part } = this
    const stacks = busy ? [...query.stacks, NOT_IDLE] : query.stacks
    const selector = selectorOf({ ...query, stacks })
    const span = { ...query.span, ...ofLoad(query) }
    if (part === undefined) return { selector, from: query.from, to: query.to, ...span }
    const { from, until, threads } = part
    const range = { from: preciseTime(from), to: preciseTime(until) }
    return { selector, ...span, ...range, ...(threads === undefined ? {} : { threads: [...threads] }) }
  }
}

export class ServerComparison implements ComparisonSource {
  readonly key: string
  readonly before: ServerSource
  readonly after: ServerSource
  readonly #client: HearthClient

  constructor(client: HearthClient, before: ServerSource, after: ServerSource) {
    this.#client = client
    this.before = before
    this.after = after
    this.key = `${this.before.key}|${this.after.key}`
  }

  get versions(): { readonly before: ServerSource; readonly after: ServerSource } {
    return { before: this.before, after: this.after }
  }

  async tree(order: TreeOrder, absolute: boolean, signal: AbortSignal): Promise<TreeResult> {
    const before = this.before.selection()
    const request = {
      ...this.after.selection(),
      ...snapshotsOf(this.after.query),
      ...TIMES,
      ...this.after.root(),
      beforeSelector: before.selector,
      beforeFrom: before.from,
      beforeTo: before.to,
      order,
      nodes: NODES,
      normalise: !absolute,
    }
    return diffTree(await this.#client.columns('diff', request, { signal }))
  }

  async rows(signal: AbortSignal): Promise<DiffRows> {
    const [before, after, beforeObservations, afterObservations, compared] = await Promise.all([
      this.before.top(signal),
      this.after.top(signal),
      this.before.observations(signal),
      this.after.observations(signal),
      this.#changes(signal),
    ])
    const joined = joinTops(before, after)
    if (compared === undefined) return { ...joined, beforeObservations, afterObservations }
    const { observations, variation, runs } = compared
    const rateOf = new Map(compared.rows.map(({ name, file, self }) => [`${name}\n${file}`, self.q]))
    return {
      ...joined,
      beforeObservations: observations.before,
      afterObservations: observations.after,
      between: varianceBetween(variation, [runs.before, runs.after]),
      rates: joined.rows.map(({ name, file }) => rateOf.get(`${name}\n${file}`) ?? 1),
    }
  }

  /** Undefined for selections of spans, threads or parts of profiles, whose runs are not known. */
  async #changes(signal: AbortSignal): Promise<ChangesResponse | undefined> {
    const { before, after } = this
    if (
      [before, after].some(
        ({ part, query }) => part !== undefined || query.span !== undefined || query.unlinked === true,
      )
    )
      return undefined
    const [was, is] = [before.selection(), after.selection()]
    const request = {
      selector: is.selector,
      from: is.from,
      to: is.to,
      ...snapshotsOf(after.query),
      ...ofLoad(after.query),
      beforeSelector: was.selector,
      beforeFrom: was.from,
      beforeTo: was.to,
      limit: TOP_ROWS,
    }
    try {
      return await this.#client.query('changes', request, { signal })
    } catch (error) {
      // Types of different units have shares, but no common runs.
      if (error instanceof ApiError && error.code === 'mixed-types') return undefined
      throw error
    }
  }

  rooted(roots: readonly string[], addresses = false): ServerComparison {
    return new ServerComparison(this.#client, this.before.rooted(roots, addresses), this.after.rooted(roots, addresses))
  }

  async attributes(signal: AbortSignal): Promise<readonly string[]> {
    return await attributesOfBoth(this, signal)
  }
}

/** Resolves after the graph is drawn and shown. Computing the table at the same time would delay the graph. */
function graphShown(): Promise<void> {
  return new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))
}

function spanKey({ span, unlinked }: Query): string {
  if (unlinked === true) return ':unlinked'
  return span === undefined ? '' : `:${span.traceId}:${span.spanId ?? ''}:${span.subtree === true ? 'below' : ''}`
}
