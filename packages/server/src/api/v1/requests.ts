// What may be asked: the parameters of every endpoint, as a query string or as a JSON object.
import { z } from 'zod'

export const text = (description: string) => z.string().max(65_536).optional().meta({ description })
export const count = (most: number, description: string) => z.int().min(1).max(most).optional().meta({ description })
export const yes = (description: string) => z.boolean().optional().meta({ description })

export const TIME = 'RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h'

const range = {
  from: text(`Profiles that begin from here on: ${TIME}; now-1h unless given`),
  to: text(`and before this; now unless given`),
}

const selection = {
  selector: text('As cpu:ns {service.name="checkout"} | frame "gc"; everything unless given'),
  ...range,
}

const spans = {
  traceId: text('Only samples of this trace: 32 hex digits'),
  spanId: text('Only samples of this span of the trace: 16 hex digits'),
  subtree: yes('Of the spans below that span too'),
}

const threads = z
  .array(z.string().max(4096))
  .max(10_000)
  .optional()
  .meta({ description: 'Only samples of these threads, by `key` of the answer to events' })

const unlinked = yes('Of an exact range only what says of no span')

const observed = {
  exact: yes(
    'Takes the range as one of observations instead of profiles: samples count by those of their times that are in it, and not at all without times. ' +
      "Intervals, which are measured in time and longer than their profile's period, count by what of them is in it, as far as their profile begins no more than ten minutes away from the range or reaches it",
  ),
  threads,
}

export const frames = {
  by: z
    .enum(['function', 'line', 'address', 'file', 'mapping', 'frame-type'])
    .optional()
    .meta({ description: 'What counts as one frame; function unless given' }),
  inlined: yes('Whether inlined calls are frames of their own; true unless given'),
}

/** Of trees and tables of frames, and of files with stacks. */
export const root = z.array(z.string().max(4096)).max(8).optional().meta({
  description:
    'Attributes whose values stand at the root of the stacks as frames of their own, outermost first, as thread.name',
})

export const nodes = count(1_000_000, 'How many nodes at the most, of which the largest stay; 16384 unless given')
export const order = z
  .enum(['root-first', 'leaf-first'])
  .optional()
  .meta({ description: 'Which end of the stacks is at the top; root-first unless given' })
const format = text('A format that Hearth writes, as pprof or otlp-json; otlp unless given')
const listing = {
  prefix: text('Only those that begin with this'),
  limit: count(100_000, 'How many at the most; 1000 unless given'),
  after: text('`next` of the page before'),
}

export const selectionRequest = z.strictObject(selection)
export const flameGraphRequest = z.strictObject({
  ...selection,
  ...observed,
  unlinked,
  ...spans,
  ...frames,
  root,
  order,
  nodes,
})
export const topRequest = z.strictObject({
  ...selection,
  ...observed,
  unlinked,
  ...spans,
  ...frames,
  root,
  sort: z.enum(['self', 'total']).optional().meta({ description: 'Which value decides; self unless given' }),
  limit: count(1_000_000, 'How many rows at the most; 1000 unless given'),
})
export const sandwichRequest = z.strictObject({
  ...selection,
  ...observed,
  unlinked,
  ...spans,
  ...frames,
  root,
  function: z.string().max(65_536).meta({ description: "The frame's name" }),
  file: text("The frame's file, where several have that name"),
  nodes,
})
export const diffRequest = z.strictObject({
  ...selection,
  ...observed,
  ...spans,
  beforeSelector: text('What to compare with; the same selector unless given'),
  beforeFrom: text('The range to compare with; unless given as long a one, right before'),
  beforeTo: text('Where that range ends; `from` unless given'),
  ...frames,
  root,
  order,
  nodes,
  normalise: yes('Scales the values before to the sum after, so that shares are compared'),
})
export const seriesRequest = z.strictObject({
  ...selection,
  ...spans,
  step: text('The length of a step, as 15s or 1m; a hundredth of the range, in whole seconds, unless given'),
  groupBy: z.array(z.string().max(4096)).max(8).optional().meta({ description: 'Attributes, as service.name' }),
  aggregation: z
    .enum(['sum', 'rate', 'average', 'count'])
    .optional()
    .meta({ description: 'sum unless given; rate is by second, average by profile, count is of profiles' }),
  exemplars: count(1000, 'How many profiles each group names; none unless given'),
})
export const attributesRequest = z.strictObject({ ...selection, ...listing })
export const profilesRequest = z.strictObject({
  ...selection,
  limit: count(10_000, 'How many at the most; 100 unless given'),
  after: text('`next` of the page before'),
})
export const profileRequest = z.strictObject({ format })
export const exportRequest = z.strictObject({
  ...selection,
  ...observed,
  ...spans,
  root,
  format,
  stream: yes(
    'Sends profiles as they are read, however many: otlp as the length-prefixed messages that the Collector writes, otlp-json and folded line by line; other formats are refused',
  ),
})
export const statusRequest = z.strictObject({})
export const eventsRequest = z.strictObject({
  ...selection,
  threads,
  unlinked,
  ...spans,
  ...frames,
  types: z
    .array(z.string().max(4096))
    .max(100)
    .optional()
    .meta({ description: "Types of profiles, as cpu:ns, instead of the selector's one; any unless given" }),
  limit: count(
    10_000_000,
    'How many at the most: of more, one in so many is given. Unless given, more than the limit of rows are refused',
  ),
  reaching: yes(
    'Also intervals that begin before the range and reach into it, with the time and the length that they have; see `exact` of /flamegraph. Without it, what begins in the range',
  ),
})
export const heatMapRequest = z.strictObject({
  ...selection,
  threads,
  unlinked,
  ...spans,
  column: text('The length of a column; 1s unless given'),
  rows: count(1000, 'How many rows a column has; 50 unless given'),
})

export type SelectionRequest = z.infer<typeof selectionRequest>
export type ObservedRequest = { readonly [Key in keyof typeof observed]?: z.infer<(typeof observed)[Key]> } & {
  readonly unlinked?: z.infer<typeof unlinked>
}
export type SpanRequest = { readonly [Key in keyof typeof spans]?: z.infer<(typeof spans)[Key]> }
