// Writes a request's profiles as rows. Samples are written by column. Two words per sample, for its stack and its attributes,
// are gathered in scratch memory. Values and times are copied as they are in the model. No object is allocated per sample.
import type { LinkIndex, Profiles, StackIndex } from '@hearth/profile'
import {
  ATTRIBUTES,
  ProfileColumn,
  SAMPLE_STRIDE,
  decodeParts,
  encodeParts,
  highHalf,
  int64,
  lowHalf,
  profileTimeRange,
} from '@hearth/profile'
import type { ScopePosition, WrittenResource } from '../containers.ts'
import { ContainerWriter } from '../containers.ts'
import type { GroupRows, RowContext } from '../group-rows.ts'
import type { ColumnsOf } from '../native/table.ts'
import { profiles as profilesTable, spanSamples } from '../schema/profile-tables.ts'
import type { SymbolLedger } from '../symbol-ledger.ts'
import type { SymbolId } from '../symbols/content-hash.ts'
import { SymbolScratches } from '../symbols/memo.ts'
import { SymbolWriter } from '../symbols/write-symbols.ts'
import { linkPart, samplePart, unknownOfRequest } from '../unknown-parts.ts'
import { sumPairs } from './exact-sum.ts'

const NO_BYTES = new Uint8Array(0)

/** The data that the request's row needs. */
export interface WrittenProfiles {
  readonly resources: readonly SymbolId[]
  readonly scopes: readonly SymbolId[]
  /** The index of each scope's resource. */
  readonly scopeResources: readonly number[]
  readonly profiles: number
  readonly samples: number
  readonly unknownFields: Uint8Array
}

/**
 * Appends the rows of all profiles and of the symbols they refer to. If it throws, the caller must roll back the rows; the
 * ledger has been reset.
 */
export function writeProfiles(
  rows: GroupRows,
  context: RowContext,
  profiles: Profiles,
  ledger: SymbolLedger,
): WrittenProfiles {
  try {
    return new ProfileWriter(rows, context, profiles, ledger).write()
  } catch (error) {
    ledger.forgetAll()
    throw error
  } finally {
    scratch.trim()
    symbolScratches.trim()
  }
}

const TRACE_ID_BYTES = 16
const SPAN_ID_BYTES = 8
/** Memory for more samples than this in one profile (7 MB) is not kept for the next one. */
const KEEP_SAMPLES = 1 << 18
/** The maximum of DateTime64(9). */
const LAST_TIME = 2n ** 63n - 1n

/** One entry per sample of the current profile. Reused for the next one. */
class Scratch {
  stackIds = new Int32Array(0)
  setIds = new Int32Array(0)
  totals = new Int32Array(0)
  counts = new Int32Array(0)

  reserve(samples: number): void {
    if (samples <= this.counts.length) return
    this.#allocate(Math.max(1024, samples + (samples >> 1)))
  }

  trim(): void {
    if (this.counts.length > KEEP_SAMPLES) this.#allocate(0)
  }

  #allocate(samples: number): void {
    this.stackIds = new Int32Array(2 * samples)
    this.setIds = new Int32Array(2 * samples)
    this.totals = new Int32Array(2 * samples)
    this.counts = new Int32Array(samples)
  }
}

const scratch = new Scratch()
const symbolScratches = new SymbolScratches()

class ProfileWriter {
  readonly #rows: GroupRows
  readonly #context: RowContext
  readonly #ledger: SymbolLedger
  readonly #profiles: Profiles
  readonly #symbols: SymbolWriter
  readonly #columns: ColumnsOf<(typeof profilesTable)['columns']>
  readonly #spans: ColumnsOf<(typeof spanSamples)['columns']>
  readonly #tenant: Uint8Array
  /** By row of the request's links: 0 for empty links, 1 for others. */
  readonly #linkIsSet: Uint8Array
  readonly #anyLink: boolean
  /** By row: its number in the current profile. */
  readonly #linkNumbers: Int32Array
  readonly #series = new Int32Array(2)
  readonly #set = new Int32Array(2)
  /** The time of the current profile, for queries. */
  readonly #time = new Int32Array(2)
  readonly #total = new Int32Array(2)

  constructor(rows: GroupRows, context: RowContext, profiles: Profiles, ledger: SymbolLedger) {
    this.#rows = rows
    this.#context = context
    this.#ledger = ledger
    this.#profiles = profiles
    this.#columns = rows.batch(profilesTable).columns
    this.#spans = rows.batch(spanSamples).columns
    this.#tenant = new TextEncoder().encode(context.tenant)
    const { links } = profiles.dictionary
    this.#linkNumbers = new Int32Array(links.length)
    this.#linkIsSet = new Uint8Array(links.length)
    for (let i = 0 as LinkIndex; i < links.length; i++) {
      const hasUnknown = i > 0 && profiles.dictionary.unknown?.links?.has(i) === true
      if (hasUnknown || !isZero(links.traceId(i)) || !isZero(links.spanId(i))) this.#linkIsSet[i] = 1
    }
    this.#anyLink = this.#linkIsSet.includes(1)
    this.#symbols = new SymbolWriter(rows, context, ledger, profiles.dictionary, symbolScratches)
  }

  write(): WrittenProfiles {
    const { resources: resourceTable, scopes: scopeTable, profiles, samples, unknown } = this.#profiles
    const containers = new ContainerWriter(this.#rows, this.#context, this.#ledger)
    const resources: WrittenResource[] = []
    const scopes: SymbolId[] = []
    const scopeResources: number[] = []
    for (let r = 0; r < resourceTable.length; r++) {
      const unknownResource = unknown?.resources?.get(r)
      const resource = containers.resource(resourceTable.resource(r), resourceTable.schemaUrl(r), unknownResource)
      resources.push(resource)
      for (let s = resourceTable.from(r); s < resourceTable.to(r); s++) {
        const scope = containers.scope(scopeTable.scope(s), scopeTable.schemaUrl(s), unknown?.scopes?.get(s))
        scopes.push(scope)
        scopeResources.push(r)
        const position: ScopePosition = { resourceIndex: r, scopeIndex: s, resource, scope }
        const from = scopeTable.from(s)
        for (let i = from; i < scopeTable.to(s); i++) this.#profile(i, i - from, position)
      }
    }
    const unknownFields = unknownOfRequest(this.#profiles)
    return { resources, scopes, scopeResources, profiles: profiles.length, samples: samples.length, unknownFields }
  }

  #profile(i: number, itemIndex: number, position: ScopePosition): void {
    const { profiles } = this.#profiles
    const from = profiles.samplesFrom(i)
    const to = profiles.samplesTo(i)
    this.#origin(itemIndex, position)
    this.#header(i, position)
    this.#columns.samples.push(to - from)
    scratch.reserve(to - from)
    this.#samples(from, to)
    this.#values(from, to)
    this.#timestamps(from, to)
    const links = this.#links(from, to, itemIndex, position)
    this.#columns.unknown_fields.pushBytes(this.#unknownFields(i, from, to, links))
  }

  /** See unknown-parts.ts. */
  #unknownFields(profile: number, from: number, to: number, links: readonly LinkIndex[]): Uint8Array {
    const { unknown, dictionary } = this.#profiles
    if (unknown === undefined && dictionary.unknown === undefined) return NO_BYTES
    const parts: [part: number, bytes: Uint8Array][] = [...decodeParts(unknown?.profiles?.get(profile) ?? NO_BYTES)]
    for (const [sample, fields] of unknown?.samples ?? []) {
      if (sample >= from && sample < to) parts.push([samplePart(sample - from), fields])
    }
    for (const [k, link] of links.entries()) {
      const fields = dictionary.unknown?.links?.get(link)
      if (fields !== undefined) parts.push([linkPart(k), fields])
    }
    return encodeParts(parts)
  }

  #origin(itemIndex: number, { resourceIndex, scopeIndex, resource, scope }: ScopePosition): void {
    const columns = this.#columns
    columns.tenant.pushBytes(this.#tenant)
    columns.day.push(this.#context.day)
    columns.received.push(this.#context.received)
    columns.request.push(this.#context.request)
    columns.resource_index.push(resourceIndex)
    columns.scope_index.push(scopeIndex)
    columns.item_index.push(itemIndex)
    columns.resource.pushHalves(resource.lo, resource.hi)
    columns.scope.pushHalves(scope.lo, scope.hi)
    columns.service.pushBytes(resource.service)
  }

  /** Writes the columns of the profile itself. */
  #header(i: number, { resource, scope }: ScopePosition): void {
    const columns = this.#columns
    const symbols = this.#symbols
    const { profiles } = this.#profiles
    const texts = [profiles.type(i), profiles.unit(i), profiles.periodType(i), profiles.periodUnit(i)] as const
    symbols.series(resource, scope, texts, this.#series)
    columns.series.pushHalves(this.#series[0], this.#series[1])
    symbols.pushText(columns.type, texts[0])
    symbols.pushText(columns.unit, texts[1])
    symbols.pushText(columns.period_type, texts[2])
    symbols.pushText(columns.period_unit, texts[3])
    const column = (at: number): number => profiles.column(i, at)
    const { time, duration, period } = ProfileColumn
    this.#setTime(i)
    columns.time.pushHalves(this.#time[0], this.#time[1])
    columns.time_unix_nano.pushHalves(column(time), column(time + 1))
    columns.duration_nano.pushHalves(column(duration), column(duration + 1))
    columns.period.pushHalves(column(period), column(period + 1))
    columns.profile_id.pushBytes(profiles.id(i))
    const set = this.#set
    symbols.attributeSet(profiles.attributes, profiles.attributesFrom(i), profiles.attributesTo(i), set, 0)
    columns.attributes.pushHalves(set[0], set[1])
    columns.dropped_attributes.push(profiles.droppedAttributes(i))
    const format = column(ProfileColumn.formatOffset)
    columns.original_payload_format.pushBytes(profiles.bytes, format, format + column(ProfileColumn.formatLength))
    columns.original_payload.pushBytes(profiles.originalPayload(i))
  }

  /**
   * The time at which queries find the profile: its start, or its end if it is cumulative. If it has none, the first time
   * of its samples, or else the time of the request.
   */
  #setTime(i: number): void {
    const { profiles } = this.#profiles
    const { time, duration } = ProfileColumn
    const [lo, hi] = [profiles.column(i, time), profiles.column(i, time + 1)]
    if (!isTime(lo, hi)) {
      const first = profileTimeRange(this.#profiles, i)?.first ?? 0n
      this.#setTimeTo(isTime(lowHalf(first), highHalf(first)) ? first : this.#context.received)
      return
    }
    this.#time[0] = lo
    this.#time[1] = hi
    const [durationLo, durationHi] = [profiles.column(i, duration), profiles.column(i, duration + 1)]
    if (!isTime(durationLo, durationHi) || !this.#isCumulative(i)) return
    const end = int64(lo, hi) + int64(durationLo, durationHi)
    if (end <= LAST_TIME) this.#setTimeTo(end)
  }

  #setTimeTo(nanoseconds: bigint): void {
    this.#time[0] = lowHalf(nanoseconds)
    this.#time[1] = highHalf(nanoseconds)
  }

  #isCumulative(i: number): boolean {
    const { profiles, dictionary } = this.#profiles
    const { strings, attributes } = dictionary
    return profiles
      .attributesOf(i)
      .some(
        row =>
          strings.text(attributes.key(row)) === ATTRIBUTES.aggregationTemporality &&
          attributes.value(row) === 'cumulative',
      )
  }

  /** Writes stacks and attributes of the samples and their number of observations. */
  #samples(from: number, to: number): void {
    const { samples } = this.#profiles
    const { ints, base, attributes } = samples
    const { stackIds, setIds } = scratch
    const symbols = this.#symbols
    const { stackIds: idsOfStacks, stacksDone } = symbols
    const withAttributes = attributes.length > 0
    let attributesFrom = samples.attributesFrom(from)
    let valuesFrom = samples.valuesFrom(from)
    let timestampsFrom = samples.timestampsFrom(from)
    let observations = 0
    for (let row = base + from * SAMPLE_STRIDE, out = 0; out < 2 * (to - from); row += SAMPLE_STRIDE, out += 2) {
      const stack = ints[row]
      if (stacksDone[stack] === 0) symbols.stack(stack as StackIndex)
      stackIds[out] = idsOfStacks[2 * stack]
      stackIds[out + 1] = idsOfStacks[2 * stack + 1]
      if (withAttributes) {
        const attributesTo = ints[row + 2]
        symbols.attributeSet(attributes, attributesFrom, attributesTo, setIds, out)
        attributesFrom = attributesTo
      }
      const values = ints[row + 3] - valuesFrom
      const timestamps = ints[row + 4] - timestampsFrom
      observations += values > timestamps ? values : timestamps
      valuesFrom = ints[row + 3]
      timestampsFrom = ints[row + 4]
    }
    if (!withAttributes) setIds.fill(0, 0, 2 * (to - from))
    const columns = this.#columns
    columns.observations.push(observations)
    columns.sample_stacks.values.pushPairs(stackIds, 0, to - from)
    columns.sample_stacks.endRow()
    columns.sample_attributes.values.pushPairs(setIds, 0, to - from)
    columns.sample_attributes.endRow()
  }

  #values(from: number, to: number): void {
    const { samples } = this.#profiles
    const { values, ints, base } = samples
    const columns = this.#columns
    const { totals, counts } = scratch
    const first = samples.valuesFrom(from)
    const count = to - from
    let single = true
    for (let k = 0, end = first, row = base + from * SAMPLE_STRIDE; k < count; k++, row += SAMPLE_STRIDE) {
      counts[k] = ints[row + 3] - end
      if (counts[k] !== 1) single = false
      end = ints[row + 3]
    }
    let overflowed = false
    if (single) {
      overflowed = sumPairs(values.ints, values.base + 2 * first, count, this.#total, 0)
      columns.totals.values.pushPairs(values.ints, values.base + 2 * first, count)
    } else {
      for (let k = 0, at = first; k < count; at += counts[k], k++) {
        if (counts[k] === 0) {
          totals[2 * k] = samples.timestampsTo(from + k) - samples.timestampsFrom(from + k)
          totals[2 * k + 1] = 0
        } else if (sumPairs(values.ints, values.base + 2 * at, counts[k], totals, 2 * k)) overflowed = true
      }
      if (sumPairs(totals, 0, count, this.#total, 0)) overflowed = true
      columns.totals.values.pushPairs(totals, 0, count)
      columns.value_counts.values.pushAll(counts, count)
      columns.values.values.pushPairs(values.ints, values.base + 2 * first, samples.valuesFrom(to) - first)
    }
    columns.totals.endRow()
    columns.value_counts.endRow()
    columns.values.endRow()
    columns.total.pushHalves(this.#total[0], this.#total[1])
    columns.overflowed.push(overflowed ? 1 : 0)
    this.#keepTotals(single, values.ints, values.base + 2 * first, count)
  }

  /** Leaves the totals in scratch memory for the rows of linked samples. */
  #keepTotals(single: boolean, ints: Int32Array, from: number, count: number): void {
    if (single && this.#anyLink) for (let k = 0; k < 2 * count; k++) scratch.totals[k] = ints[from + k]
  }

  #timestamps(from: number, to: number): void {
    const { samples } = this.#profiles
    const { timestamps, ints, base } = samples
    const columns = this.#columns
    const first = samples.timestampsFrom(from)
    const count = samples.timestampsFrom(to) - first
    if (count > 0) {
      const { counts } = scratch
      for (let k = 0, end = first, row = base + from * SAMPLE_STRIDE; k < to - from; k++, row += SAMPLE_STRIDE) {
        counts[k] = ints[row + 4] - end
        end = ints[row + 4]
      }
      columns.timestamp_counts.values.pushAll(counts, to - from)
      columns.timestamps.values.pushPairs(timestamps.ints, timestamps.base + 2 * first, count)
    }
    columns.timestamp_counts.endRow()
    columns.timestamps.endRow()
  }

  /** Returns the links of the profile. */
  #links(from: number, to: number, itemIndex: number, position: ScopePosition): readonly LinkIndex[] {
    const columns = this.#columns
    const { samples, dictionary } = this.#profiles
    const used: LinkIndex[] = []
    if (this.#anyLink) {
      const numbers = this.#linkNumbers
      for (let i = from; i < to; i++) {
        const link = samples.link(i)
        if (this.#linkIsSet[link] !== 0) {
          if (numbers[link] === 0) numbers[link] = used.push(link)
          this.#spanSample(i, i - from, link, itemIndex, position)
        }
        scratch.counts[i - from] = numbers[link]
      }
      if (used.length > 0) columns.sample_links.values.pushAll(scratch.counts, to - from)
    }
    for (const link of used) {
      columns.link_trace_ids.values.pushBytes(dictionary.links.traceId(link))
      columns.link_span_ids.values.pushBytes(dictionary.links.spanId(link))
      this.#linkNumbers[link] = 0
    }
    columns.sample_links.endRow()
    columns.link_trace_ids.endRow()
    columns.link_span_ids.endRow()
    return used
  }

  /**
   * Ids of a wrong length stay in the profile row only. No query can find them, and truncated or padded they would be other
   * ids.
   */
  #spanSample(i: number, k: number, link: LinkIndex, itemIndex: number, position: ScopePosition): void {
    const { samples, dictionary } = this.#profiles
    const traceId = dictionary.links.traceId(link)
    const spanId = dictionary.links.spanId(link)
    if (traceId.length !== TRACE_ID_BYTES || (spanId.length !== SPAN_ID_BYTES && spanId.length !== 0)) return
    const spans = this.#spans
    spans.tenant.pushBytes(this.#tenant)
    spans.day.push(this.#context.day)
    spans.received.push(this.#context.received)
    spans.trace_id.push(traceId)
    spans.span_id.push(spanId)
    const first = samples.timestampsFrom(i)
    const { timestamps } = samples
    if (samples.timestampsTo(i) > first && isTime(timestamps.lo(first), timestamps.hi(first)))
      spans.time.pushHalves(timestamps.lo(first), timestamps.hi(first))
    else spans.time.pushHalves(this.#time[0], this.#time[1])
    spans.series.pushHalves(this.#series[0], this.#series[1])
    spans.request.push(this.#context.request)
    spans.scope_index.push(position.scopeIndex)
    spans.item_index.push(itemIndex)
    spans.sample_index.push(k)
    spans.stack.pushHalves(scratch.stackIds[2 * k], scratch.stackIds[2 * k + 1])
    spans.attributes.pushHalves(scratch.setIds[2 * k], scratch.setIds[2 * k + 1])
    spans.total.pushHalves(scratch.totals[2 * k], scratch.totals[2 * k + 1])
  }
}

/** Whether the time is set and fits a DateTime64(9), which ends in 2262. */
function isTime(lo: number, hi: number): boolean {
  return hi >= 0 && (lo !== 0 || hi !== 0)
}

function isZero(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== 0) return false
  return true
}
