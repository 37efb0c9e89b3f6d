// Trigger rules: the grammar of routes, with predicates on spans, log records and data points.
//
//   Source(`checkout`) && SpanKind(SERVER) && SpanSlower(800)
//   LogSeverity(ERROR) && LogBody({.*(timeout|refused).*})
//   MetricAbove(`process.cpu.utilization`, 0.9) && Attr(`deployment.environment.name`, `{prod.*}`)
import type { ParsedRule, Predicates, Rule, Test, TextPattern } from '@hearth/broker'
import { RuleError, compileRule, parseRule, predicate } from '@hearth/broker'
import type { Enumeration } from '@hearth/signals'
import { SEVERITY_NUMBER, SPAN_KIND, STATUS_CODE } from '@hearth/signals'
import type { ItemKind, LogItem, PointItem, SpanItem, TelemetryItem } from './telemetry-item.ts'
import { TELEMETRY_ITEM_KINDS, attributesOf, scalarText, valueOf } from './telemetry-item.ts'

export interface CompiledTriggerRule {
  readonly text: string
  /** The item kinds that can match. Items of other kinds need no evaluation. */
  readonly kinds: ReadonlySet<ItemKind>
  matches(item: TelemetryItem): boolean
}

/** Throws RuleError. */
export function compileTriggerRule(text: string): CompiledTriggerRule {
  const parsed = replaceWords(parseRule(text))
  const compiled = compileRule(parsed, PREDICATES)
  return {
    text,
    kinds: new Set(TELEMETRY_ITEM_KINDS.filter(kind => possible(parsed.rule, kind) !== false)),
    matches: item => compiled.match(item) !== undefined,
  }
}

const MILLISECOND = 1e6

const ofSpan =
  (test: (item: SpanItem) => boolean): Test<TelemetryItem> =>
  item =>
    item.kind === 'span' && test(item)
const ofLog =
  (test: (item: LogItem) => boolean): Test<TelemetryItem> =>
  item =>
    item.kind === 'log' && test(item)
const ofPoint =
  (test: (item: PointItem) => boolean): Test<TelemetryItem> =>
  item =>
    item.kind === 'metric' && test(item)

const PREDICATES: Predicates<TelemetryItem> = {
  Span: predicate(['pattern'], name => ofSpan(({ span }) => name.matches(span.name))),
  SpanSlower: predicate(['number'], ms =>
    ofSpan(({ span }) => Number(span.endTimeUnixNano - span.startTimeUnixNano) > ms * MILLISECOND),
  ),
  // replaceWords has replaced words by numbers.
  SpanStatus: predicate(['number'], code => ofSpan(({ span }) => (span.status?.code ?? 0) === code)),
  SpanKind: predicate(['number'], kind => ofSpan(({ span }) => span.kind === kind)),
  LogSeverity: predicate(['number'], min => ofLog(({ record }) => record.severityNumber >= min)),
  LogBody: predicate(['pattern'], body => ofLog(({ record }) => matchesText(body, scalarText(record.body)))),
  MetricAbove: predicate(['pattern', 'number'], (name, limit) =>
    ofPoint(item => item.value !== undefined && item.value > limit && name.matches(item.name)),
  ),
  MetricBelow: predicate(['pattern', 'number'], (name, limit) =>
    ofPoint(item => item.value !== undefined && item.value < limit && name.matches(item.name)),
  ),
  Attr: predicate(['string', 'pattern'], (key, value) => item => {
    const own = valueOf(attributesOf(item), key)
    return matchesText(value, scalarText(own === undefined ? valueOf(item.origin.attributes, key) : own))
  }),
  Source: predicate(['pattern'], service => item => service.matches(item.origin.service)),
}

/** The item kind each predicate requires. Predicates not listed accept any kind. */
const KINDS: Readonly<Record<string, ItemKind>> = {
  Span: 'span',
  SpanSlower: 'span',
  SpanStatus: 'span',
  SpanKind: 'span',
  LogSeverity: 'log',
  LogBody: 'log',
  MetricAbove: 'metric',
  MetricBelow: 'metric',
}

function matchesText(pattern: TextPattern, text: string | undefined): boolean {
  return text !== undefined && pattern.matches(text)
}

/** Whether an item of this kind matches, judging by the kind alone. Undefined if it depends on the item. */
function possible(rule: Rule, kind: ItemKind): boolean | undefined {
  switch (rule.kind) {
    case 'call': {
      const needed = KINDS[rule.name]
      return needed === undefined || needed === kind ? undefined : false
    }
    case 'not': {
      const inner = possible(rule.rule, kind)
      return inner === undefined ? undefined : !inner
    }
    case 'and': {
      const parts = rule.rules.map(part => possible(part, kind))
      return parts.includes(false) ? false : parts.includes(undefined) ? undefined : true
    }
    case 'or': {
      const parts = rule.rules.map(part => possible(part, kind))
      return parts.includes(true) ? true : parts.includes(undefined) ? undefined : false
    }
  }
}

/** Words that stand for numbers, for example ERROR for 17. */
const WORDS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  LogSeverity: wordsOf(SEVERITY_NUMBER),
  SpanStatus: wordsOf(STATUS_CODE),
  SpanKind: wordsOf(SPAN_KIND),
}

/** Enumeration names without their common prefix. */
function wordsOf({ values }: Enumeration): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name.replace(/^(SEVERITY_NUMBER|STATUS_CODE|SPAN_KIND)_/, ''),
      value,
    ]),
  )
}

function replaceWords({ text, rule }: ParsedRule): ParsedRule {
  const change = (each: Rule): Rule => {
    if (each.kind === 'not') return { ...each, rule: change(each.rule) }
    if (each.kind !== 'call') return { ...each, rules: each.rules.map(change) }
    const words = Object.hasOwn(WORDS, each.name) ? WORDS[each.name] : undefined
    if (words === undefined) return each
    const changed = each.arguments.map(argument => {
      if (argument.kind !== 'word') return argument
      const name = argument.value.toUpperCase()
      if (!Object.hasOwn(words, name)) {
        throw new RuleError(
          `unknown value "${argument.value}" for ${each.name}; expected one of ${Object.keys(words).join(', ')}`,
          text,
          argument.at,
        )
      }
      return { kind: 'number', value: words[name], at: argument.at } as const
    })
    return { ...each, arguments: changed }
  }
  return { text, rule: change(rule) }
}
