// A finding: a function of a service that costs significantly more than before. These schemas define the API and the state file.
import { z } from 'zod'

export const FINDING_STATES = ['open', 'accepted', 'fixed'] as const
export type FindingState = (typeof FINDING_STATES)[number]

const shares = z.strictObject({
  before: z.number().meta({ description: 'Share of the total, from 0 to 1' }),
  after: z.number(),
  margin: z.number().meta({ description: 'Half the width of the 95 % confidence interval of the change' }),
  q: z.number().meta({ description: 'False discovery rate' }),
})

export const findingFunction = z.strictObject({
  name: z.string(),
  file: z.string().meta({ description: 'Empty if it is unknown' }),
  self: shares,
  total: shares,
})

const range = z.strictObject({
  selector: z.string(),
  from: z.string().meta({ description: 'Nanoseconds since 1970' }),
  to: z.string().meta({ description: 'Nanoseconds since 1970' }),
})

const historyEntry = z.strictObject({
  time: z.iso.datetime(),
  event: z.enum(['opened', 'confirmed', 'accepted', 'fixed', 'reopened']),
  change: z.number().optional().meta({ description: 'In the unit of the finding' }),
  margin: z.number().optional(),
  by: z.string().optional().meta({ description: 'The caller; missing if the server decided' }),
  note: z.string().optional(),
})

const environment = z
  .strictObject({ key: z.string(), value: z.string() })
  .optional()
  .meta({ description: 'The attribute of the environment, such as deployment.environment.name=production' })

export const findingSchema = z.strictObject({
  id: z.string(),
  service: z.string(),
  environment,
  type: z.string().meta({ description: 'Profile type, as in selectors: cpu:ns' }),
  comparison: z.enum(['version', 'deployment', 'day']).meta({
    description:
      'version: a version against the one before. deployment: after against before a deployment. day: an hour against the same hour of yesterday and of last week',
  }),
  cause: findingFunction.meta({ description: 'The function where the change enters' }),
  callers: z.array(z.string()).meta({ description: 'Other candidates, nearest caller first' }),
  functions: z.array(findingFunction).meta({ description: 'Functions with a significant increase, the cause first' }),
  decreased: z.array(z.string()).meta({ description: 'Functions whose cost moved to the cause' }),
  change: z.number().meta({ description: 'In `unit`' }),
  margin: z.number().meta({ description: 'Half the width of the 95 % confidence interval' }),
  before: z.number().meta({ description: 'The value without the change, in `unit`' }),
  unit: z.string().meta({ description: 'cores, B/s, B, 1/s, …' }),
  q: z.number().meta({ description: 'False discovery rate' }),
  detectable: z.number().optional().meta({
    description:
      'The smallest change that the comparison could have found in a function with 1 % of the total, as a share',
  }),
  since: z.iso.datetime(),
  version: z.string().meta({ description: 'Empty if it is unknown' }),
  previousVersion: z.string(),
  baseline: range,
  current: range,
  traces: z.array(z.string()).meta({ description: 'Ids of traces that contain the cause, in hex' }),
  state: z.enum(FINDING_STATES),
  opened: z.iso.datetime(),
  changed: z.iso.datetime(),
  history: z.array(historyEntry),
})

export type Finding = z.infer<typeof findingSchema>
export type FindingFunction = z.infer<typeof findingFunction>
export type FindingHistoryEntry = z.infer<typeof historyEntry>

export const deploymentSchema = z.strictObject({
  service: z.string().min(1).max(1024),
  time: z.iso.datetime(),
  version: z.string().max(1024),
})
export type Deployment = z.infer<typeof deploymentSchema>

const cursor = z.strictObject({
  /** The version or deployment that was compared, and the number of comparisons. */
  version: z.string(),
  looks: z.number(),
  /** The last compared hour, in hours since 1970. */
  hour: z.number(),
})
export type Cursor = z.infer<typeof cursor>

const comparisonState = z.strictObject({
  service: z.string(),
  environment,
  type: z.string(),
  comparison: z.string(),
  version: z.string(),
  previousVersion: z.string(),
  time: z.iso.datetime(),
  observations: z.array(z.number()),
  instances: z.array(z.number()),
  variation: z.number(),
  detectable: z.number().optional(),
  found: z.number(),
})
/** The last comparison of a service and type: what it could have seen. */
export type ComparisonState = z.infer<typeof comparisonState>
export const comparisonSchema = comparisonState

export const findingFile = z.strictObject({
  findings: z.array(findingSchema),
  deployments: z.array(deploymentSchema),
  cursors: z.record(z.string(), cursor),
  comparisons: z.record(z.string(), comparisonState),
})
export type FindingFile = z.infer<typeof findingFile>

export const EMPTY_FINDINGS: FindingFile = { findings: [], deployments: [], cursors: {}, comparisons: {} }
