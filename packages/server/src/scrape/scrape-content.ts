// A scraped pprof file as the content of a request. Write threads read it. Values of cumulative types become increments since the
// previous file, which the body contains too:
//
//   length of the previous file, 4 bytes │ previous file │ file
import type { KeyValue, Profiles } from '@hearth/profile'
import { pickProfiles } from '@hearth/profile'
import type { Content, ContentReader } from '../receive/content.ts'
import { measureFile } from '../receive/content.ts'
import { requestId } from '../receive/request-id.ts'
import { OpenBudget } from '../pyroscope/ingest/read-file.ts'
import type { ProfileChange, ReadHeader } from '../pyroscope/ingest/series-builder.ts'
import { SeriesBuilder } from '../pyroscope/ingest/series-builder.ts'
import { resourceAttributes } from '../pyroscope/series-labels.ts'
import type { ProfileEndpoint } from './profile-endpoints.ts'
import type { Labels } from './relabel.ts'
import { labelsText } from './relabel.ts'

/** Plain data, because it is sent to a thread. */
export interface ScrapeOptions {
  readonly endpoint: ProfileEndpoint
  readonly labels: Labels
  /** Nanoseconds since 1970: the previous scrape, or the start of this one. */
  readonly from: bigint
  readonly to: bigint
}

const READER = 'scrape'
const HEADER_BYTES = 4
const SCOPE = 'hearth.scrape'
/** Labels whose attribute has another name. */
const SERVICE_LABELS = ['service_name', 'service.name']
const JOB = 'job'
const INSTANCE = 'instance'

export function scrapeContent(options: ScrapeOptions): Content {
  return { reader: READER, options }
}

/** The body of the request. */
export function scrapeBody(previous: Uint8Array | undefined, file: Uint8Array): Uint8Array {
  const before = previous ?? new Uint8Array(0)
  const body = new Uint8Array(HEADER_BYTES + before.length + file.length)
  new DataView(body.buffer).setUint32(0, before.length, true)
  body.set(before, HEADER_BYTES)
  body.set(file, HEADER_BYTES + before.length)
  return body
}

function filesIn(body: Uint8Array): { readonly previous: Uint8Array | undefined; readonly file: Uint8Array } {
  const length = new DataView(body.buffer, body.byteOffset).getUint32(0, true)
  const from = HEADER_BYTES + length
  return { previous: length === 0 ? undefined : body.subarray(HEADER_BYTES, from), file: body.subarray(from) }
}

export const scrapeReader: Readonly<Record<typeof READER, ContentReader<ScrapeOptions>>> = {
  [READER]: {
    id: (body, { endpoint, labels, from, to }) =>
      requestId(`scrape ${endpoint.path} ${from} ${to} ${labelsText(labels)}`, body),
    measure: body => {
      const { previous, file } = filesIn(body)
      return measureFile(file) + (previous === undefined ? 0 : measureFile(previous))
    },
    read: (body, options, { maxBody, symbols }) => {
      const { previous: previousFile, file } = filesIn(body)
      const budget = new OpenBudget(maxBody, symbols)
      const all = budget.readFile('pprof', file)
      const previous = previousFile === undefined ? undefined : budget.readFile('pprof', previousFile)
      const { endpoint } = options
      // The first file of a program has no increments: it may have run for days.
      const profiles = previous === undefined ? withoutTypes(all, endpoint.cumulative) : all
      if (profiles.profiles.length === 0) return undefined
      const builder = new SeriesBuilder()
      budget.read(() => builder.add(seriesLabels(options.labels), profiles, changeOf(options, previous), SCOPE))
      return { payload: { signal: 'profiles', profiles: builder.build() }, generation: 'pprof', isAtomic: true }
    },
  },
}

function changeOf({ endpoint, from, to }: ScrapeOptions, previous: Profiles | undefined) {
  return (header: ReadHeader): ProfileChange => {
    const type = endpoint.types?.[header.type]
    const row = previous === undefined ? undefined : rowOfType(previous, header.type)
    const isCumulative = endpoint.cumulative.includes(header.type) && previous !== undefined && row !== undefined
    return {
      name: endpoint.name,
      ...(type === undefined ? {} : { type }),
      ...(isCumulative ? { previous: { profiles: previous, row } } : {}),
      ...timesOf(header, isCumulative, from, to),
    }
  }
}

/** Increments cover the time since the previous scrape. Other files state their own time, or have none. */
function timesOf(header: ReadHeader, isCumulative: boolean, from: bigint, to: bigint): Partial<ProfileChange> {
  if (isCumulative) return { time: from, duration: to - from }
  return header.time === 0n ? { time: header.duration === 0n ? to : to - header.duration } : {}
}

function withoutTypes(all: Profiles, types: readonly string[]): Profiles {
  const rows = Array.from({ length: all.profiles.length }, (_, row) => row)
  const kept = rows.filter(row => !types.includes(typeOf(all, row)))
  return kept.length === rows.length ? all : pickProfiles(all, kept)
}

function rowOfType(profiles: Profiles, type: string): number | undefined {
  for (let row = 0; row < profiles.profiles.length; row++) if (typeOf(profiles, row) === type) return row
  return undefined
}

function typeOf({ profiles, dictionary: { strings } }: Profiles, row: number): string {
  return strings.text(profiles.type(row))
}

/** The labels as Pyroscope names them. The job names the service unless a label does. */
function seriesLabels(labels: Labels): ReadonlyMap<string, string> {
  const { [INSTANCE]: instance = '', ...others } = labels
  return new Map([
    ...Object.entries(others).filter(([name]) => !SERVICE_LABELS.includes(name)),
    ['service_name', serviceOf(labels)],
    ['service.instance.id', instance],
  ])
}

function serviceOf(labels: Labels): string {
  return [...SERVICE_LABELS, JOB].map(name => labels[name] ?? '').find(value => value !== '') ?? ''
}

/** The attributes of a target's resource. */
export function targetAttributes(labels: Labels): KeyValue[] {
  return resourceAttributes(seriesLabels(labels))
}
