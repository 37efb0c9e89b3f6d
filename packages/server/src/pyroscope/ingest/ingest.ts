// Reads the body of a request to /ingest into profiles and stores them. README.md has the mapping.
import type { KeyValue, Profiles } from '@hearth/profile'
import { ATTRIBUTES, ProfilesBuilder } from '@hearth/profile'
import type { Content as RequestContent, ContentReader } from '../../receive/content.ts'
import { measureFile } from '../../receive/content.ts'
import { Code, Refusal, badQuery } from '../../receive/refusal.ts'
import { requestId } from '../../receive/request-id.ts'
import type { IngestQuery, QueryValues } from './ingest-query.ts'
import { parseIngestQuery } from './ingest-query.ts'
import { isMultipart, multipartParts } from './multipart.ts'
import type { NamedType } from './profile-types.ts'
import { knownSuffixes, nameOfPprof, typeOfName, typeOfRecording, typeOfSpeedscope } from './profile-types.ts'
import { OpenBudget } from './read-file.ts'
import type { SampleTypeConfigs } from './sample-type-config.ts'
import { configAttributes, parseSampleTypeConfig } from './sample-type-config.ts'
import type { ProfileChange, ReadHeader } from './series-builder.ts'
import { SeriesBuilder } from './series-builder.ts'
import type { SeriesLabels } from '../series-labels.ts'
import { PYROSCOPE_ATTRIBUTES, completeLabels } from '../series-labels.ts'
import type { StackFormat } from './stack-counts.ts'
import { readStackCounts } from './stack-counts.ts'

const NANOS_PER_SECOND = 1_000_000_000n
/** Earlier times count from the start of a recording, or are in another unit. */
const NANOS_OF_1970 = 365n * 86_400n * NANOS_PER_SECOND
const PROFILE_ID_LABEL = 'profile_id'
/** The client that spells the types of a pprof file with dashes. */
const DOTNET_SPY = 'dotnetspy'

interface IngestOptions {
  readonly contentType: string
  readonly query: QueryValues
  /** Milliseconds since 1970: the time of requests without one. */
  readonly nowMs: number
}

const READER = 'pyroscope-ingest'

/** The body of /ingest as the content of a request. */
export function pyroscopeIngest({ query, ...options }: IngestOptions): RequestContent {
  return { reader: READER, options: { ...options, query: { ...query } } }
}

export const pyroscopeIngestReader: Readonly<Record<typeof READER, ContentReader<IngestOptions>>> = {
  [READER]: {
    id: (body, options) => {
      const query = queryOf(options)
      const { app, labels } = query.name
      const times = [query.from, query.until, query.sampleRate].join(' ')
      const label = `ingest ${query.format} ${times} ${query.spyName} ${JSON.stringify([app, ...labels])}`
      // The file decides the id, not the body: a form that is sent again has another boundary.
      return requestId(label, contentOf(query, body, options).file)
    },
    measure: (body, options) => measureFile(contentOf(queryOf(options), body, options).file),
    read: (body, options, { maxBody, maxAttributes, symbols }) => {
      const query = queryOf(options)
      checkLabelCount(query.name.labels.size, maxAttributes)
      // Old clients also send profiles of single requests. Pyroscope drops them, because the whole profile contains them.
      if ((query.name.labels.get(PROFILE_ID_LABEL) ?? '') !== '') return undefined
      const content = contentOf(query, body, options)
      // A client sends an empty body if its application was idle.
      if (content.file.length === 0) return undefined
      const profiles = profilesOf(query, content, new OpenBudget(maxBody, symbols))
      if (profiles === undefined) return undefined
      const generation = isStackFormat(query.format) ? `pyroscope-${query.format}` : query.format
      return { payload: { signal: 'profiles', profiles }, generation, isAtomic: true }
    },
  },
}

function queryOf({ query, contentType, nowMs }: IngestOptions): IngestQuery {
  return parseIngestQuery(query, contentType, nowMs)
}

export function checkLabelCount(labels: number, most: number): void {
  if (labels > most)
    throw new Refusal(
      400,
      Code.invalidArgument,
      'attributes',
      `${labels} labels; the limit is ${most} (max-attributes)`,
    )
}

/** Undefined if the content is empty. */
function profilesOf(query: IngestQuery, content: Content, budget: OpenBudget): Profiles | undefined {
  const { format } = query
  if (format === 'pprof') return pprofProfiles(query, content, budget)
  if (format === 'jfr') return jfrProfiles(query, content, budget)
  const { app, type } = suffixOf(query.name.app)
  const labels = completeLabels({ ...query.name, app }, query.spyName)
  if (format === 'speedscope') return speedscopeProfiles(query, type, labels, content.file, budget)
  return stackProfiles(query, format, type, labels, content.file, budget)
}

function pprofProfiles(query: IngestQuery, { file, parts }: Content, budget: OpenBudget): Profiles | undefined {
  const profiles = budget.readFile('pprof', file)
  const config = parts.get('sample_type_config')
  const configs = config === undefined ? undefined : parseSampleTypeConfig(config)
  const previousFile = parts.get('prev_profile')
  const previous =
    previousFile === undefined || previousFile.length === 0 ? undefined : budget.readFile('pprof', previousFile)
  const name = nameOfPprof(typesOf(profiles), displayNames(configs))
  const change = (header: ReadHeader): ProfileChange => {
    const config = configs?.get(header.type)
    const cumulative = config?.cumulative === true
    const before = cumulative && previous !== undefined ? rowOfType(previous, header) : undefined
    const attributes = [
      ...queryAttributes(query),
      ...(config === undefined ? [] : configAttributes(config)),
      ...(cumulative && before === undefined ? [{ key: ATTRIBUTES.aggregationTemporality, value: 'cumulative' }] : []),
    ]
    return {
      name,
      ...timesOf(header, query),
      ...(query.spyName === DOTNET_SPY ? { type: header.type.replaceAll('-', '_') } : {}),
      ...(before === undefined || previous === undefined ? {} : { previous: { profiles: previous, row: before } }),
      attributes: distinct(attributes),
    }
  }
  return built(completeLabels(query.name, query.spyName), profiles, change, query, budget)
}

function jfrProfiles(query: IngestQuery, { file, parts }: Content, budget: OpenBudget): Profiles | undefined {
  const labels = parts.get('labels')
  const opened = labels === undefined || labels.length === 0 ? undefined : budget.open(labels)
  const profiles = budget.readFile('jfr', file, opened)
  const change = (header: ReadHeader): ProfileChange => {
    const type = typeOfRecording(header.type, header.unit, header.periodType, header.periodUnit)
    const attributes = queryAttributes(query)
    return {
      ...typeChange(type, query),
      ...(type.perSample ? {} : { period: header.period }),
      // Events have the times of their recording, not of the request.
      ...(header.time === 0n ? { time: query.from } : {}),
      attributes,
    }
  }
  return built(completeLabels(query.name, query.spyName), profiles, change, query, budget)
}

function speedscopeProfiles(
  query: IngestQuery,
  given: NamedType,
  labels: SeriesLabels,
  body: Uint8Array,
  budget: OpenBudget,
): Profiles | undefined {
  const profiles = budget.readFile('speedscope', body)
  const several = profiles.profiles.length > 1
  const change = (header: ReadHeader): ProfileChange => {
    const type = typeOfSpeedscope(given, header.unit, several)
    // Times in the file count from the start of the recording.
    const shift = header.time < NANOS_OF_1970 ? query.from : 0n
    const duration = header.duration === 0n ? query.until - query.from : header.duration
    const time = header.time + shift
    return { ...typeChange(type, query), time, duration, shift, attributes: queryAttributes(query) }
  }
  return built(labels, profiles, change, query, budget)
}

function stackProfiles(
  query: IngestQuery,
  format: StackFormat,
  type: NamedType,
  labels: SeriesLabels,
  body: Uint8Array,
  budget: OpenBudget,
): Profiles | undefined {
  const { counts } = budget.read(() => readStackCounts(format, body, budget.limit))
  if (counts.size === 0) return undefined
  const builder = new ProfilesBuilder()
  builder.profile({ type: 'samples', unit: 'count' })
  const locations = new Map<string, ReturnType<ProfilesBuilder['location']>>()
  for (const [key, value] of counts) {
    const stack = key.split('\0').map(name => {
      let location = locations.get(name)
      if (location === undefined) {
        location = builder.location({ lines: [{ function: builder.function({ name }) }] })
        locations.set(name, location)
      }
      return location
    })
    builder.sample({ stack: builder.stack(stack.toReversed()), values: [value] })
  }
  const change = (): ProfileChange => ({
    ...typeChange(type, query),
    time: query.from,
    duration: query.until - query.from,
    attributes: queryAttributes(query),
  })
  return built(labels, builder.build(), change, query, budget)
}

function built(
  labels: SeriesLabels,
  profiles: Profiles,
  change: (header: ReadHeader) => ProfileChange,
  { spyName }: IngestQuery,
  budget: OpenBudget,
): Profiles | undefined {
  return budget.read(() => {
    const builder = new SeriesBuilder()
    builder.add(labels, profiles, change, spyName)
    return builder.length === 0 ? undefined : builder.build()
  })
}

/** The rate converts counts to time. Counts stay counts if there is no rate. */
function typeChange(type: NamedType, { sampleRate }: IngestQuery): ProfileChange {
  const { name, periodType, periodUnit, perSample } = type
  if (!perSample) return { name, type: type.type, unit: type.unit, periodType, periodUnit }
  if (sampleRate === 0n) return { name, type: 'samples', unit: 'count' }
  const period = NANOS_PER_SECOND / sampleRate
  return { name, type: type.type, unit: type.unit, periodType, periodUnit, period, scale: period }
}

function timesOf(
  { time, duration }: ReadHeader,
  { from, until }: IngestQuery,
): Pick<ProfileChange, 'time' | 'duration'> {
  return { time: time < NANOS_OF_1970 ? from : time, duration: duration === 0n ? until - from : duration }
}

function queryAttributes({ units, aggregationType }: IngestQuery): KeyValue[] {
  return [
    ...(units === undefined ? [] : [{ key: PYROSCOPE_ATTRIBUTES.units, value: units }]),
    ...(aggregationType === undefined ? [] : [{ key: PYROSCOPE_ATTRIBUTES.aggregation, value: aggregationType }]),
  ]
}

/** The last of several attributes with one key stays: attributes of one type follow those of all types. */
function distinct(attributes: readonly KeyValue[]): KeyValue[] {
  return [...new Map(attributes.map(attribute => [attribute.key, attribute])).values()]
}

function suffixOf(app: string): { readonly app: string; readonly type: NamedType } {
  const found = typeOfName(app)
  if (found === undefined)
    throw badQuery(`name '${app}' has an unknown suffix; known suffixes are ${knownSuffixes().join(', ')}`)
  return found
}

/** The content of a request: the file, and the other parts of its form. */
interface Content {
  readonly file: Uint8Array
  readonly parts: ReadonlyMap<string, Uint8Array>
}

const FILE_PARTS: ReadonlyMap<string, string> = new Map([
  ['pprof', 'profile'],
  ['jfr', 'jfr'],
])

function contentOf({ format }: IngestQuery, body: Uint8Array, { contentType }: IngestOptions): Content {
  const name = FILE_PARTS.get(format)
  if (name === undefined || body.length === 0 || !isMultipart(contentType)) return { file: body, parts: new Map() }
  const parts = multipartParts(body, contentType)
  const file = parts.get(name)
  if (file === undefined)
    throw new Refusal(422, Code.invalidArgument, 'undecodable', `multipart: there is no part '${name}'`)
  return { file, parts }
}

function typesOf({ profiles, dictionary: { strings } }: Profiles): string[] {
  return Array.from({ length: profiles.length }, (_, i) => strings.text(profiles.type(i)))
}

function rowOfType(profiles: Profiles, { type }: ReadHeader): number | undefined {
  const row = typesOf(profiles).indexOf(type)
  return row < 0 ? undefined : row
}

function displayNames(configs: SampleTypeConfigs | undefined): ReadonlyMap<string, string> | undefined {
  if (configs === undefined) return undefined
  const named = [...configs].filter(([, { displayName }]) => displayName !== '')
  return new Map(named.map(([type, { displayName }]) => [type, displayName]))
}

function isStackFormat(format: string): boolean {
  return ['trie', 'tree', 'lines', 'groups'].includes(format)
}
