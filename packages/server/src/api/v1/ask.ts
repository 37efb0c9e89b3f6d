// From a checked request to the query engine, and back with what is to be sent.
import type { Note, Profiles } from '@hearth/profile'
import { concat, formatNamed, formats, writeProfile } from '@hearth/profile'
import type { z } from 'zod'
import type { QueryEngine } from '../../query/query-engine.ts'
import { QueryError } from '../../query/query-error.ts'
import type { Question, QueryLimits } from '../../query/question.ts'
import * as json from './answer-json.ts'
import type { EndpointName, endpoints } from './endpoints.ts'
import { RequestError } from './failure.ts'
import type { SelectionRequest, SpanRequest } from './requests.ts'
import { parseDuration, parseTime } from './times.ts'

export interface Asker {
  readonly query: QueryEngine
  readonly tenant: string
  readonly signal: AbortSignal
  readonly limits: QueryLimits
  /** The most samples that are exported at once. */
  readonly maxExportSamples: number
  /** Nanoseconds since 1970. */
  readonly now: bigint
}

/** A file in a format that was asked for. */
export interface FileAnswer {
  readonly bytes: Uint8Array
  readonly name: string
  /** What the format has no place for. */
  readonly notes: readonly Note[]
}

export type Answer = { readonly json: object } | { readonly file: FileAnswer }

type Requests = { readonly [Name in EndpointName]: z.infer<(typeof endpoints)[Name]['request']> }
type Handlers = {
  readonly [Name in EndpointName]: (asker: Asker, request: Requests[Name], inPath: string) => Promise<Answer>
}

/** `inPath` is what the path names: a profile, an attribute's key. */
export async function ask<Name extends EndpointName>(
  name: Name,
  asker: Asker,
  request: Requests[Name],
  inPath: string,
): Promise<Answer> {
  return await handlers[name](asker, request, inPath)
}

const HOUR = 3_600_000_000_000n
const SECOND = 1_000_000_000n
/** How many steps a series has where nobody says how long they are. */
const STEPS = 100n

const handlers: Handlers = {
  async flameGraph(asker, request) {
    const { by, inlined, order, nodes: maxNodes } = request
    const choice = given({ by, inlined, order, maxNodes })
    return { json: json.flameGraphJson(await asker.query.flameGraph(questionOf(asker, request), choice)) }
  },
  async top(asker, request) {
    const { by, inlined, sort, limit: maxFrames } = request
    return {
      json: json.topJson(await asker.query.top(questionOf(asker, request), given({ by, inlined, sort, maxFrames }))),
    }
  },
  async sandwich(asker, request) {
    const { by, inlined, nodes: maxNodes, function: name, file } = request
    const frame = { name, ...given({ file }) }
    const choice = given({ by, inlined, maxNodes })
    return { json: json.sandwichJson(await asker.query.sandwich(questionOf(asker, request), frame, choice)) }
  },
  async diff(asker, request) {
    const { by, inlined, order, nodes: maxNodes, normalise } = request
    const after = questionOf(asker, request)
    const to = request.beforeTo === undefined ? after.from : parseTime(request.beforeTo, asker.now)
    const length = after.to - after.from
    const from =
      request.beforeFrom === undefined ? (to > length ? to - length : 0n) : parseTime(request.beforeFrom, asker.now)
    const selector = request.beforeSelector ?? request.selector
    const before = { ...after, from, to, ...given({ selector }) }
    const choice = given({ by, inlined, order, maxNodes, normalise })
    return { json: json.diffJson(await asker.query.diff(before, after, choice)) }
  },
  async series(asker, request) {
    const question = questionOf(asker, request)
    const { groupBy, aggregation, exemplars } = request
    const step = request.step === undefined ? stepFor(question) : parseDuration(request.step)
    const choice = { step, ...given({ groupBy, aggregation, exemplars }) }
    return { json: json.seriesJson(await asker.query.seriesTotals(question, choice)) }
  },
  async profileTypes(asker, request) {
    const rows = await asker.query.profileTypes(questionOf(asker, request))
    const profileTypes = rows.map(row => ({ ...row, first: row.first.toString(), last: row.last.toString() }))
    return { json: { profileTypes } }
  },
  async services(asker, request) {
    return { json: { services: await asker.query.services(questionOf(asker, request)) } }
  },
  async attributes(asker, request) {
    const { prefix, limit } = request
    const { rows, truncated } = await asker.query.attributeKeys(questionOf(asker, request), given({ prefix, limit }))
    return { json: { attributes: rows, truncated } }
  },
  async attributeValues(asker, request, key) {
    const choice = given({ prefix: request.prefix, limit: request.limit })
    const { rows, truncated } = await asker.query.attributeValues(questionOf(asker, request), key, choice)
    return { json: { values: rows.map(({ text, value }) => ({ text, value: json.valueJson(value) })), truncated } }
  },
  async profiles(asker, request) {
    const choice = given({ limit: request.limit, after: request.after })
    return { json: json.profilesJson(await asker.query.listProfiles(questionOf(asker, request), choice)) }
  },
  async profile({ query, tenant, signal }, request, profile) {
    const format = writable(request.format)
    const found = await query.wholeProfile({ tenant, signal }, profile)
    return { file: fileOf(found, format, profile) }
  },
  async export(asker, request) {
    const format = writable(request.format)
    const sets: Profiles[] = []
    let samples = 0
    for await (const set of asker.query.exportProfiles(questionOf(asker, request))) {
      samples += set.samples.length
      if (samples > asker.maxExportSamples) {
        throw new QueryError('too-many-rows', `more than ${asker.maxExportSamples} samples; take a shorter range`)
      }
      sets.push(set)
    }
    if (sets.length === 0) throw new QueryError('not-found', 'no profile is selected')
    return { file: fileOf(concat(sets), format, 'profiles') }
  },
  async events(asker, request) {
    const { by, inlined } = request
    return { json: json.eventsJson(await asker.query.events(questionOf(asker, request), given({ by, inlined }))) }
  },
  async heatMap(asker, request) {
    const column = request.column === undefined ? undefined : parseDuration(request.column)
    const choice = given({ column, rows: request.rows })
    return { json: json.heatMapJson(await asker.query.heatMap(questionOf(asker, request), choice)) }
  },
}

function questionOf(asker: Asker, request: SelectionRequest & SpanRequest): Question {
  const { tenant, signal, limits, now } = asker
  const { selector, traceId, spanId, subtree } = request
  const to = request.to === undefined ? now : parseTime(request.to, now)
  const from = request.from === undefined ? (to > HOUR ? to - HOUR : 0n) : parseTime(request.from, now)
  if (traceId === undefined && (spanId !== undefined || subtree !== undefined)) {
    throw new RequestError(400, 'argument', 'a span is one of a trace: give traceId too')
  }
  const span = traceId === undefined ? undefined : { traceId, ...given({ spanId, subtree }) }
  return { tenant, from, to, signal, limits, ...given({ selector, span }) }
}

function stepFor({ from, to }: Question): bigint {
  const step = (to - from) / STEPS
  return step < SECOND ? SECOND : ((step + SECOND - 1n) / SECOND) * SECOND
}

function writable(name = 'otlp'): string {
  if (formatNamed(name)?.write !== undefined) return name
  const names = formats.filter(format => format.write !== undefined).map(format => format.name)
  throw new RequestError(400, 'argument', `format: there are ${names.join(', ')}`)
}

function fileOf(profiles: Profiles, format: string, name: string): FileAnswer {
  const extension = formatNamed(format)?.extensions[0] ?? ''
  try {
    const { bytes, notes } = writeProfile(profiles, format)
    return { bytes, notes, name: `${name}${extension.startsWith('.') ? '' : '.'}${extension}` }
  } catch (error) {
    // Formats that hold one profile, or none of this kind, say so by a RangeError.
    if (error instanceof RangeError) throw new RequestError(422, 'format', `${format}: ${error.message}`)
    throw error
  }
}

type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> }

/** Without what is undefined, as exact optional properties want it. */
function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>
}
