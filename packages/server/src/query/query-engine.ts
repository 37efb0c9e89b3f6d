// The door of the query engine: every question that can be asked of stored profiles, traces, logs and metrics.
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
import type { Question } from './query.ts'
import { Asking } from './query.ts'
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
import type { Workshop } from './trees/summed-stacks.ts'

export interface QueryEngineOptions {
  /** What stacks and their names may take of memory between questions; 512 MiB unless given. */
  readonly residentBytes?: number
  /** Milliseconds on any clock that only goes on; for tests. */
  readonly now?: () => number
}

const DEFAULT_RESIDENT_BYTES = 512 * 2 ** 20

export class QueryEngine {
  readonly #workshop: Workshop

  constructor(engine: Engine, options: QueryEngineOptions = {}) {
    this.#workshop = {
      engine,
      residents: new Residents(options.residentBytes ?? DEFAULT_RESIDENT_BYTES, options.now),
      temporalities: new Temporalities(),
    }
  }

  flameGraph(question: Question, choice: TreeChoice = {}): Promise<FlameGraph> {
    return flameGraph(this.#workshop, question, choice)
  }

  top(question: Question, choice: TopChoice = {}): Promise<Top> {
    return top(this.#workshop, question, choice)
  }

  sandwich(question: Question, frame: FrameName, choice: SandwichChoice = {}): Promise<Sandwich> {
    return sandwich(this.#workshop, question, frame, choice)
  }

  diff(before: Question, after: Question, choice: DiffChoice = {}): Promise<Diff> {
    return diff(this.#workshop, before, after, choice)
  }

  seriesTotals(question: Question, choice: SeriesChoice): Promise<SeriesTotals> {
    return seriesTotals(this.#workshop, question, choice)
  }

  profileTypes(question: Question): Promise<readonly ProfileTypeRow[]> {
    return profileTypes(this.#workshop, question)
  }

  services(question: Question): Promise<readonly ServiceRow[]> {
    return services(this.#workshop, question)
  }

  attributeKeys(question: Question, choice: ListChoice = {}): Promise<Listed<AttributeKeyRow>> {
    return attributeKeys(this.#workshop, question, choice)
  }

  /** `key` as selectors name it: `region`, `resource:region`. */
  attributeValues(question: Question, key: string, choice: ListChoice = {}): Promise<Listed<AttributeValueRow>> {
    return attributeValues(this.#workshop, question, key, choice)
  }

  listProfiles(question: Question, choice: ListProfilesChoice = {}): Promise<ProfileList> {
    return listProfiles(this.#workshop, question, choice)
  }

  /** One profile, as a list or an exemplar names it, with everything that was sent of it. */
  wholeProfile(question: Pick<Question, 'tenant' | 'signal' | 'limits'>, profile: string): Promise<Profiles> {
    return wholeProfile(this.#workshop, question, profile)
  }

  /** What is selected, in sets that fit into memory, for any format that can be written. */
  exportProfiles(question: Question, choice: ExportChoice = {}): AsyncGenerator<Profiles> {
    return exportProfiles(this.#workshop, question, choice)
  }

  events(question: Question, choice: EventsChoice = {}): Promise<Events> {
    return events(this.#workshop, question, choice)
  }

  heatMap(question: Question, choice: HeatMapChoice = {}): Promise<HeatMap> {
    return heatMap(this.#workshop, question, choice)
  }

  /** Traces with a span that fits the question's selector and the filter. */
  traces(question: Question, filter: SpanFilter = {}, choice: TraceListChoice = {}): Promise<TraceList> {
    return listTraces(this.#workshop, question, filter, choice)
  }

  /** `traceId` is 32 hex digits. */
  trace(
    question: Pick<Question, 'tenant' | 'signal' | 'limits'>,
    traceId: string,
    choice: TraceChoice = {},
  ): Promise<Trace> {
    return readTrace(this.#workshop, question, traceId, choice)
  }

  /** Spans that touch the range, for lanes of a timeline. */
  spans(question: Question, choice: LaneChoice = {}): Promise<LaneSpans> {
    return laneSpans(this.#workshop, question, choice)
  }

  operations(question: Question, filter: SpanFilter = {}, choice: OperationChoice = {}): Promise<OperationList> {
    return listOperations(this.#workshop, question, filter, choice)
  }

  /** Slow traces of an operation against fast ones. */
  compareTraces(question: Question, filter: SpanFilter, choice: CompareChoice = {}): Promise<TraceComparison> {
    return compareTraces(this.#workshop, question, filter, choice)
  }

  logs(question: Question, filter: LogFilter = {}, choice: LogChoice = {}): Promise<Logs> {
    return searchLogs(this.#workshop, question, filter, choice)
  }

  /** How many there are, by step and severity. */
  logCounts(question: Question, filter: LogFilter, step: bigint): Promise<LogCounts> {
    return countLogs(this.#workshop, question, filter, step)
  }

  /** For lanes of a timeline, step by step: how many there are, and the gravest. */
  logMarks(question: Question, choice: LogMarksChoice = {}): Promise<LogMarks> {
    return logMarks(this.#workshop, question, choice)
  }

  /** Keys of attributes of spans, log records or data points, */
  itemAttributes(
    question: Question,
    kind: ItemKind,
    choice: ItemAttributeChoice = {},
  ): Promise<ItemList<ItemAttributeRow>> {
    return itemAttributes(this.#workshop, question, kind, choice)
  }

  /** and values of one. */
  itemAttributeValues(
    question: Question,
    kind: ItemKind,
    key: string,
    choice: ItemAttributeChoice = {},
  ): Promise<ItemList<AttributeValueRow>> {
    return itemAttributeValues(this.#workshop, question, kind, key, choice)
  }

  metrics(question: Question, choice: MetricChoice = {}): Promise<MetricList> {
    return listMetrics(this.#workshop, question, choice)
  }

  metricSeries(question: Question, choice: MetricSeriesChoice): Promise<MetricSeries> {
    return metricSeries(this.#workshop, question, choice)
  }

  /** The first attribute of the selector that no span, log record or data point of the range has; see items-where.ts. */
  async unknownKey(question: Question, kind: ItemKind): Promise<Matcher | undefined> {
    return await unknownKey(new Asking(this.#workshop.engine, question), kind)
  }
}
