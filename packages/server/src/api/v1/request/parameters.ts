// Schemas of parameters that several endpoints have. Parameters come in the query string or as a JSON object.
import { SNAPSHOT_MODES } from '@hearth/profile'
import { z } from 'zod'
import { nameSchema } from '../response/schema-names.ts'

export const text = (description: string) => z.string().max(65_536).optional().meta({ description })
export const limit = (max: number, description: string) => z.int().min(1).max(max).optional().meta({ description })
export const flag = (description: string) => z.boolean().optional().meta({ description })

export const TIME = 'RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h'
export const receivedBefore = text(
  `Only data that the server received before this time: ${TIME}. Requests with the same range and the same value see the same data. On a ClickHouse store, which other servers may write to, the limit is 5 s earlier. If the store is behind, the limit is earlier still; the response header Hearth-Received-Before has it in nanoseconds`,
)
export const after = text('`next` of the previous page')
export const step = text('The length of a step, such as 15s or 1m; default: a hundredth of the range, in whole seconds')
export const groupBy = z
  .array(z.string().max(4096))
  .max(8)
  .optional()
  .meta({ description: 'Attributes, such as service.name' })
export const format = text('A format that Hearth writes, such as pprof or otlp-json; default: otlp')

/** Selects profiles. */
export const selection = {
  selector: text('Such as cpu:ns {service.name="checkout"} | frame "gc"; default: everything'),
  from: text(`Only profiles that start at or after this time: ${TIME}; default: now-1h`),
  to: text('Only profiles that start before this time; default: now'),
  receivedBefore,
}

export const snapshots = z
  .enum(SNAPSHOT_MODES)
  .optional()
  .meta({
    description:
      'How snapshots of a state (live heap, goroutines) are combined over time for each instance; instances are added up. ' +
      'average (the default), latest, maximum, or sum of all snapshots',
  })

/** Selects samples by trace and span. */
export const spans = {
  traceId: text('Only samples of this trace: 32 hex digits'),
  spanId: text('Only samples of this span of the trace: 16 hex digits'),
  subtree: flag('Include the spans below that span'),
}

export const threads = z
  .array(z.string().max(4096))
  .max(10_000)
  .optional()
  .meta({ description: 'Only samples of these threads, by the `key` that /events returns' })

export const unlinked = flag('Only samples without a span; requires exact')

/** Selects samples by their own times. */
export const observed = {
  exact: flag(
    'Apply the range to observations instead of profiles: a sample counts as often as its timestamps are in the range, and a sample without timestamps does not count. ' +
      "An interval, which is measured in time and longer than its profile's period, counts by its share in the range, if its profile starts within ten minutes of the range or overlaps it",
  ),
  threads,
}

export const frames = {
  by: z
    .enum(['function', 'line', 'address', 'file', 'mapping', 'frame-type'])
    .optional()
    .meta({ description: 'The properties that identify a frame; default: function' }),
  inlined: flag('Whether inlined calls are frames of their own; default: true'),
  addresses: flag(
    'Whether frames without a name are distinguished by address; default: those of a library are one frame, such as [libc.so.6]',
  ),
}

/** For trees, tables of frames and files with stacks. */
export const times = flag(
  'Return counts of samples as times, such as CPU time, if all profiles state the period of their samples; default: false',
)
export const root = z.array(z.string().max(4096)).max(8).optional().meta({
  description: 'Attributes, such as thread.name, whose values become frames at the root of the stacks, outermost first',
})
/** The stacks of a flame graph, a top table or a sandwich. */
export const stacks = { ...selection, snapshots, times, ...observed, unlinked, ...spans, ...frames, root }
export const nodes = limit(1_000_000, 'Maximum number of nodes; the largest are kept; default: 16384')
export const order = z
  .enum(['root-first', 'leaf-first'])
  .optional()
  .meta({ description: 'The end of the stacks at the top; default: root-first' })

/** The number of nodes that fit on a screen. */
export const DEFAULT_NODES = 16_384

export const selectionRequest = nameSchema('SelectionRequest', z.strictObject(selection))

type Values<Shape extends Readonly<Record<string, z.ZodType>>> = {
  readonly [Key in keyof Shape]?: z.infer<Shape[Key]>
}
export type SelectionRequest = z.infer<typeof selectionRequest>
export type ObservedRequest = Values<typeof observed & { readonly unlinked: typeof unlinked }>
export type SpanRequest = Values<typeof spans>
export type SnapshotRequest = Values<{ readonly snapshots: typeof snapshots; readonly times: typeof times }>
