// A trigger captures a profile of the process that sent telemetry matching its rule. These schemas define the API and the
// state file.
import { z } from 'zod'

export const MAX_TRIGGERS = 100
const MAX_RULE_LENGTH = 4096
const HOUR_MS = 3_600_000

/** Default values. One capture per instance and minute is cheap, whatever the rule. */
export const TRIGGER_DEFAULTS = {
  type: 'cpu',
  durationMs: 10_000,
  lookBack: true,
  spanOnly: false,
  coolDownMs: 60_000,
  percentage: 100,
  enabled: true,
} as const

export const triggerName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'a name must have 1 to 63 letters, digits, dots, dashes or underscores')
  .meta({ description: 'Unique name: letters, digits, dots, dashes and underscores' })

const fields = {
  rule: z
    .string()
    .min(1)
    .max(MAX_RULE_LENGTH)
    .meta({ description: 'For example Source(`checkout`) && SpanSlower(800)' }),
  type: z.string().min(1).max(64).meta({ description: 'Profile type, for example cpu or heap; default cpu' }),
  durationMs: z
    .int()
    .min(1)
    .max(600_000)
    .meta({ description: 'Duration of a capture that does not look back; default 10000' }),
  frequencyHz: z.number().positive().max(10_000).optional().meta({
    description: "Samples per second of a capture that does not look back; default: each process's own rate",
  }),
  lookBack: z.boolean().meta({
    description:
      'Whether to look back at the span itself if the process still has its samples, instead of recording; default true',
  }),
  spanOnly: z.boolean().meta({ description: 'Whether to capture only samples of the matching span; default false' }),
  coolDownMs: z
    .int()
    .min(0)
    .max(24 * HOUR_MS)
    .meta({ description: 'Minimum time between two captures of an instance by this trigger; default 60000' }),
  percentage: z
    .number()
    .positive()
    .max(100)
    .meta({ description: 'Percentage of matches that start a capture; default 100' }),
  budgetPerHour: z.int().positive().optional().meta({
    description:
      'Captures it may start per hour, for all instances together; at most what the setting trigger-budget allows all triggers of the tenant, which is the default',
  }),
  enabled: z.boolean().meta({ description: 'Default true' }),
  description: z.string().max(1024).optional().meta({ description: 'A note for users' }),
} as const

/** A trigger in the state file and in responses. */
export const trigger = z.strictObject({
  name: triggerName,
  ...fields,
  created: z.iso.datetime(),
  changed: z.iso.datetime(),
})

/** A trigger in a request. Properties with a default are optional. */
export const triggerSpec = z.strictObject({
  ...fields,
  type: fields.type.optional(),
  durationMs: fields.durationMs.optional(),
  lookBack: fields.lookBack.optional(),
  spanOnly: fields.spanOnly.optional(),
  coolDownMs: fields.coolDownMs.optional(),
  percentage: fields.percentage.optional(),
  enabled: fields.enabled.optional(),
})

export type Trigger = z.infer<typeof trigger>
export type TriggerSpec = z.infer<typeof triggerSpec>

export const triggerFile = z.strictObject({ triggers: z.array(trigger).max(MAX_TRIGGERS) })

/** The name is taken or a limit is exceeded. */
export class TriggerError extends Error {
  override readonly name = 'TriggerError'
  readonly fault: 'conflict' | 'limit'

  constructor(fault: 'conflict' | 'limit', message: string) {
    super(message)
    this.fault = fault
  }
}

export function triggerOf(name: string, spec: TriggerSpec, now: Date, created = now.toISOString()): Trigger {
  const given = Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined))
  return {
    ...TRIGGER_DEFAULTS,
    ...(given as TriggerSpec & typeof given),
    name,
    created,
    changed: now.toISOString(),
  } as Trigger
}
