// The door of the query engine: every query that can be asked of stored profiles, traces, logs and metrics.
import type { Engine } from '../store/engine.ts'
import type { Profiles } from '@hearth/profile'
import type {
  AttributeKeyRow,
  AttributeValueRow,
  ListChoice,
  Listed,
  ProfileTypeRow,
  ServiceRow,
} from './profiles/catalog.ts'
import { attributeKeys, attributeValues, profileTypes, services } from './profiles/catalog.ts'
import type { Diff, DiffChoice } from './trees/diff.ts'
import { diff } from './trees/diff.ts'
import type { Events, EventsChoice } from './events/events.ts'
import { events } from './events/events.ts'
import type { ExportChoice } from './profiles/export-profiles.ts'
import { exportProfiles } from './profiles/export-profiles.ts'
import type { FlameGraph, TreeChoice } from './trees/flame-graph.ts'
import { flameGraph } from './trees/flame-graph.ts'
import type { HeatMap, HeatMapChoice } from './series/heat-map.ts'
import { heatMap } from './series/heat-map.ts'
import { Temporalities } from './select/measure.ts'
import type { ListProfilesChoice, ProfileList } from './profiles/profile-list.ts'
import { listProfiles, wholeProfile } from './profiles/profile-list.ts'
import type { Query } from './query.ts'
import { RunningQuery } from './query.ts'
import { Residents } from './resident/residents.ts'
import type { FrameName, Sandwich, SandwichChoice } from './trees/sandwich.ts'
import { sandwich } from './trees/sandwich.ts'
import type { Matcher } from './selector/selector.ts'
import type { SeriesChoice, SeriesTotals } from './series/series-totals.ts'
import { seriesTotals } from './series/series-totals.ts'
import type { CompareChoice, TraceComparison } from './signals/compare-traces.ts'
import { compareTraces } from './signals/compare-traces.ts'
import type { ItemAttributeChoice, ItemAttributeRow, ItemList } from './signals/item-attributes.ts'
import { itemAttributeValues, itemAttributes } from './signals/item-attributes.ts'
import type { ItemKind } from './signals/items-where.ts'
import { unknownKey } from './signals/items-where.ts'
import type { LogCounts } from './signals/log-counts.ts'
import { countLogs } from './signals/log-counts.ts'
import type { LogMarks, LogMarksChoice } from './signals/lane-logs.ts'
import { logMarks } from './signals/lane-logs.ts'
import type { LaneChoice, LaneSpans } from './signals/lane-spans.ts'
import { laneSpans } from './signals/lane-spans.ts'
import type { LogChoice, LogFilter, Logs } from './signals/logs.ts'
import { searchLogs } from './signals/logs.ts'
import type { MetricChoice, MetricList } from './signals/metric-list.ts'
import { listMetrics } from './signals/metric-list.ts'
import type { MetricSeries, MetricSeriesChoice } from './signals/metric-series.ts'
import { metricSeries } from './signals/metric-series.ts'
import type { SpanFilter } from './signals/span-filter.ts'
import type { Trace, TraceChoice } from './signals/trace.ts'
import { readTrace } from './signals/trace.ts'
import type { OperationChoice, OperationList, TraceList, TraceListChoice } from './signals/trace-list.ts'
import { listOperations, listTraces } from './signals/trace-list.ts'
import type { Top, TopChoice } from './trees/top.ts'
import { top } from './trees/top.ts'
import type { QueryContext } from './trees/summed-stacks.ts'

export interface QueryEngineOptions {
  /** What stacks and their names may take of memory between queries; 512 MiB unless given. */
  readonly residentBytes?: number
  /** Milliseconds on any clock that only goes on; for tests. */
  readonly now?: () => number
}

const DEFAULT_RESIDENT_BYTES = 512 * 2 ** 20

export class QueryEngine {
  readonly #context: QueryContext

  constructor(engine: Engine, options: QueryEngineOptions = {}) {
    this.#context = {
      engine,
      residents: new Residents(options.residentBytes ?? DEFAULT_RESIDENT_BYTES, options.now),
      temporalities: new Temporalities(),
    }
  }

  flameGraph(query: Query, choice: TreeChoice = {}): Promise<FlameGraph> {
    return flameGraph(this.#context, query, choice)
  }

  top(query: Query, choice: TopChoice = {}): Promise<Top> {
    return top(this.#context, query, choice)
  }

  sandwich(query: Query, frame: FrameName, choice: SandwichChoice = {}): Promise<Sandwich> {
    return sandwich(this.#context, query, frame, choice)
  }

  diff(before: Query, after: Query, choice: DiffChoice = {}): Promise<Diff> {
    return diff(this.#context, before, after, choice)
  }

  seriesTotals(query: Query, choice: SeriesChoice): Promise<SeriesTotals> {
    return seriesTotals(this.#context, query, choice)
  }

  profileTypes(query: Query): Promise<readonly ProfileTypeRow[]> {
    return profileTypes(this.#context, query)
  }

  services(query: Query): Promise<readonly ServiceRow[]> {
    return services(this.#context, query)
  }

  attributeKeys(query: Query, choice: ListChoice = {}): Promise<Listed<AttributeKeyRow>> {
    return attributeKeys(this.#context, query, choice)
  }

  /** `key` as selectors name it: `region`, `resource:region`. */
  attributeValues(query: Query, key: string, choice: ListChoice = {}): Promise<Listed<AttributeValueRow>> {
    return attributeValues(this.#context, query, key, choice)
  }

  listProfiles(query: Query, choice: ListProfilesChoice = {}): Promise<ProfileList> {
    return listProfiles(this.#context, query, choice)
  }

  /** One profile, as a list or an exemplar names it, with everything that was sent of it. */
  wholeProfile(query: Pick<Query, 'tenant' | 'signal' | 'limits'>, profile: string): Promise<Profiles> {
    return wholeProfile(this.#context, query, profile)
  }

  /** What is selected, in sets that fit into memory, for any format that can be written. */
  exportProfiles(query: Query, choice: ExportChoice = {}): AsyncGenerator<Profiles> {
    return exportProfiles(this.#context, query, choice)
  }

  events(query: Query, choice: EventsChoice = {}): Promise<Events> {
    return events(this.#context, query, choice)
  }

  heatMap(query: Query, choice: HeatMapChoice = {}): Promise<HeatMap> {
    return heatMap(this.#context, query, choice)
  }

  /** Traces with a span that fits the query's selector and the filter. */
  traces(query: Query, filter: SpanFilter = {}, choice: TraceListChoice = {}): Promise<TraceList> {
    return listTraces(this.#context, query, filter, choice)
  }

  /** `traceId` is 32 hex digits. */
  trace(query: Pick<Query, 'tenant' | 'signal' | 'limits'>, traceId: string, choice: TraceChoice = {}): Promise<Trace> {
    return readTrace(this.#context, query, traceId, choice)
  }

  /** Spans that touch the range, for lanes of a timeline. */
  spans(query: Query, choice: LaneChoice = {}): Promise<LaneSpans> {
    return laneSpans(this.#context, query, choice)
  }

  operations(query: Query, filter: SpanFilter = {}, choice: OperationChoice = {}): Promise<OperationList> {
    return listOperations(this.#context, query, filter, choice)
  }

  /** Slow traces of an operation against fast ones. */
  compareTraces(query: Query, filter: SpanFilter, choice: CompareChoice = {}): Promise<TraceComparison> {
    return compareTraces(this.#context, query, filter, choice)
  }

  logs(query: Query, filter: LogFilter = {}, choice: LogChoice = {}): Promise<Logs> {
    return searchLogs(this.#context, query, filter, choice)
  }

  /** How many there are, by step and severity. */
  logCounts(query: Query, filter: LogFilter, step: bigint): Promise<LogCounts> {
    return countLogs(this.#context, query, filter, step)
  }

  /** For lanes of a timeline, step by step: how many there are, and the gravest. */
  logMarks(query: Query, choice: LogMarksChoice = {}): Promise<LogMarks> {
    return logMarks(this.#context, query, choice)
  }

  /** Keys of attributes of spans, log records or data points, */
  itemAttributes(query: Query, kind: ItemKind, choice: ItemAttributeChoice = {}): Promise<ItemList<ItemAttributeRow>> {
    return itemAttributes(this.#context, query, kind, choice)
  }

  /** and values of one. */
  itemAttributeValues(
    query: Query,
    kind: ItemKind,
    key: string,
    choice: ItemAttributeChoice = {},
  ): Promise<ItemList<AttributeValueRow>> {
    return itemAttributeValues(this.#context, query, kind, key, choice)
  }

  metrics(query: Query, choice: MetricChoice = {}): Promise<MetricList> {
    return listMetrics(this.#context, query, choice)
  }

  metricSeries(query: Query, choice: MetricSeriesChoice): Promise<MetricSeries> {
    return metricSeries(this.#context, query, choice)
  }

  /** The first attribute of the selector that no span, log record or data point of the range has; see items-where.ts. */
  async unknownKey(query: Query, kind: ItemKind): Promise<Matcher | undefined> {
    return await unknownKey(new RunningQuery(this.#context.engine, query), kind)
  }
}
