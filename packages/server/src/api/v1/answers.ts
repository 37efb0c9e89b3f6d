// What is answered, as schemas. 64-bit numbers are decimal strings: JSON's own numbers end at 2^53. The types of the client
// and the OpenAPI document are made from these.
import { z } from 'zod'

export const whole = (description: string) =>
  z
    .string()
    .regex(/^-?\d+$/)
    .meta({ description })
export const amount = z.int().min(0)
const wholes = (description: string) => z.array(z.string().regex(/^-?\d+$/)).meta({ description })

/** An attribute's value as OTLP's JSON has it; an empty object where there is none. */
export const attributeValue = z.strictObject({
  stringValue: z.string().optional(),
  boolValue: z.boolean().optional(),
  intValue: z
    .string()
    .regex(/^-?\d+$/)
    .optional(),
  doubleValue: z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity'])]).optional(),
  bytesValue: z.base64().optional(),
  get arrayValue() {
    return z.strictObject({ values: z.array(attributeValue) }).optional()
  },
  get kvlistValue() {
    return z.strictObject({ values: z.array(z.strictObject({ key: z.string(), value: attributeValue })) }).optional()
  },
})

export const frame = z.strictObject({
  name: z.string(),
  file: z.string().optional(),
  line: whole('Where the grouping has lines').optional(),
  address: whole('Where the grouping has addresses').optional(),
  mapping: z.string().optional(),
  type: z.string().optional().meta({ description: 'profile.frame.type' }),
  attribute: z
    .string()
    .optional()
    .meta({ description: 'The attribute of which it is a value; there for what is no function, see root' }),
})

const measured = {
  type: z.string().meta({ description: 'Empty where nothing was found' }),
  unit: z.string(),
  temporality: z.enum(['delta', 'cumulative', 'unspecified']),
  profiles: amount.meta({ description: 'How many profiles it was made of' }),
  clamped: z.boolean().meta({ description: 'Whether a sample of a span counts as the limit of 64 bits' }),
}

export const hidden = z.strictObject({
  nodes: amount,
  self: whole('What the nodes left out have of the sum as their own'),
})

export const missing = z
  .strictObject({ stacks: amount, self: whole('What they have of the sum') })
  .meta({ description: 'Stacks of which not every name is stored: such frames have no name, or are not there' })

const shape = {
  parent: z.array(z.int().min(-1)).meta({ description: '-1 for roots; nodes are in depth-first order' }),
  frame: z.array(amount).meta({ description: 'Row in frames' }),
  hiddenChildren: z.array(amount).meta({ description: 'How many children the node budget left out' }),
}
const sums = { self: wholes('Of the frame by itself'), total: wholes('With what it called') }
const overflow = z.boolean().meta({ description: 'Whether a sum left the range of 64 bits' })

export const treeNodes = z.strictObject({ ...shape, ...sums })

export const flameGraph = z.strictObject({
  ...measured,
  order: z.enum(['root-first', 'leaf-first']),
  sum: whole('Of all samples'),
  overflow,
  hidden,
  missing,
  frames: z.array(frame),
  nodes: treeNodes,
})

export const topRow = z.strictObject({
  frame,
  self: whole('Of the frame by itself'),
  total: whole('With what it called'),
})

export const top = z.strictObject({
  ...measured,
  sum: whole('Of all samples'),
  overflow,
  missing,
  allFrames: amount.meta({ description: 'How many frames there are in all' }),
  rows: z.array(topRow),
})

export const sandwichTree = z.strictObject({ frames: z.array(frame), nodes: treeNodes, hidden })

export const sandwich = z.strictObject({
  ...measured,
  frame,
  sum: whole('Of all samples'),
  total: whole('Of the stacks that hold the frame'),
  overflow,
  missing,
  callers: sandwichTree,
  callees: sandwichTree,
})

const scaled = z.array(z.string().regex(/^-?\d+(\.\d+)?(e[+-]\d+)?$/)).meta({
  description: 'Whole, unless values were scaled',
})

export const diffSide = z.strictObject({
  ...measured,
  sum: whole('As it was found, not scaled'),
  overflow,
  hidden,
  missing,
  self: scaled,
  total: scaled,
})

export const diff = z.strictObject({
  order: z.enum(['root-first', 'leaf-first']),
  scale: z.number().meta({ description: 'What values before were multiplied by' }),
  before: diffSide,
  after: diffSide,
  frames: z.array(frame),
  nodes: z.strictObject({
    ...shape,
    presence: z.array(z.int().min(1).max(3)).meta({ description: '1: only before, 2: only after, 3: both' }),
    selfDelta: scaled,
    totalDelta: scaled,
  }),
})

const hexId = z.string().meta({ description: 'Hex; empty where it has none' })

export const seriesGroup = z.strictObject({
  labels: z.array(attributeValue).meta({ description: 'One for each of groupBy' }),
  points: z.array(
    z.strictObject({
      time: whole('Where the step begins, in nanoseconds since 1970'),
      value: z.number(),
      sum: whole('Exact whatever its size'),
      profiles: amount,
    }),
  ),
  exemplars: z
    .array(
      z.strictObject({
        profile: z.string().meta({ description: 'To ask for it whole' }),
        time: whole('Nanoseconds since 1970'),
        sum: whole(''),
        profileId: hexId,
        traceId: hexId,
        spanId: hexId,
      }),
    )
    .meta({ description: 'The largest profiles, each with the span of its largest sample that has one' }),
})

export const series = z.strictObject({
  ...measured,
  step: whole('Nanoseconds'),
  aggregation: z.enum(['sum', 'rate', 'average', 'count']),
  groupBy: z.array(z.string()),
  overflow,
  groups: z.array(seriesGroup),
})

export const profileTypes = z.strictObject({
  profileTypes: z.array(
    z.strictObject({
      type: z.string(),
      unit: z.string(),
      periodType: z.string(),
      periodUnit: z.string(),
      temporality: measured.temporality,
      profiles: amount,
      series: amount,
      first: whole('Time of the first profile, in nanoseconds since 1970'),
      last: whole('and of the last'),
    }),
  ),
})

export const services = z.strictObject({
  services: z.array(
    z.strictObject({
      service: z.string().meta({ description: 'Empty for resources without a name' }),
      profiles: amount,
      types: z.array(z.string()).meta({ description: 'type:unit' }),
    }),
  ),
})

const truncated = z.boolean().meta({ description: 'Whether there are more' })
const next = z.string().optional().meta({ description: '`after` for the next page' })

export const attributes = z.strictObject({
  attributes: z.array(
    z.strictObject({ key: z.string(), levels: z.array(z.enum(['resource', 'scope', 'profile', 'sample'])) }),
  ),
  truncated,
  next,
})

export const attributeValues = z.strictObject({
  values: z.array(z.strictObject({ text: z.string(), value: attributeValue })),
  truncated,
  next,
})

export const profileRow = z.strictObject({
  profile: z.string().meta({ description: 'To ask for it whole' }),
  service: z.string(),
  type: z.string(),
  unit: z.string(),
  periodType: z.string(),
  periodUnit: z.string(),
  period: whole(''),
  time: whole('Nanoseconds since 1970'),
  duration: whole('Nanoseconds'),
  profileId: hexId,
  total: whole('Of all its samples'),
  overflowed: z.boolean().meta({ description: 'Whether the total is held at the limit of 64 bits' }),
  samples: amount,
  observations: amount,
})

export const profiles = z.strictObject({
  profiles: z.array(profileRow).meta({ description: 'The latest first' }),
  next,
})

export const events = z.strictObject({
  from: whole('Where the range begins, in nanoseconds since 1970'),
  to: whole('and where it ends'),
  profiles: amount.meta({ description: 'Profiles that begin in the range' }),
  untimed: amount.meta({ description: 'Those of them whose samples have no times, and so no part in this' }),
  kinds: z.array(
    z.strictObject({
      type: z.string(),
      unit: z.string(),
      periodType: z.string(),
      periodUnit: z.string(),
      period: whole('The longest of the profiles; 0 where it is not known'),
    }),
  ),
  resources: z.array(
    z.strictObject({
      id: whole('Tells processes apart'),
      service: z.string(),
      attributes: z.array(z.strictObject({ key: z.string(), text: z.string() })).meta({
        description: 'Of the process: service.instance.id, host.name, k8s.pod.name, container.id, process.pid',
      }),
    }),
  ),
  threads: z.array(
    z.strictObject({
      key: z.string().meta({ description: 'What questions choose it by' }),
      resource: amount.meta({ description: 'Row in resources' }),
      process: z.string().meta({ description: 'process.pid of its samples; empty where they do not say' }),
      id: attributeValue.meta({ description: 'thread.id' }),
      name: attributeValue.meta({ description: 'thread.name' }),
      events: amount.meta({ description: 'How many are given' }),
    }),
  ),
  states: z.array(z.string()).meta({ description: 'thread.state; the first is empty, for events that do not say' }),
  links: z
    .array(z.strictObject({ traceId: z.string(), spanId: z.string() }))
    .meta({ description: 'Spans, in hex; the first is empty, for events of none' }),
  events: amount.meta({ description: 'How many there are in the range' }),
  every: amount.meta({ description: 'One in so many is given; 1 for all' }),
  longest: whole(
    'Nanoseconds: what is measured in time and at least as long is given whatever `every` says; 0 for none',
  ),
  hiddenThreads: amount.meta({ description: 'Threads with fewer events than the 10,000 given, left out with theirs' }),
  outside: z
    .strictObject({
      given: amount.meta({ description: 'Among those given' }),
      elsewhere: amount.meta({ description: 'Of profiles of the range, but not in the range' }),
      first: whole('of those, in nanoseconds since 1970'),
      last: whole('of those, in nanoseconds since 1970'),
    })
    .meta({ description: 'Events outside the time that their profile says it is of' }),
  missing,
  thread: z.array(amount).meta({ description: 'Row in threads; events are ordered by thread and time' }),
  kind: z.array(amount).meta({ description: 'Row in kinds' }),
  time: wholes('Nanoseconds since 1970'),
  value: wholes('In the unit of the kind; where that is one of time, how long it took'),
  node: z.array(z.int().min(-1)).meta({ description: "Where the event's stack ends" }),
  state: z.array(amount).meta({ description: 'Row in states' }),
  cpu: z.array(z.int().min(-1)).meta({ description: 'The logical number; -1 where it is not known' }),
  link: z.array(amount).meta({ description: 'Row in links' }),
  parent: z.array(z.int().min(-1)).meta({ description: 'Of each node, -1 for roots' }),
  frame: z.array(amount).meta({ description: "Each node's row in frames" }),
  frames: z.array(frame),
})

export const heatMap = z.strictObject({
  ...measured,
  column: whole('Nanoseconds'),
  rows: amount,
  origin: whole('Where column 0 begins, in nanoseconds since 1970: at a multiple of `column`'),
  x: z.array(amount).meta({ description: 'Column of each cell that is not empty' }),
  y: z.array(amount).meta({ description: 'and its row, 0 being the first part of the column' }),
  count: z.array(z.number()).meta({ description: 'How many observations' }),
  value: z.array(z.number()).meta({ description: 'The sum of their values' }),
})

const rate = z.number().min(0)
const bytes = (description: string) => z.int().min(0).meta({ description })

/** What is of all tenants. */
export const serverStatus = z.strictObject({
  traffic: z
    .array(
      z.strictObject({
        signal: z.string(),
        requests: amount,
        bytes: bytes('Uncompressed'),
        requestsPerSecond: rate,
        bytesPerSecond: rate,
      }),
    )
    .meta({ description: 'Since the server began, and over the last minute' }),
  samples: z.strictObject({ received: amount, perSecond: rate }).meta({ description: 'Of profiles' }),
  transports: z.array(
    z.strictObject({ signal: z.string(), transport: z.string(), encoding: z.string(), requests: amount }),
  ),
  generations: z
    .array(z.strictObject({ client: z.string(), generation: z.string(), requests: amount }))
    .meta({ description: 'Of the format of profiles, by who sent them' }),
  rejected: z
    .array(z.strictObject({ signal: z.string(), reason: z.string(), items: amount }))
    .meta({ description: 'Items of requests that could not be kept' }),
  refused: z
    .array(z.strictObject({ signal: z.string(), reason: z.string(), requests: amount }))
    .meta({ description: 'Requests that were not taken' }),
  duplicates: amount.meta({ description: 'Requests that had been committed before' }),
  store: z.strictObject({
    kind: z.enum(['embedded', 'clickhouse']),
    bytes: bytes('On disk').optional(),
    tables: z.array(z.strictObject({ table: z.string(), bytes: bytes('On disk') })),
    freeDiskBytes: bytes('Where the journal is'),
  }),
  queue: z.strictObject({
    receivingBytes: bytes('Of requests that are not answered yet'),
    inFlightBytes: bytes('Of requests and their rows, not committed yet'),
    journalBytes: bytes('Committed, and not taken by the store yet'),
    journalGroups: amount.meta({ description: 'Commits that the store has not taken yet' }),
    journalOldestSeconds: z.number().min(0),
    asideGroups: amount.meta({ description: 'Commits set aside: refused or damaged' }),
  }),
  questions: z.strictObject({ running: amount, waiting: amount }),
})

export const status = z.strictObject({
  version: z.string(),
  started: z.iso.datetime(),
  ready: z.boolean().meta({ description: 'Whether requests are taken' }),
  problems: z.array(z.strictObject({ code: z.string(), message: z.string(), since: z.string() })),
  receivers: z
    .array(z.strictObject({ name: z.string(), host: z.string(), port: amount, tls: z.boolean() }))
    .meta({ description: 'Where profiles and other signals are sent to' }),
  tenant: z.string(),
  retention: z
    .array(
      z.strictObject({
        signal: z.string(),
        seconds: z.number().optional().meta({ description: 'How long it is kept' }),
        bytes: z.number().optional().meta({ description: 'How much of it is kept' }),
      }),
    )
    .meta({ description: "The tenant's; what is not limited is left out" }),
  limits: z
    .strictObject({
      seconds: z.number(),
      memoryBytes: amount,
      rows: amount,
      nodes: amount,
      exportSamples: amount,
      running: amount,
      waiting: amount,
    })
    .meta({ description: "Of the tenant's questions" }),
  server: serverStatus.optional(),
})

export const failure = z.strictObject({
  error: z.strictObject({
    code: z.string().meta({ description: 'Few and stable, as syntax or not-found' }),
    message: z.string(),
    position: amount.optional().meta({ description: 'Where in the selector, in UTF-16 units' }),
  }),
})
