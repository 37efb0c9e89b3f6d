// Single observations for timelines.
import { LANE_KINDS } from '@hearth/profile'
import { z } from 'zod'
import type { Events } from '../../../query/events/events.ts'
import { events as queryEvents } from '../../../query/events/events.ts'
import { defineQuery } from '../endpoint.ts'
import { rejectUnknownKeys } from '../request/check-keys.ts'
import * as parameters from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { queryOf } from '../request/request-context.ts'
import { attributeValue, count, int64, int64List, time, valueJson } from '../response/fields.ts'
import type { Serialized } from '../response/response-columns.ts'
import { FrameColumn, Int64Column, NumberColumn } from '../response/response-columns.ts'
import { frame, missing, missingJson } from './tree-json.ts'

const eventsResponse = z.strictObject({
  from: time('The start of the range'),
  to: time('The end of the range'),
  profiles: count.meta({ description: 'Profiles that start in the range' }),
  untimed: count.meta({
    description: 'Profiles among them whose samples have no timestamps; their samples are skipped',
  }),
  kinds: z.array(
    z.strictObject({
      type: z.string(),
      unit: z.string(),
      clock: z
        .enum(['cpu', 'wall'])
        .meta({ description: 'The clock of the samples; a wall clock also samples threads that wait or are idle' }),
      periodType: z.string(),
      periodUnit: z.string(),
      period: int64('The longest period of the profiles; 0 if unknown'),
    }),
  ),
  resources: z.array(
    z.strictObject({
      id: int64('Identifies the process'),
      service: z.string(),
      attributes: z.array(z.strictObject({ key: z.string(), text: z.string() })).meta({
        description:
          'Attributes of the process: service.instance.id, host.name, k8s.pod.name, container.id, process.pid',
      }),
    }),
  ),
  threads: z.array(
    z.strictObject({
      key: z.string().meta({ description: 'The value for the parameter `threads`' }),
      resource: count.meta({ description: 'Row in resources' }),
      process: z.string().meta({ description: 'process.pid of its samples; empty if unknown' }),
      id: attributeValue.meta({ description: 'thread.id, or the id of the goroutine or processor' }),
      name: attributeValue.meta({ description: 'thread.name' }),
      events: count.meta({ description: 'The number of its events in the response' }),
    }),
  ),
  lanes: z.array(z.enum(LANE_KINDS)).meta({ description: 'The values of the parameter `lanes` that events name' }),
  states: z.array(z.string()).meta({ description: 'thread.state; the first is empty, for events without a state' }),
  links: z
    .array(z.strictObject({ traceId: z.string(), spanId: z.string() }))
    .meta({ description: 'Spans, in hex; the first is empty, for events without a span' }),
  events: count.meta({ description: 'The number of events in the range' }),
  every: count.meta({ description: 'The response contains one in this many events; 1 for all' }),
  longest: int64(
    'Nanoseconds: intervals of at least this length are in the response whatever `every` is; 0 if none are',
  ),
  hiddenThreads: count.meta({
    description: 'Threads beyond the 10,000 with the most events; their events are omitted',
  }),
  outside: z
    .strictObject({
      given: count.meta({ description: 'In the response' }),
      elsewhere: count.meta({ description: 'In profiles of the range, but outside the range' }),
      first: time('The first of those'),
      last: time('The last of those'),
    })
    .meta({ description: 'Events outside the time range that their profile states' }),
  missing,
  thread: z.array(count).meta({ description: 'Row in threads; events are sorted by thread and time' }),
  kind: z.array(count).meta({ description: 'Row in kinds' }),
  time: int64List('Nanoseconds since 1970'),
  value: int64List('In the unit of the kind; if that is a unit of time, the duration'),
  node: z.array(z.int().min(-1)).meta({ description: "The node of the event's leaf frame" }),
  state: z.array(count).meta({ description: 'Row in states' }),
  cpu: z.array(z.int().min(-1)).meta({ description: 'The logical CPU; -1 if unknown' }),
  link: z.array(count).meta({ description: 'Row in links' }),
  parent: z.array(z.int().min(-1)).meta({ description: 'The parent of each node; -1 for roots' }),
  frame: z.array(count).meta({ description: 'The row in frames of each node' }),
  frames: z.array(frame),
})

export const events = defineQuery({
  name: 'events',
  path: '/events',
  summary: 'Single observations by thread, goroutine or processor, for timelines',
  request: z.strictObject({
    ...parameters.selection,
    threads: parameters.threads,
    unlinked: parameters.unlinked,
    ...parameters.spans,
    ...parameters.frames,
    types: z
      .array(z.string().max(4096))
      .max(100)
      .optional()
      .meta({ description: 'Profile types, such as cpu:ns, instead of the type in the selector; default: any' }),
    limit: parameters.limit(
      10_000_000,
      'Maximum number of events; if there are more, the response contains every nth. Without it, more events than the row limit are an error',
    ),
    lanes: z.enum(LANE_KINDS).optional().meta({
      description:
        'The lanes in `threads` of the response: threads, or goroutines (go.goroutine.id) or processors (go.proc.id) of the Go scheduler; default: thread',
    }),
    reaching: parameters.flag(
      'Include intervals that start before the range and reach into it, with their full time and length; see `exact` of /flamegraph. Default: only events that start in the range',
    ),
  }),
  response: eventsResponse,
  columns: true,
  async handle(context, request) {
    const { by, inlined, addresses, types, limit, lanes, reaching } = request
    const query = queryOf(context, request)
    const found = await queryEvents(
      context.queries,
      query,
      defined({ by, inlined, addresses, types, limit, lanes, reaching }),
    )
    if (found.profiles + found.length === 0) await rejectUnknownKeys(context, query)
    return eventsJson(found)
  },
})

function eventsJson(found: Events): Serialized<z.infer<typeof eventsResponse>> {
  const { profiles, untimed, states, links, every, hiddenThreads, outside } = found
  return {
    from: found.from.toString(),
    to: found.to.toString(),
    profiles,
    untimed,
    kinds: found.kinds.map(kind => ({ ...kind, period: kind.period.toString() })),
    resources: found.resources.map(({ id, service, attributes }) => ({
      id: id.toString(),
      service,
      attributes: [...attributes],
    })),
    threads: found.threads.map(thread => ({ ...thread, id: valueJson(thread.id), name: valueJson(thread.name) })),
    lanes: [...found.lanes],
    states: [...states],
    links: [...links],
    events: found.events,
    every,
    longest: found.longest.toString(),
    hiddenThreads,
    outside: { ...outside, first: outside.first.toString(), last: outside.last.toString() },
    missing: missingJson(found.missing),
    thread: new NumberColumn(found.thread),
    kind: new NumberColumn(found.kind),
    time: new Int64Column(found.time),
    value: new Int64Column(found.value),
    node: new NumberColumn(found.node),
    state: new NumberColumn(found.state),
    cpu: new NumberColumn(found.cpu),
    link: new NumberColumn(found.link),
    parent: new NumberColumn(found.parent),
    frame: new NumberColumn(found.frame),
    frames: new FrameColumn(found.frames),
  }
}
