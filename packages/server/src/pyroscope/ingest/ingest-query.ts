// The query parameters of a request to /ingest: application, time range, and format of the body.
import { badQuery } from '../../receive/refusal.ts'
import { parseAtTime } from '../at-time.ts'
import { isMultipart } from './multipart.ts'
import type { SeriesName } from '../series-labels.ts'
import { parseSeriesName } from '../series-labels.ts'

const INGEST_FORMATS = ['pprof', 'jfr', 'speedscope', 'trie', 'tree', 'lines', 'groups'] as const
type IngestFormat = (typeof INGEST_FORMATS)[number]

export interface IngestQuery {
  readonly name: SeriesName
  readonly format: IngestFormat
  /** Nanoseconds since 1970. */
  readonly from: bigint
  readonly until: bigint
  /** In Hz. 0 means that samples are only counted. */
  readonly sampleRate: bigint
  readonly spyName: string
  /** Undefined if absent. */
  readonly units: string | undefined
  readonly aggregationType: string | undefined
}

export type QueryValues = Readonly<Record<string, string | readonly string[] | undefined>>

const DEFAULT_RATE = '100'
const MAX_RATE = 1_000_000_000n

/** Throws Refusal. */
export function parseIngestQuery(values: QueryValues, contentType: string, nowMs: number): IngestQuery {
  const name = first(values, 'name')
  if (name === undefined) throw badQuery('name is missing; add ?name=application{label=value}')
  const from = timeOf(values, 'from', nowMs)
  const until = timeOf(values, 'until', nowMs)
  if (from > until) throw badQuery('from is after until')
  const rate = first(values, 'sampleRate') ?? DEFAULT_RATE
  if (!/^\d{1,10}$/.test(rate) || BigInt(rate) > MAX_RATE)
    throw badQuery(`sampleRate '${rate}' is not a whole number of samples per second`)
  return {
    name: parseSeriesName(name),
    format: formatOf(first(values, 'format') ?? '', contentType),
    from,
    until,
    sampleRate: BigInt(rate),
    spyName: first(values, 'spyName') ?? 'unknown',
    units: first(values, 'units'),
    aggregationType: first(values, 'aggregationType'),
  }
}

/** Decides in the same order as Pyroscope. An unknown format is text. */
function formatOf(format: string, contentType: string): IngestFormat {
  const type = contentType.split(';')[0].trim().toLowerCase()
  if (format === 'trie' || type === 'binary/octet-stream+trie') return 'trie'
  if (format === 'tree' || type === 'binary/octet-stream+tree') return 'tree'
  const named = INGEST_FORMATS.find(known => known === format)
  if (named !== undefined) return named
  return isMultipart(contentType) ? 'pprof' : 'groups'
}

function timeOf(values: QueryValues, key: string, nowMs: number): bigint {
  const text = first(values, key) ?? 'now'
  const time = parseAtTime(text, nowMs)
  if (time === undefined)
    throw badQuery(`${key} '${text}' is not a time; use seconds to nanoseconds since 1970, 20260131, now, or now-1h`)
  return time
}

/** An empty parameter is the same as an absent one. */
function first(values: QueryValues, key: string): string | undefined {
  const value = values[key]
  const text = typeof value === 'string' ? value : value?.[0]
  return text === '' ? undefined : text
}
