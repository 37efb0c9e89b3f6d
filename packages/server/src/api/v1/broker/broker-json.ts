// What is answered about the Broker as it is sent.
import type { Component, Event } from '@hearth/broker'
import { CATEGORY, msOfTtl } from '@hearth/broker'
import type { z } from 'zod'
import { kindName } from '../../../broker/telemetry/kind-name.ts'
import type { LiveComponent } from '../../../broker/components/live-component.ts'
import type { WatchedEvent } from '../../../broker/telemetry/watchers.ts'
import { environmentOf, instanceOf, serviceOf } from '../../../broker/captures/pick-instances.ts'
import type { DryRun } from '../../../broker/triggers/dry-run.ts'
import { LOOK_BACK_SECONDS } from '../../../broker/triggers/trigger-request.ts'
import type * as answers from '../broker-answers.ts'

type Json<Schema extends z.ZodType> = z.infer<Schema>

export function componentSent(live: LiveComponent, capturing: boolean): Json<typeof answers.componentRow> {
  const { component, profileTypes, attributes, routes, defaultHandler, since, load, remote } = live
  const lookBack = Number(attributes[LOOK_BACK_SECONDS] ?? 0)
  return {
    component: partsOf(component),
    service: serviceOf(live),
    instance: instanceOf(live),
    environment: environmentOf(live),
    profileTypes: [...profileTypes],
    ...(lookBack > 0 ? { lookBackSeconds: lookBack } : {}),
    attributes: { ...attributes },
    routes: routes.map(({ id, rule, priority }) => ({ id, rule, priority })),
    defaultHandler,
    since: new Date(since).toISOString(),
    load: { ...load },
    remote,
    capturing,
  }
}

function partsOf({ type, app, name, hash, id, brokerId }: Component): Json<typeof answers.brokerComponent> {
  return { type, app, name, hash, id, brokerId }
}

export function dryRunSent(run: DryRun, from: bigint, to: bigint): Json<typeof answers.dryRun> {
  const { examined, heldBack, examples, ...counts } = run
  return {
    from: from.toString(),
    to: to.toString(),
    examined: { ...examined },
    ...counts,
    heldBack: [...heldBack].map(([guard, count]) => ({ guard, count })),
    examples: examples.map(({ time, traceId, spanId, heldBack: guard, ...example }) => ({
      ...example,
      time: time.toString(),
      ...(traceId === '' ? {} : { traceId }),
      ...(spanId === '' ? {} : { spanId }),
      ...(guard === undefined ? {} : { heldBack: guard }),
    })),
  }
}

const CATEGORIES = new Map(Object.entries(CATEGORY.values).map(([name, value]) => [value as number, name]))

/** `longest`: content of more bytes is left out. */
export function eventSent(event: Event, longest: number): Json<typeof answers.brokerEvent> {
  const { id, parentId, type, category, createTime, ttl, context, parentSpan, source, target, contentType } = event
  const environment = context?.virtualEnvironment ?? ''
  return {
    id,
    ...(parentId === '' ? {} : { parentId }),
    type,
    category: (CATEGORIES.get(category) ?? 'UNKNOWN') as Json<typeof answers.brokerEvent>['category'],
    ...(createTime === 0n ? {} : { time: createTime.toString() }),
    ttlMs: msOfTtl(ttl),
    ...(environment === '' ? {} : { environment }),
    ...(parentSpan === undefined || parentSpan.traceId.length === 0
      ? {}
      : { traceId: hexOf(parentSpan.traceId), spanId: hexOf(parentSpan.spanId) }),
    ...(source === undefined ? {} : { source: partsOf(source) }),
    ...(target === undefined ? {} : { target: partsOf(target) }),
    params: { ...event.params },
    values: { ...event.values },
    contentType,
    ...contentSent(event, longest),
  }
}

function contentSent({ content, contentType }: Event, longest: number) {
  const contentBytes = content.length
  if (contentBytes === 0) return { contentBytes }
  if (contentBytes > longest) return { contentBytes, clipped: true }
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length)
  if (/^(?:text\/|application\/json)/i.test(contentType)) return { contentBytes, text: bytes.toString('utf8') }
  return { contentBytes, content: bytes.toString('base64') }
}

export function seenSent(
  { at, event, outcome, routeId, error, missed }: WatchedEvent,
  longest: number,
  more: number,
): Json<typeof answers.seenEvent> {
  return {
    at: at.toISOString(),
    outcome: kindName(outcome),
    ...(routeId === undefined ? {} : { route: routeId.toString() }),
    ...(error === undefined ? {} : { error }),
    missed: missed + more,
    event: eventSent(event, longest),
  }
}

function hexOf(id: Uint8Array): string {
  return Buffer.from(id).toString('hex')
}
