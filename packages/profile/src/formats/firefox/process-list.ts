// The processes of a Firefox profile and their measurements, while the threads are read.
import type { KeyValue } from '../../model/columns/any-value.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import type { SequenceInterner } from '../../model/build/intern.ts'
import { MAX_INT64 } from '../../model/columns/int64.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { EventSamples } from '../recordings/event-samples.ts'
import type { FileParts } from './file-parts.ts'
import { FIREFOX_ATTRIBUTES, NO_ID } from './names.ts'
import type { FirefoxThread } from './read-thread.ts'

interface Series {
  readonly type: string
  readonly unit: string
  readonly samples: EventSamples
  /** Whether the sampling interval is the period. */
  readonly isPeriodic: boolean
}

class FirefoxProcess {
  readonly pid: string
  name: string
  readonly parts: FileParts
  readonly #series = new Map<string, Series>()

  constructor(pid: string, parts: FileParts) {
    this.pid = pid
    this.name = ''
    this.parts = parts
  }

  series(type: string, unit: string, timed: boolean, isPeriodic: boolean): Series {
    const key = `${type}\0${unit}\0${timed}`
    let series = this.#series.get(key)
    if (series === undefined) {
      series = { type, unit, samples: new EventSamples(true, timed), isPeriodic: isPeriodic && timed }
      this.#series.set(key, series)
    }
    return series
  }

  all(): Iterable<Series> {
    return this.#series.values()
  }
}

export class ProcessList {
  readonly #processes = new Map<string, FirefoxProcess>()

  process({ pid, processName }: FirefoxThread, parts: FileParts): FirefoxProcess {
    let process = this.#processes.get(pid)
    if (process === undefined) {
      process = new FirefoxProcess(pid, parts)
      this.#processes.set(pid, process)
    }
    if (process.name === '') process.name = processName
    return process
  }

  writeTo(builder: ProfilesBuilder, sets: SequenceInterner): void {
    for (const process of this.#processes.values()) {
      builder.resource({ attributes: attributesOf(process) })
      builder.scope()
      for (const { type, unit, samples, isPeriodic } of process.all()) {
        const period = isPeriodic ? process.parts.interval : 0n
        builder.profile({
          type,
          unit,
          ...rangeOf(process.parts, samples),
          ...(period > 0n ? { periodType: 'wall', periodUnit: 'nanoseconds', period } : {}),
        })
        samples.writeTo(builder, sets)
      }
    }
  }
}

/** From the start of the recording to its end. If the end is unknown, to one interval after the last sample. */
function rangeOf(parts: FileParts, samples: EventSamples): { timeUnixNano?: bigint; durationNano?: bigint } {
  if (!samples.hasTimestamps) return {}
  const range = samples.range()
  const step = parts.interval > 0n ? parts.interval : 1n
  const first = range === undefined || parts.startTime < range.first ? parts.startTime : range.first
  const last = range === undefined ? parts.startTime : range.last + step
  const statedEnd = parts.endTime === undefined ? 0n : parts.startTime + parts.endTime
  const end = statedEnd > (range?.last ?? 0n) ? statedEnd : last
  const duration = end > first ? end - first : 0n
  return { timeUnixNano: first, durationNano: duration > MAX_INT64 ? 0n : duration }
}

function attributesOf({ pid, name }: FirefoxProcess): KeyValue[] {
  const attributes: KeyValue[] = []
  if (/^\d{1,18}$/.test(pid)) attributes.push({ key: ATTRIBUTES.processPid, value: BigInt(pid) })
  else if (pid !== '' && !NO_ID.test(pid)) attributes.push({ key: FIREFOX_ATTRIBUTES.processId, value: pid })
  if (name !== '') attributes.push({ key: ATTRIBUTES.processExecutableName, value: name })
  return attributes
}
