// From a checked request to the query engine, and back with what is to be sent.
import type { Profiles } from '@hearth/profile'
import { concat, formatNamed, formats, writeProfile } from '@hearth/profile'
import type { z } from 'zod'
import { QueryError } from '../../query/query-error.ts'
import type { Answer, Asker, FileAnswer, StreamAnswer } from './request/request-context.ts'
import { given, questionOf, stepFor } from './request/request-context.ts'
import { checkKeys } from './request/check-keys.ts'
import * as sent from './answer-sent.ts'
import type { QuestionName, endpoints } from './endpoints.ts'
import { RequestError } from './response/failure.ts'
import { withinNodes } from './limits/query-gate.ts'
import type { SelectionRequest } from './requests.ts'
import { signalHandlers } from './signal-handlers.ts'
import { parseDuration, parseTime } from './request/times.ts'

export type Requests = { readonly [Name in QuestionName]: z.infer<(typeof endpoints)[Name]['request']> }
export type Handlers = {
  readonly [Name in QuestionName]: (asker: Asker, request: Requests[Name], inPath: string) => Promise<Answer>
}

/** `inPath` is what the path names: a profile, an attribute's key. */
export async function ask<Name extends QuestionName>(
  name: Name,
  asker: Asker,
  request: Requests[Name],
  inPath: string,
): Promise<Answer> {
  const answer = await handlers[name](asker, request, inPath)
  if ('found' in answer && answer.found === 0)
    await checkKeys(asker.query, questionOf(asker, request as SelectionRequest))
  return answer
}

/** As many as a screen shows, and as many rows as anyone reads. */
const USUAL_NODES = 16_384
const USUAL_ROWS = 1_000

const handlers: Handlers = {
  ...signalHandlers,
  async flameGraph(asker, request) {
    const { by, inlined, root: roots, order } = request
    const maxNodes = withinNodes('nodes', request.nodes, USUAL_NODES, asker.tenantLimits)
    const tree = await asker.query.flameGraph(
      questionOf(asker, request),
      given({ by, inlined, roots, order, maxNodes }),
    )
    return { sent: sent.flameGraphSent(tree), found: tree.profiles }
  },
  async top(asker, request) {
    const { by, inlined, root: roots, sort } = request
    const maxFrames = withinNodes('limit', request.limit, USUAL_ROWS, asker.tenantLimits)
    const top = await asker.query.top(questionOf(asker, request), given({ by, inlined, roots, sort, maxFrames }))
    return { sent: sent.topSent(top), found: top.profiles }
  },
  async sandwich(asker, request) {
    const { by, inlined, root: roots, function: name, file } = request
    const maxNodes = withinNodes('nodes', request.nodes, USUAL_NODES, asker.tenantLimits)
    const frame = { name, ...given({ file }) }
    const choice = given({ by, inlined, roots, maxNodes })
    return { sent: sent.sandwichSent(await asker.query.sandwich(questionOf(asker, request), frame, choice)) }
  },
  async diff(asker, request) {
    const { by, inlined, root: roots, order, normalise } = request
    const maxNodes = withinNodes('nodes', request.nodes, USUAL_NODES, asker.tenantLimits)
    const after = questionOf(asker, request)
    const to = request.beforeTo === undefined ? after.from : parseTime(request.beforeTo, asker.now)
    const length = after.to - after.from
    const from =
      request.beforeFrom === undefined ? (to > length ? to - length : 0n) : parseTime(request.beforeFrom, asker.now)
    const selector = request.beforeSelector ?? request.selector
    const before = { ...after, from, to, ...given({ selector }) }
    const diff = await asker.query.diff(before, after, given({ by, inlined, roots, order, maxNodes, normalise }))
    return { sent: sent.diffSent(diff), found: diff.before.profiles + diff.after.profiles }
  },
  async series(asker, request) {
    const question = questionOf(asker, request)
    const { groupBy, aggregation, exemplars } = request
    const step = request.step === undefined ? stepFor(question) : parseDuration(request.step)
    const choice = { step, ...given({ groupBy, aggregation, exemplars }) }
    const series = await asker.query.seriesTotals(question, choice)
    return { sent: sent.seriesSent(series), found: series.profiles }
  },
  async profileTypes(asker, request) {
    const rows = await asker.query.profileTypes(questionOf(asker, request))
    const profileTypes = rows.map(row => ({ ...row, first: row.first.toString(), last: row.last.toString() }))
    return { sent: { profileTypes }, found: rows.length }
  },
  async services(asker, request) {
    const services = await asker.query.services(questionOf(asker, request))
    return { sent: { services }, found: services.length }
  },
  async attributes(asker, request) {
    const { prefix, limit, after } = request
    const listed = await asker.query.attributeKeys(questionOf(asker, request), given({ prefix, limit, after }))
    const all = prefix === undefined && after === undefined ? { found: listed.rows.length } : {}
    return { sent: { attributes: listed.rows, truncated: listed.truncated, next: listed.next }, ...all }
  },
  async attributeValues(asker, request, key) {
    const { prefix, limit, after } = request
    const listed = await asker.query.attributeValues(questionOf(asker, request), key, given({ prefix, limit, after }))
    const values = listed.rows.map(({ text, value }) => ({ text, value: sent.valueJson(value) }))
    const all = prefix === undefined && after === undefined ? { found: values.length } : {}
    return { sent: { values, truncated: listed.truncated, next: listed.next }, ...all }
  },
  async profiles(asker, request) {
    const { limit, after } = request
    const list = await asker.query.listProfiles(questionOf(asker, request), given({ limit, after }))
    return { sent: sent.profilesSent(list), ...(after === undefined ? { found: list.profiles.length } : {}) }
  },
  async profile({ query, tenant, signal, limits }, request, profile) {
    const format = writable(request.format)
    const found = await query.wholeProfile({ tenant, signal, limits }, profile)
    return { file: fileOf(found, format, profile) }
  },
  async export(asker, request) {
    const format = writable(request.format)
    const { exportSamples } = asker.tenantLimits
    const found = asker.query.exportProfiles(questionOf(asker, request), given({ roots: request.root }))
    if (request.stream === true) return { stream: await streamed(found, format) }
    const sets: Profiles[] = []
    let samples = 0
    for await (const set of found) {
      samples += set.samples.length
      if (samples > exportSamples) {
        const advice = 'take a shorter range, or stream'
        throw new QueryError('too-many-rows', `more than ${exportSamples} samples in one file; ${advice}`)
      }
      sets.push(set)
    }
    if (sets.length === 0) throw new QueryError('not-found', 'no profile is selected')
    return { file: fileOf(concat(sets), format, 'profiles') }
  },
  async events(asker, request) {
    const { by, inlined, types, limit, reaching } = request
    const choice = given({ by, inlined, types, limit, reaching })
    const events = await asker.query.events(questionOf(asker, request), choice)
    return { sent: sent.eventsSent(events), found: events.profiles + events.length }
  },
  async heatMap(asker, request) {
    const column = request.column === undefined ? undefined : parseDuration(request.column)
    const map = await asker.query.heatMap(questionOf(asker, request), given({ column, rows: request.rows }))
    return { sent: sent.heatMapSent(map), found: map.profiles }
  },
}

export function writable(name = 'otlp'): string {
  if (formatNamed(name)?.write !== undefined) return name
  const names = formats.filter(format => format.write !== undefined).map(format => format.name)
  throw new RequestError(400, 'argument', `format: there are ${names.join(', ')}`)
}

function fileName(name: string, format: string): string {
  const extension = formatNamed(format)?.extensions[0] ?? ''
  return `${name}${extension.startsWith('.') ? '' : '.'}${extension}`
}

/** How one set after another makes a file: what is written before each. */
const STREAMS: Readonly<Record<string, (bytes: Uint8Array) => readonly Uint8Array[]>> = {
  otlp: bytes => [lengthOf(bytes), bytes],
  'otlp-json': bytes => [bytes, NEW_LINE],
  folded: bytes => (bytes.at(-1) === 10 ? [bytes] : [bytes, NEW_LINE]),
}
const NEW_LINE = Uint8Array.of(10)

/** Four bytes, highest first, as the Collector's file exporter has it. */
function lengthOf(bytes: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return length
}

/** Waits for the first set: whether there is any is said by the status. */
async function streamed(found: AsyncGenerator<Profiles>, format: string): Promise<StreamAnswer> {
  if (!Object.hasOwn(STREAMS, format)) {
    const names = Object.keys(STREAMS).join(', ')
    throw new RequestError(400, 'argument', `stream: ${format} cannot be sent as it is read; ${names} can`)
  }
  const first = await found.next()
  if (first.done === true) throw new QueryError('not-found', 'no profile is selected')
  async function* pieces(set: Profiles): AsyncGenerator<Uint8Array> {
    try {
      yield* STREAMS[format](fileOf(set, format, '').bytes)
      for await (const next of found) yield* STREAMS[format](fileOf(next, format, '').bytes)
    } finally {
      await found.return(undefined)
    }
  }
  return { pieces: pieces(first.value), name: fileName('profiles', format) }
}

export function fileOf(profiles: Profiles, format: string, name: string): FileAnswer {
  try {
    const { bytes, notes } = writeProfile(profiles, format)
    return { bytes, notes, name: fileName(name, format) }
  } catch (error) {
    // Formats that hold one profile, or none of this kind, say so by a RangeError.
    if (error instanceof RangeError) throw new RequestError(422, 'format', `${format}: ${error.message}`)
    throw error
  }
}
