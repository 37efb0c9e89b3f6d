// All series of a recording. Samples with different sampling belong to different profiles: if the period changes during the
// recording, a second profile begins.
import type { CountedEvent, JfrEventType, SampledEvent } from './event-types.ts'
import type { SeriesProfile } from './series.ts'
import { ONE, PERIOD, JfrSeries } from './series.ts'
import type { Sampling, Settings } from './settings.ts'

/** The observations of an event that go into a series. */
export interface Feed {
  readonly series: JfrSeries
  /** Samples of threads in this state are excluded. */
  readonly without: string | undefined
  /** The factor for values: the weight of a sample is multiplied by its period. */
  readonly factor: number
}

const ASLEEP = 'STATE_SLEEPING'
const NO_STATE = 'STATE_DEFAULT'

interface Entry {
  readonly place: number
  readonly series: JfrSeries
}

export class SeriesList {
  readonly #entries = new Map<string, Entry>()

  /** Returns the series in the order of the event types. */
  list(): JfrSeries[] {
    return Array.from(this.#entries.values())
      .sort((a, b) => a.place - b.place)
      .map(({ series }) => series)
      .filter(({ length }) => length > 0)
  }

  /** `measures` are the indexes of the measures whose fields the event has. */
  feeds(
    place: number,
    event: JfrEventType,
    settings: Settings,
    measures: readonly number[],
    hasWeight: boolean,
  ): Feed[] {
    if (event.kind === 'counted') {
      return [{ series: this.#counted(place, event, settings, measures), without: undefined, factor: 1 }]
    }
    const isExecution = event.name === 'jdk.ExecutionSample'
    const own = settings.samplingOf(event.name)
    const feed = (type: string, order: number, sampling = own, without?: string): Feed => ({
      series: this.#sampled(place + order, event, type, sampling, hasWeight),
      without,
      factor: sampling.period === 0n ? 1 : Number(sampling.period),
    })
    if (isExecution || event.name === 'profiler.WallClockSample') {
      // In async-profiler's wall mode, the threads that were not sleeping are what a CPU profile
      // would show.
      if (settings.event === 'wall') return [feed('cpu', -0.5, own, ASLEEP), feed('wall', 0.5)]
      // Before version 4, the same events have samples of both clocks. CPU samples have no state.
      const wall = settings.wallSampling
      if (isExecution && wall !== undefined && settings.isClock) {
        return [feed('cpu', 0, own, ASLEEP), feed('wall', 0.5, wall, NO_STATE)]
      }
    }
    return [feed(isExecution && !settings.isClock ? settings.event : event.type, 0)]
  }

  #sampled(
    place: number,
    event: SampledEvent,
    type: string,
    { period, unit }: Sampling,
    hasWeight: boolean,
  ): JfrSeries {
    const value = hasWeight ? 0 : period === 0n ? ONE : PERIOD
    const periodType = period === 0n ? '' : type
    const profile = { type, unit, periodType, periodUnit: period === 0n ? '' : unit, period, value }
    return this.#of(place, event.name, [profile], hasWeight ? 1 : 0)
  }

  #counted(place: number, event: CountedEvent, settings: Settings, measures: readonly number[]): JfrSeries {
    const interval = event.name.startsWith('jdk.ObjectAllocation') ? settings.allocationInterval : 0n
    const common =
      interval === 0n
        ? { periodType: '', periodUnit: '', period: 0n }
        : { periodType: 'space', periodUnit: 'bytes', period: interval }
    const profiles: SeriesProfile[] = [{ type: event.count, unit: 'count', ...common, value: ONE }]
    for (const [value, measure] of measures.entries()) {
      const { type, unit } = event.measures[measure]
      profiles.push({ type, unit, ...common, value })
    }
    return this.#of(place, event.name, profiles, measures.length)
  }

  #of(place: number, event: string, profiles: readonly SeriesProfile[], values: number): JfrSeries {
    const key = [event, values, ...profiles.map(({ type, unit, period }) => `${type} ${unit} ${period}`)].join('\n')
    let entry = this.#entries.get(key)
    if (entry === undefined) {
      entry = { place, series: new JfrSeries(event, profiles, values) }
      this.#entries.set(key, entry)
    }
    return entry.series
  }
}
