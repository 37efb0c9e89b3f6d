// The effect that a trigger rule would have had on stored telemetry.
import { z } from 'zod'
import { compileTriggerRule } from '../../../broker/triggers/compile-rule.ts'
import { dryRun as runDry } from '../../../broker/triggers/dry-run.ts'
import { GUARDS } from '../../../broker/triggers/guards.ts'
import { TELEMETRY_ITEM_KINDS } from '../../../broker/triggers/telemetry-item.ts'
import { TRIGGER_DEFAULTS, triggerSpec } from '../../../broker/triggers/trigger.ts'
import { defineEndpoint } from '../endpoint.ts'
import { TIME, text } from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { queryOf } from '../request/request-context.ts'
import { count, int64 } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'

const dryRunExample = nameSchema(
  'DryRunExample',
  z.strictObject({
    kind: z.enum(TELEMETRY_ITEM_KINDS),
    description: z.string().meta({ description: 'A short description' }),
    time: int64('The time'),
    service: z.string(),
    instance: z.string(),
    traceId: z.string().optional(),
    spanId: z.string().optional(),
    heldBack: z.enum(GUARDS).optional().meta({ description: 'The guard that would have prevented the capture' }),
  }),
)

export const dryRun = defineEndpoint({
  name: 'dryRun',
  method: 'POST',
  path: '/triggers/dry-run',
  summary: 'What a rule would have done with the stored telemetry of the last hour, or of another range',
  request: z.strictObject({
    rule: triggerSpec.shape.rule,
    coolDownMs: triggerSpec.shape.coolDownMs,
    percentage: triggerSpec.shape.percentage,
    budgetPerHour: triggerSpec.shape.budgetPerHour,
    from: text(`From this time: ${TIME}; default: now-1h`),
    to: text('Before this time; default: now'),
  }),
  response: z.strictObject({
    from: int64('The start of the range'),
    to: int64('The end of the range'),
    examined: z.strictObject({ span: count.optional(), log: count.optional(), metric: count.optional() }).meta({
      description: 'The number of items examined; kinds that the rule cannot match are missing',
    }),
    matched: count.meta({ description: 'The number of items that match the rule' }),
    fired: count.meta({ description: 'The number of captures that would have started' }),
    heldBack: z.array(z.strictObject({ guard: z.enum(GUARDS), count })),
    instances: count.meta({ description: 'The number of processes that would have been captured' }),
    truncated: z.boolean().meta({ description: 'Whether only the latest items were examined, because of the limit' }),
    examples: z.array(dryRunExample),
  }),
  async handle(context, request) {
    const rule = compileTriggerRule(request.rule)
    const { coolDownMs, percentage } = { ...TRIGGER_DEFAULTS, ...defined(request) }
    const { budgetPerMinute } = context.broker.triggers
    const guarding = { coolDownMs, percentage, budgetPerHour: request.budgetPerHour, budgetPerMinute }
    const query = queryOf(context, { from: request.from, to: request.to })
    const run = await context.inQuerySlot(() => runDry(context.broker.engine, query, rule, guarding))
    const { examined, heldBack, examples, ...counts } = run
    return {
      from: query.from.toString(),
      to: query.to.toString(),
      examined: { ...examined },
      ...counts,
      heldBack: [...heldBack].map(([guard, times]) => ({ guard, count: times })),
      examples: examples.map(({ time, traceId, spanId, heldBack: guard, ...example }) => ({
        ...example,
        time: time.toString(),
        ...(traceId === '' ? {} : { traceId }),
        ...(spanId === '' ? {} : { spanId }),
        ...(guard === undefined ? {} : { heldBack: guard }),
      })),
    }
  },
})
