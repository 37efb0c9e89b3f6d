// The rules of redaction: which attributes, resource values and log bodies are removed or hashed before they are stored.
import { parse } from 'yaml'
import { z } from 'zod'
import { SIGNALS } from '@hearth/signals'
import { RedactionRuleError, compilePattern, firstLine } from './pattern.ts'

const REDACTION_PLACES = ['resource', 'scope', 'attributes', 'body'] as const
export type RedactionPlace = (typeof REDACTION_PLACES)[number]

const text = z.string().min(1).max(1000)

const ruleSchema = z
  .strictObject({
    /** The label of the metric. */
    name: z.string().min(1).max(100).optional(),
    action: z.enum(['remove', 'hash']),
    /** The exact name of an attribute. */
    key: text.optional(),
    /** A pattern that the complete name of an attribute matches. */
    keyPattern: text.optional(),
    /** A pattern of the part of a value to replace. Without it, the rule is about complete values. */
    valuePattern: text.optional(),
    in: z.array(z.enum(REDACTION_PLACES)).min(1).optional(),
    signals: z.array(z.enum(SIGNALS)).min(1).optional(),
    tenants: z.array(text).min(1).optional(),
  })
  .refine(({ key, keyPattern }) => key === undefined || keyPattern === undefined, 'give key or keyPattern, not both')
  .refine(
    ({ key, keyPattern, valuePattern, in: places }) =>
      key !== undefined || keyPattern !== undefined || valuePattern !== undefined || places?.join() === 'body',
    'give key, keyPattern or valuePattern; only a rule with `in: [body]` needs none',
  )

export type RedactionRule = z.infer<typeof ruleSchema> & { readonly name: string }

const MAX_RULES = 100

/** Reads a list of rules as YAML or JSON. Throws RedactionRuleError. */
export function parseRedactionRules(source: string): readonly RedactionRule[] {
  let content: unknown
  try {
    content = parse(source) ?? []
  } catch (error) {
    throw new RedactionRuleError(`not a list of rules: ${firstLine(error)}`, { cause: error })
  }
  const parsed = z.array(ruleSchema).max(MAX_RULES, `more than ${MAX_RULES} rules`).safeParse(content)
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]
    const [index, ...rest] = path
    const where = typeof index === 'number' ? `rule ${index + 1}${rest.length > 0 ? `, ${rest.join('.')}` : ''}: ` : ''
    throw new RedactionRuleError(`${where}${message}`)
  }
  const rules = parsed.data.map((rule, i) => ({ ...rule, name: rule.name ?? `rule ${i + 1}` }))
  for (const { name, keyPattern, valuePattern } of rules) {
    for (const pattern of [keyPattern, valuePattern]) if (pattern !== undefined) compilePattern(name, pattern)
  }
  const names = new Set(rules.map(({ name }) => name))
  if (names.size < rules.length) throw new RedactionRuleError('two rules have the same name')
  return rules
}
