// Prints a selector in one spelling: equal selectors print the same text.
import { printKey, printText } from '../print-key.ts'
import type { Literal, Matcher, ProfileType, Selector, StackPredicate } from '../selector.ts'

export function printSelector({ profileType, matchers, predicates }: Selector): string {
  const type = profileType === undefined ? '' : printProfileType(profileType)
  const list = matchers.length === 0 ? '' : `{${matchers.map(printMatcher).join(', ')}}`
  const head = `${type}${list}`
  const parts = predicates.map(predicate => `| ${printPredicate(predicate)}`)
  return (head === '' ? parts : [head, ...parts]).join(' ')
}

function printProfileType({ name, type, unit, periodType, periodUnit }: ProfileType): string {
  if (name === undefined) return unit === undefined ? part(type) : `${part(type)}:${part(unit)}`
  // A profile type with an empty first part would not be parsed as a profile type.
  const first = name === '' ? '""' : part(name)
  return [first, ...[type, unit ?? '', periodType ?? '', periodUnit ?? ''].map(part)].join(':')
}

function part(text: string): string {
  return text === '' || /^[\w.\-/+%]+$/.test(text) ? text : printText(text)
}

function printMatcher(matcher: Matcher): string {
  const path = printKey(matcher)
  if (matcher.kind === 'presence') return matcher.present ? path : `!${path}`
  return `${path}${matcher.operator}${printLiteral(matcher.value)}`
}

function printPredicate({ negated, place, field, regex, value, file }: StackPredicate): string {
  const name = field === 'name' ? '' : field
  const inFile = file === undefined ? '' : ` in ${printText(file)}`
  const comparison = field === 'name' && !regex ? '' : regex ? '=~' : '='
  return `${negated ? '!' : ''}${place} ${name}${comparison}${printText(value)}${inFile}`
}

function printLiteral(value: Literal): string {
  if (typeof value === 'string') return printText(value)
  if (typeof value !== 'number') return String(value)
  if (Object.is(value, -0)) return '-0.0'
  const text = String(value)
  return /[.e]/.test(text) ? text : `${text}.0`
}
