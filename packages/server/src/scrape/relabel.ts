// Relabelling rules as in Prometheus: they change the labels of a target, or drop it.
import { createHash } from 'node:crypto'
import { RE2JS, RE2JSException } from 're2js'

export type Labels = Readonly<Record<string, string>>

export const RELABEL_ACTIONS = [
  'replace',
  'keep',
  'drop',
  'keepequal',
  'dropequal',
  'hashmod',
  'labelmap',
  'labeldrop',
  'labelkeep',
  'lowercase',
  'uppercase',
] as const

export interface RelabelRule {
  readonly source_labels: readonly string[]
  readonly separator: string
  readonly target_label: string
  readonly regex: string
  readonly modulus: number
  readonly replacement: string
  readonly action: (typeof RELABEL_ACTIONS)[number]
}

/** Equal labels have equal texts, whatever their order. */
export function labelsText(labels: Labels): string {
  return JSON.stringify(
    Object.keys(labels)
      .toSorted()
      .map(name => [name, labels[name]]),
  )
}

const compiled = new Map<string, RE2JS>()

/** Compiles an expression that matches whole values. Throws Error with the cause. */
export function compileRegex(regex: string): RE2JS {
  let pattern = compiled.get(regex)
  if (pattern === undefined) {
    try {
      pattern = RE2JS.compile(`^(?s:${regex})$`)
    } catch (error) {
      if (!(error instanceof RE2JSException)) throw error
      throw new Error(`the regex '${regex}' is invalid`, { cause: error })
    }
    compiled.set(regex, pattern)
  }
  return pattern
}

/** The labels after all rules. Undefined if a rule drops the target. */
export function relabel(labels: Labels, rules: readonly RelabelRule[]): Labels | undefined {
  let current: Record<string, string> | undefined = { ...labels }
  for (const rule of rules) {
    current = applied(current, rule)
    if (current === undefined) return undefined
  }
  return Object.fromEntries(Object.entries(current).filter(([, value]) => value !== ''))
}

function applied(labels: Record<string, string>, rule: RelabelRule): Record<string, string> | undefined {
  const { source_labels: sources, separator, target_label: target, regex, action } = rule
  const value = sources.map(name => labels[name] ?? '').join(separator)
  const pattern = compileRegex(regex)
  switch (action) {
    case 'replace': {
      const match = pattern.matcher(value)
      if (!match.find()) return labels
      const groups = Array.from({ length: match.groupCount() + 1 }, (_, i) => match.group(i) ?? '')
      const named = (name: string): string => match.group(name) ?? ''
      return withLabel(labels, expanded(target, groups, named), expanded(rule.replacement, groups, named))
    }
    case 'keep':
      return pattern.matcher(value).find() ? labels : undefined
    case 'drop':
      return pattern.matcher(value).find() ? undefined : labels
    case 'keepequal':
      return value === (labels[target] ?? '') ? labels : undefined
    case 'dropequal':
      return value === (labels[target] ?? '') ? undefined : labels
    case 'hashmod':
      return withLabel(labels, target, String(hashModulus(value, rule.modulus)))
    case 'lowercase':
      return withLabel(labels, target, value.toLowerCase())
    case 'uppercase':
      return withLabel(labels, target, value.toUpperCase())
    case 'labelmap': {
      const mapped = { ...labels }
      for (const [name, own] of Object.entries(labels)) {
        const match = pattern.matcher(name)
        if (!match.find()) continue
        const groups = Array.from({ length: match.groupCount() + 1 }, (_, i) => match.group(i) ?? '')
        mapped[expanded(rule.replacement, groups, group => match.group(group) ?? '')] = own
      }
      return mapped
    }
    case 'labeldrop':
      return withNames(labels, name => !pattern.matcher(name).find())
    case 'labelkeep':
      return withNames(labels, name => pattern.matcher(name).find())
    default:
      return action satisfies never
  }
}

/** An empty value removes the label. */
function withLabel(labels: Record<string, string>, name: string, value: string): Record<string, string> {
  const others = withNames(labels, other => other !== name)
  return value === '' || name === '' ? others : { ...others, [name]: value }
}

function withNames(labels: Record<string, string>, keeps: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => keeps(name)))
}

/** Replaces $1, ${1} and ${name}. $$ is a dollar sign. */
function expanded(template: string, groups: readonly string[], named: (name: string) => string): string {
  return template.replaceAll(
    /\$(?:(\$)|(\d+)|\{(\w+)\}|([A-Za-z_]\w*))/g,
    (
      _,
      dollar: string | undefined,
      number: string | undefined,
      braced: string | undefined,
      name: string | undefined,
    ) => {
      if (dollar !== undefined) return '$'
      const group = number ?? braced ?? name ?? ''
      return /^\d+$/.test(group) ? (groups[Number(group)] ?? '') : named(group)
    },
  )
}

/** As in Prometheus: the last 8 bytes of MD5, so that both systems divide targets in the same way. */
function hashModulus(value: string, modulus: number): bigint {
  return createHash('md5').update(value).digest().readBigUInt64BE(8) % BigInt(modulus)
}
