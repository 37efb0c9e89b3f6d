// Requests to the Broker, handed to captures, triggers and the Broker itself.
import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Event, Struct } from '@hearth/broker'
import { BrokerError, Category, createComponent, createEvent, ttlOfMs } from '@hearth/broker'
import type { Profiles } from '@hearth/profile'
import { concat } from '@hearth/profile'
import type { z } from 'zod'
import type { BrokerControl } from '../../broker/control.ts'
import type { CaptureRecord } from '../../broker/captures/capture-record.ts'
import type { CaptureRequest, SpanIds } from '../../broker/captures/capture-request.ts'
import { mergedCapture } from '../../broker/captures/merged-capture.ts'
import { environmentOf, isOfService } from '../../broker/captures/pick-instances.ts'
import { compileTriggerRule } from '../../broker/triggers/compile-rule.ts'
import { dryRun } from '../../broker/triggers/dry-run.ts'
import { TRIGGER_DEFAULTS } from '../../broker/triggers/trigger.ts'
import { QueryError } from '../../query/query-error.ts'
import { fileOf, writable } from './ask.ts'
import type { Asker, FileAnswer } from './request/request-context.ts'
import { given, questionOf } from './request/request-context.ts'
import type { BrokerEndpointName, brokerEndpoints } from './broker-endpoints.ts'
import { componentSent, dryRunSent, eventSent } from './broker/broker-json.ts'
import { RequestError } from './response/failure.ts'
import { parseDuration, parseTime } from './request/times.ts'
import type { EventWatches } from './broker/event-watches.ts'

export interface BrokerAsker extends Asker {
  readonly control: BrokerControl
  readonly watches: EventWatches
  /** The token's name; `anyone` where none is needed. */
  readonly by: string
  /** The span that asks, by the header traceparent. */
  readonly span: SpanIds | undefined
  /** What needs the engine waits for its turn. */
  inTurn<T>(task: () => Promise<T>): Promise<T>
}

export type BrokerAnswer = { readonly sent: object } | { readonly file: FileAnswer } | { readonly lines: Readable }

type Requests = { readonly [Name in BrokerEndpointName]: z.infer<(typeof brokerEndpoints)[Name]['request']> }
type Handlers = {
  readonly [Name in BrokerEndpointName]: (
    asker: BrokerAsker,
    request: Requests[Name],
    inPath: string,
  ) => Promise<BrokerAnswer>
}

const LONGEST_WAIT = 30_000_000_000n
const USUAL_TTL_MS = 30_000
const USUAL_DURATION_MS = 10_000
/** Content of an answer to an event; a profile may be large. */
const LONGEST_CONTENT = 16 * 2 ** 20
/** Formats that tell the profiles of several processes apart. */
const APART = ['otlp', 'otlp-json']

export const brokerHandlers: Handlers = {
  async components({ control, tenant, signal }, { service, environment }) {
    const all = await control.broker.components(tenant, signal)
    const wanted = all.filter(
      live =>
        (service === undefined || isOfService(live, service)) &&
        (environment === undefined || environmentOf(live) === environment),
    )
    const { id, mesh } = control.broker.state()
    const components = wanted.map(live => componentSent(live, control.captures.isRunningOn(tenant, live)))
    return { sent: { components, broker: { id, mesh: { ...mesh, peers: [...mesh.peers] } } } }
  },
  async captures({ control, tenant }, { limit = 100 }) {
    return { sent: { captures: control.captures.list(tenant).slice(0, limit) } }
  },
  async startCapture(asker, request) {
    const capture = await asker.control.captures.start(asker.tenant, captureRequestOf(asker, request), asker.by)
    return { sent: capture.record }
  },
  async capture({ control, tenant, signal }, { after, wait }, id) {
    const nanoseconds = wait === undefined ? 0n : parseDuration(wait)
    const ms = Number((nanoseconds > LONGEST_WAIT ? LONGEST_WAIT : nanoseconds) / 1_000_000n)
    const known = after ?? control.captures.find(tenant, id)?.version ?? 0
    const either = AbortSignal.any([signal, control.ending])
    return { sent: found(await control.captures.changed(tenant, id, known, ms, either), id) }
  },
  async cancelCapture({ control, tenant }, _request, id) {
    return { sent: found(control.captures.cancel(tenant, id), id) }
  },
  async captureProfile(asker, request, id) {
    const format = writable(request.format)
    const record = found(asker.control.captures.find(asker.tenant, id), id)
    const profiles = await asker.inTurn(() => storedProfiles(asker, record))
    const isMerged = request.merge ?? !APART.includes(format)
    return { file: fileOf(isMerged ? mergedCapture(profiles) : concat(profiles), format, `capture-${id.slice(0, 8)}`) }
  },
  async triggers({ control, tenant }) {
    const { triggers } = control
    return { sent: { triggers: triggers.list(tenant), budgetPerMinute: triggers.budgetPerMinute } }
  },
  async addTrigger({ control, tenant }, { name, ...spec }) {
    return { sent: control.triggers.add(tenant, name, spec) }
  },
  async changeTrigger({ control, tenant }, spec, name) {
    const changed = control.triggers.change(tenant, name, spec)
    if (changed === undefined) throw noTrigger(name)
    return { sent: changed }
  },
  async removeTrigger({ control, tenant }, _request, name) {
    if (!control.triggers.remove(tenant, name)) throw noTrigger(name)
    return { sent: { removed: name } }
  },
  async dryRun(asker, request) {
    const rule = compileTriggerRule(request.rule)
    const { coolDownMs, percentage } = { ...TRIGGER_DEFAULTS, ...given(request) }
    const { budgetPerMinute } = asker.control.triggers
    const guarding = { coolDownMs, percentage, budgetPerHour: request.budgetPerHour, budgetPerMinute }
    const question = questionOf(asker, given({ from: request.from, to: request.to }))
    const run = await asker.inTurn(() => dryRun(asker.control.engine, question, rule, guarding))
    return { sent: dryRunSent(run, question.from, question.to) }
  },
  async triggerHistory({ control, tenant }, { trigger, limit = 100, before }) {
    const entries = control.triggers.history(tenant, { limit: limit + 1, ...given({ trigger, before }) })
    const page = entries.slice(0, limit)
    const next = entries.length > limit ? page.at(-1)?.id : undefined
    return { sent: { entries: page, ...(next === undefined ? {} : { next }) } }
  },
  async watchEvents({ watches, tenant }, filter) {
    return { lines: watches.open(tenant, filter) }
  },
  async sendEvent({ control, tenant, signal }, request) {
    const event = eventOf(request)
    if (request.category !== 'REQUEST') {
      control.broker.send(tenant, event)
      return { sent: { event: eventSent(event, 0) } }
    }
    const response = await control.broker.request(tenant, event, signal)
    return { sent: { event: eventSent(event, 0), response: eventSent(response, LONGEST_CONTENT) } }
  },
}

function captureRequestOf({ now, span }: BrokerAsker, asked: Requests['startCapture']): CaptureRequest {
  const { service, environment, instance, all = false, type = 'cpu', durationMs = USUAL_DURATION_MS } = asked
  const { frequencyHz, from, to, traceId, spanId, labels, reason = 'asked for', maxBytes } = asked
  if (spanId !== undefined && traceId === undefined)
    throw new RequestError(400, 'argument', 'a span is one of a trace: give traceId too')
  if (from === undefined && to !== undefined) throw new RequestError(400, 'argument', 'to look back, give from too')
  if (all && instance !== undefined) throw new RequestError(400, 'argument', 'all and instance exclude each other')
  const until = to === undefined ? now : parseTime(to, now)
  const lookBack = from === undefined ? undefined : { from: parseTime(from, now), until }
  const parent = span ?? (traceId === undefined || spanId === undefined ? undefined : { traceId, spanId })
  const rest = given({ environment, instance, frequencyHz, lookBack, traceId, spanId, labels, maxBytes, parent })
  return { service, all, type, durationMs, reason, ...rest }
}

/** Throws QueryError where none is found, since they may have been dropped by retention. */
async function storedProfiles(asker: BrokerAsker, record: CaptureRecord): Promise<readonly Profiles[]> {
  const { query, tenant, signal, limits, tenantLimits } = asker
  const profileIds = record.instances.flatMap(({ profileIds: ids }) =>
    ids.map(id => new Uint8Array(Buffer.from(id, 'hex'))),
  )
  const { from, to } = record
  const sets: Profiles[] = []
  if (profileIds.length > 0 && from !== undefined && to !== undefined) {
    const question = { tenant, from: BigInt(from), to: BigInt(to), only: { profileIds }, signal, limits }
    let samples = 0
    for await (const set of query.exportProfiles(question)) {
      samples += set.samples.length
      if (samples > tenantLimits.exportSamples)
        throw new QueryError('too-many-rows', `more than ${tenantLimits.exportSamples} samples in one file`)
      sets.push(set)
    }
  }
  if (sets.length === 0) throw new QueryError('not-found', `no profile of the capture ${record.id} is stored`)
  return sets
}

function found(record: CaptureRecord | undefined, id: string): CaptureRecord {
  if (record === undefined)
    throw new RequestError(404, 'not-found', `there is no capture ${JSON.stringify(id.slice(0, 60))}`)
  return record
}

function noTrigger(name: string): RequestError {
  return new RequestError(404, 'not-found', `there is no trigger ${JSON.stringify(name.slice(0, 80))}`)
}

function eventOf(request: Requests['sendEvent']): Event {
  const {
    type,
    category = 'MESSAGE',
    target,
    environment,
    params,
    values,
    text,
    content,
    ttlMs = USUAL_TTL_MS,
  } = request
  if (text !== undefined && content !== undefined)
    throw new RequestError(400, 'argument', 'text and content exclude each other')
  const bytes = text === undefined ? Buffer.from(content ?? '', 'base64') : Buffer.from(text, 'utf8')
  const contentType = request.contentType ?? (text === undefined ? '' : 'text/plain')
  return createEvent({
    id: randomUUID(),
    type,
    category: Category[category],
    ttl: ttlOfMs(ttlMs),
    ...(target === undefined ? {} : { target: createComponent(given(target)) }),
    ...(environment === undefined
      ? {}
      : { context: { platform: '', virtualEnvironment: environment, appDeployment: '', releaseManifest: '' } }),
    params: structOf(params, 'params'),
    values: structOf(values, 'values'),
    contentType,
    content: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length),
  })
}

const DEEPEST = 30

/** What was JSON is made of values that events can hold, unless it is too deep. */
function structOf(json: Readonly<Record<string, unknown>> = {}, name: string): Struct {
  if (depthOf(json) > DEEPEST) throw new BrokerError('invalid', `${name} is nested deeper than ${DEEPEST} levels`)
  return json as Struct
}

/** Level by level, since JSON may be as deep as it is long. */
function depthOf(value: unknown): number {
  let level: readonly unknown[] = [value]
  for (let depth = 0; ; depth++) {
    const next = level.flatMap((each): readonly unknown[] =>
      typeof each === 'object' && each !== null ? Object.values(each) : [],
    )
    if (next.length === 0 || depth > DEEPEST) return depth
    level = next
  }
}
