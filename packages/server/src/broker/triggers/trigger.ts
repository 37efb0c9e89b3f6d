// A trigger: when something that arrives fits its rule, the process it came from is asked for a profile. As people write it,
// the API tells it, and the file keeps it.
import { z } from 'zod'

export const MOST_TRIGGERS = 100
const LONGEST_RULE = 4096
const HOUR_MS = 3_600_000

/** Where nobody says otherwise; a minute between captures of one instance costs it little, whatever the rule. */
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
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'a name has 1 to 63 letters, digits, dots, dashes or underscores')
  .meta({ description: 'By which it is known: letters, digits, dots, dashes and underscores' })

const fields = {
  rule: z.string().min(1).max(LONGEST_RULE).meta({ description: 'As Source(`checkout`) && SpanSlower(800)' }),
  type: z.string().min(1).max(64).meta({ description: 'What to capture, as cpu or heap; cpu unless given' }),
  durationMs: z
    .int()
    .min(1)
    .max(600_000)
    .meta({ description: 'How long a capture takes where it cannot look back; 10000 unless given' }),
  frequencyHz: z.number().positive().max(10_000).optional().meta({
    description: 'Samples a second, where it does not look back; as each process records anyway unless given',
  }),
  lookBack: z.boolean().meta({
    description:
      'Whether what ran in the span itself is asked for, where the process still has it, instead of what runs next; true unless given',
  }),
  spanOnly: z
    .boolean()
    .meta({ description: 'Whether only samples of the span that fits are wanted; false unless given' }),
  coolDownMs: z
    .int()
    .min(0)
    .max(24 * HOUR_MS)
    .meta({ description: 'How long an instance is left alone after a capture by this trigger; 60000 unless given' }),
  percentage: z
    .number()
    .positive()
    .max(100)
    .meta({ description: 'Of what fits, how much leads to a capture; 100 unless given' }),
  budgetPerHour: z.int().positive().optional().meta({
    description:
      'Captures that it may start in an hour, of all instances together. At the most what the setting trigger-budget allows all triggers of the tenant; only that unless given',
  }),
  enabled: z.boolean().meta({ description: 'true unless given' }),
  description: z.string().max(1024).optional().meta({ description: 'For people' }),
} as const

/** As it is kept. */
export const trigger = z.strictObject({
  name: triggerName,
  ...fields,
  created: z.iso.datetime(),
  changed: z.iso.datetime(),
})

/** As it is asked for: what has a value unless given may be left out. */
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

export const triggerFile = z.strictObject({ triggers: z.array(trigger).max(MOST_TRIGGERS) })

/** There is no room, a name is taken, or more is asked for than may be. */
export class TriggerError extends Error {
  override readonly name = 'TriggerError'
  readonly fault: 'conflict' | 'limit'

  constructor(fault: 'conflict' | 'limit', message: string) {
    super(message)
    this.fault = fault
  }
}

export function triggerOf(name: string, spec: TriggerSpec, now: Date, created = now.toISOString()): Trigger {
  const said = Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined))
  return {
    ...TRIGGER_DEFAULTS,
    ...(said as TriggerSpec & typeof said),
    name,
    created,
    changed: now.toISOString(),
  } as Trigger
}
