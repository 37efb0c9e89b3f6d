// Parses the comment lines of `perf script --header`, which describe the recording and its events.
//
//   # hostname : box
//   # event : name = cycles:u, , id = { 118, 119 }, { sample_period, sample_freq } = 4000, …, freq = 1, …
//   # clockid: monotonic (1)
//   # reference time: 2026-11-15 10:30:19.938358 = 1794738619.938358 (TOD) = 4562.263119753 (monotonic)
import { CLOCKS, PERF_CLOCK, REALTIME } from '../recordings/perf-recording.ts'
import type { PerfRecording } from '../recordings/perf-recording.ts'

export interface ScriptEvent {
  readonly name: string
  /** 0 if it is not given. */
  readonly period: bigint
  readonly isFrequency: boolean
  /** Only Hearth writes it, if the name does not imply the unit. */
  readonly unit?: string
}

type TextKey = 'hostName' | 'osRelease' | 'perfVersion' | 'arch' | 'cpuModel' | 'commandLine' | 'capturedOn'

/** perf's names of the header fields. */
export const HEADER_KEYS: Readonly<Record<string, TextKey>> = {
  'captured on': 'capturedOn',
  hostname: 'hostName',
  'os release': 'osRelease',
  'perf version': 'perfVersion',
  arch: 'arch',
  cpudesc: 'cpuModel',
  cmdline: 'commandLine',
}

export class ScriptHeader {
  readonly recording: PerfRecording = {}
  readonly events: ScriptEvent[] = []
  /** The name of the timestamps' clock; undefined for Unix time. */
  clock: string | undefined = PERF_CLOCK
  /** The offset from timestamps to Unix time. */
  shift = 0n
  /** The number of known lines. */
  knownLines = 0

  /** Reads a line that begins with `#`, without its line break. */
  line(text: string): void {
    const colon = text.indexOf(':')
    if (colon < 0) return
    const key = text.slice(1, colon).trim()
    const value = text.slice(colon + 1).trim()
    if (key === 'event') this.#event(value)
    else if (key === 'clockid') this.#clockId(value)
    else if (key === 'reference time') this.#reference(value)
    else if (Object.hasOwn(HEADER_KEYS, key) && value !== '') {
      this.recording[HEADER_KEYS[key]] = value
      this.knownLines++
    }
  }

  #event(value: string): void {
    // New files have an empty entry after the name. In old ones the type comes next.
    const [, name, rest] = /^name = (.*?)(?:, ,|, (?=type =))(.*)$/s.exec(`${withoutCommas(value)}, , `) ?? []
    if (name === undefined || name === '') return
    const [, period] = /\{ sample_period, sample_freq \} = (\d{1,20})/.exec(rest) ?? []
    const [, unit] = / unit = ([^,]+),/.exec(rest) ?? []
    const isFrequency = /, freq = 1,/.test(rest)
    this.events.push({ name, period: BigInt(period ?? 0), isFrequency, ...(unit === undefined ? {} : { unit }) })
    this.knownLines++
  }

  #clockId(value: string): void {
    const id = /\((\d+)\)$/.exec(value)?.[1]
    if (id === undefined) return
    this.clock = Number(id) === REALTIME ? undefined : (CLOCKS.get(Number(id)) ?? `clock ${id}`)
    this.knownLines++
  }

  #reference(value: string): void {
    const [, wall, time] = / = (\d{1,12}\.\d{1,9}) \(TOD\) = (\d{1,12}\.\d{1,9}) /.exec(`${value} `) ?? []
    if (wall === undefined || time === undefined) return
    this.shift = nanoseconds(wall) - nanoseconds(time)
    this.clock = undefined
    this.knownLines++
  }
}

function nanoseconds(seconds: string): bigint {
  const [whole, fraction] = seconds.split('.')
  return BigInt(whole) * 1_000_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0'))
}

function withoutCommas(text: string): string {
  let end = text.length
  while (end > 0 && (text[end - 1] === ',' || text[end - 1] === ' ')) end--
  return text.slice(0, end)
}
