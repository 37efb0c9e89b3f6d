// The parts that the endpoints of rules and receivers share: checks of names and specs, changes, and deletion.
import { z } from 'zod'
import { ruleName } from '../../../monitor/alerts/alert-rule.ts'
import type { RuleKind } from '../../../monitor/rules/rule-store.ts'
import { RuleError } from '../../../monitor/rules/rule-store.ts'
import type { RequestContext } from '../request/request-context.ts'
import { RequestError, unknownName } from '../response/request-error.ts'

export const source = z
  .enum(['file', 'api'])
  .meta({ description: 'Rules from the file of the server cannot be changed here' })

/** Responds with status 409 if the rule cannot be changed. */
export async function changed<Result>(change: () => Promise<Result>): Promise<Result> {
  try {
    return await change()
  } catch (error) {
    if (error instanceof RuleError) throw new RequestError(409, 'conflict', error.message)
    throw error
  }
}

export async function remove(
  { monitor, tenant, pathParameter: name, audit }: RequestContext,
  kind: RuleKind,
): Promise<{ removed: string }> {
  if (!(await changed(() => monitor.rules.remove(tenant, kind, name)))) throw unknownName('rule', name)
  audit('rule-removed', { kind, rule: name })
  return { removed: name }
}

/** Returns the name of the path. Throws RequestError if it is not valid. */
export function checkedName(name: string): string {
  return checked(ruleName, name)
}

/** Returns the value. Throws RequestError if it does not match the schema. */
export function checked<Value>(schema: z.ZodType<Value>, value: Value): Value {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw new RequestError(400, 'argument', parsed.error.issues[0].message)
  return parsed.data
}
