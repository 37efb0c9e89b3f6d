// The predicates of routing rules.
import type { Component } from '../messages/event.ts'
import type { TextPattern } from './text-pattern.ts'
import type { Predicates, Test } from './compile-rule.ts'
import { predicate, variadicPredicate } from './compile-rule.ts'
import type { EventFacts } from './event-facts.ts'
import { anyText, memberOf } from './event-facts.ts'

type EventTest = Test<EventFacts>

/** Whether it equals the type or its end: `http` matches `io.kubefox.http`. */
export function isTypeOf(type: string, wanted: string): boolean {
  if (type === wanted) return true
  const from = type.length - wanted.length
  return from >= 0 && type.slice(from).toLowerCase() === wanted.toLowerCase()
}

/** The stored spelling of a header: `X-Request-Id` for `x-request-id`. */
export function canonicalHeader(name: string): string {
  return name.toLowerCase().replace(/(^|-)[a-z]/g, letter => letter.toUpperCase())
}

function componentTest(of: (facts: EventFacts) => Component | undefined): (name: TextPattern) => EventTest {
  return name => facts => {
    const component = of(facts)
    return component !== undefined && component.name !== '' && name.matches(component.name)
  }
}

export const EVENT_PREDICATES: Predicates<EventFacts> = {
  All: predicate<EventFacts, []>([], () => () => true),
  Type: predicate<EventFacts, ['string']>(['string'], wanted => facts => isTypeOf(facts.event.type, wanted)),
  Method: variadicPredicate<EventFacts, 'anyCase'>(
    'anyCase',
    methods => facts => methods.some(method => method.matches(facts.method)),
  ),
  Host: predicate<EventFacts, ['host']>(
    ['host'],
    host => (facts, captures) =>
      host.matches(facts.host, captures) && (host.port === undefined || host.port === facts.port),
  ),
  Path: predicate<EventFacts, ['path']>(
    ['path'],
    path => (facts, captures) => facts.path !== '' && path.matches(facts.segments, captures),
  ),
  PathPrefix: predicate<EventFacts, ['pathPrefix']>(['pathPrefix'], prefix => (facts, captures) => {
    const { segments } = facts
    if (facts.path === '' || !prefix.matchesStart(segments, captures)) return false
    const rest = prefix.takesRest ? [] : segments.slice(prefix.segments.length)
    captures.takeSuffix(rest.length === 0 ? '' : `/${rest.join('/')}`)
    return true
  }),
  Header: predicate<EventFacts, ['string', 'pattern']>(['string', 'pattern'], (name, value) => {
    const canonical = canonicalHeader(name)
    return ({ event }) => {
      const { header } = event.values
      return anyText(memberOf(header, canonical) ?? memberOf(header, name), text => value.matches(text))
    }
  }),
  Query: predicate<EventFacts, ['string', 'pattern']>(
    ['string', 'pattern'],
    (name, value) =>
      ({ event }) =>
        anyText(memberOf(event.values['queryParam'], name), text => value.matches(text)),
  ),
  Param: predicate<EventFacts, ['string', 'pattern']>(
    ['string', 'pattern'],
    (name, value) =>
      ({ event }) =>
        anyText(memberOf(event.params, name), text => value.matches(text)),
  ),
  Category: predicate<EventFacts, ['category']>(
    ['category'],
    wanted =>
      ({ event }) =>
        event.category === wanted,
  ),
  Source: predicate<EventFacts, ['pattern']>(
    ['pattern'],
    componentTest(({ event }) => event.source),
  ),
  Target: predicate<EventFacts, ['pattern']>(
    ['pattern'],
    componentTest(({ event }) => event.target),
  ),
}
