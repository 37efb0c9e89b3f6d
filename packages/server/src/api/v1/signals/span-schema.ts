// Schemas of the spans of a trace.
import { z } from 'zod'
import { SPAN_KINDS, SPAN_STATUSES } from '../../../query/signals/span-filter.ts'
import { ODDITY_NAMES } from '../../../query/signals/trace.ts'
import { count, hex, int64, nanoseconds, time } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'
import { attribute, container, droppedAttributes, flags } from './item-json.ts'

const traceState = z.string().optional().meta({ description: 'The W3C trace state as sent; missing if it is empty' })

export const spanProfiles = nameSchema(
  'SpanProfiles',
  z.strictObject({
    type: count.meta({ description: 'Row in the types of the trace' }),
    samples: count.meta({ description: 'The number of samples in the span itself' }),
    value: int64('The sum of their values'),
    subtreeSamples: count.meta({ description: 'The number of samples including all spans below it' }),
    subtreeValue: int64('The sum of their values'),
  }),
)

export const traceSpan = nameSchema(
  'TraceSpan',
  z.strictObject({
    spanId: hex('The id of the span'),
    parentSpanId: hex('The id of its parent; empty for roots'),
    parent: z.int().min(-1).meta({ description: 'Row of its parent; -1 at the top' }),
    depth: count,
    service: z.string(),
    name: z.string(),
    kind: z.enum(SPAN_KINDS),
    status: z.enum(SPAN_STATUSES),
    statusMessage: z.string().optional(),
    start: time('The start, as sent'),
    end: time('The end, as sent').optional(),
    duration: nanoseconds('The duration; 0 without an end'),
    self: nanoseconds('The duration without the time that its children cover'),
    oddities: z
      .array(z.enum(ODDITY_NAMES))
      .meta({ description: 'Irregularities; `notes` says what each means and how it is shown' }),
    skew: nanoseconds(
      'If clocks seem to differ: the offset that would center the span in its parent; not applied here',
    ).optional(),
    ...container,
    hiddenChildren: count.meta({ description: 'The number of children hidden by the limit' }),
    samples: z.array(spanProfiles).meta({ description: 'Samples that are linked to the span, by type' }),
    unlinked: z.array(spanProfiles).optional().meta({
      description: 'On request: samples without a link of its thread and time. They may belong to another span',
    }),
    attributes: z.array(attribute).optional(),
    events: z
      .array(
        z.strictObject({
          time: time('The time'),
          name: z.string(),
          attributes: z.array(attribute),
          droppedAttributes,
        }),
      )
      .optional(),
    links: z
      .array(
        z.strictObject({
          traceId: hex('The id of the trace'),
          spanId: hex('The id of the span'),
          attributes: z.array(attribute),
          traceState,
          flags,
          droppedAttributes,
        }),
      )
      .optional(),
    traceState,
    flags,
    droppedAttributes,
    droppedEvents: count.optional().meta({ description: 'The number of events that the sender dropped' }),
    droppedLinks: count.optional().meta({ description: 'The number of links that the sender dropped' }),
  }),
)
