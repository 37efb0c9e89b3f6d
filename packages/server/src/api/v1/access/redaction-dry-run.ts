// Counts the values in stored data that redaction rules would change. It changes nothing.
import { z } from 'zod'
import { dryRunRedaction } from '../../../redact/dry-run.ts'
import { RedactionRuleError } from '../../../redact/pattern.ts'
import { parseRedactionRules } from '../../../redact/rules.ts'
import { defineQuery } from '../endpoint.ts'
import { TIME, text } from '../request/parameters.ts'
import { queryOf } from '../request/request-context.ts'
import { count } from '../response/fields.ts'
import { RequestError } from '../response/request-error.ts'

const MAX_RULES_TEXT = 100_000

export const redactionDryRun = defineQuery({
  name: 'redactionDryRun',
  path: '/redaction-dry-run',
  summary: 'Counts the values in stored data that redaction rules would change, and changes nothing',
  scope: 'admin',
  request: z.strictObject({
    rules: z
      .string()
      .max(MAX_RULES_TEXT)
      .meta({ description: 'The rules as YAML or JSON, like the setting `redaction`' }),
    from: text(`The start of the range: ${TIME}; default: now-1h`),
    to: text('The end of the range; default: now'),
  }),
  response: z.strictObject({
    keys: z
      .array(
        z.strictObject({
          rule: z.string(),
          table: z.string().meta({ description: 'The table that has the values' }),
          key: z.string().meta({ description: 'The attribute; empty for the body of a log record' }),
          count: count.meta({ description: 'Redactions; resources, scopes and attribute sets are stored once' }),
        }),
      )
      .meta({ description: 'The keys that rules would change, the most frequent first' }),
    values: count.meta({ description: 'The number of different values that were checked' }),
    isTruncated: z.boolean().meta({ description: 'Whether only the most frequent values were checked' }),
  }),
  async handle(context, request) {
    const { tenant, from, to, signal, limits = {} } = queryOf(context, { from: request.from, to: request.to })
    const { maxSeconds, maxMemoryBytes } = limits
    const options = {
      ...(signal === undefined ? {} : { signal }),
      ...(maxSeconds === undefined ? {} : { maxSeconds }),
      ...(maxMemoryBytes === undefined ? {} : { maxMemoryBytes }),
    }
    const found = await dryRunRedaction(context.queries.engine, {
      tenant,
      from,
      to,
      rules: rulesOf(request.rules),
      options,
    })
    return { ...found, keys: [...found.keys] }
  },
})

function rulesOf(source: string): ReturnType<typeof parseRedactionRules> {
  try {
    return parseRedactionRules(source)
  } catch (error) {
    if (error instanceof RedactionRuleError) throw new RequestError(400, 'argument', `rules: ${error.message}`)
    throw error
  }
}
