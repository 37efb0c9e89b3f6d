import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Event } from '../messages/event.ts'
import { Category } from '../messages/event.ts'
import { createComponent } from '../messages/component.ts'
import type { Variables } from './arguments.ts'
import { MAX_REGEX_INPUT } from './linear-regex.ts'
import { RouteRules, compileRoute } from './route-rules.ts'
import { predicate, compileRule } from './compile-rule.ts'
import { parseRule } from './parse-rule.ts'
import type { Rest } from './testing/event-of.ts'
import { eventOf } from './testing/event-of.ts'

/** The params of a match, with the suffix as `+`; undefined without a match. */
function match(rule: string, event: Event | string, variables: Variables = {}): Record<string, string> | undefined {
  const found = compileRoute(rule, variables).match(typeof event === 'string' ? eventOf(event) : event)
  if (found === undefined) return undefined
  return { ...found.params, ...(found.pathSuffix === undefined ? {} : { '+': found.pathSuffix }) }
}

describe('predicates', () => {
  test.each<[string, string, Rest, boolean]>([
    ['All()', 'GET /', {}, true],
    ['Type(`http`)', 'GET /', {}, true],
    ['Type(`HTTP`)', 'GET /', {}, true],
    ['Type(`io.kubefox.http`)', 'GET /', {}, true],
    ['Type(`io.kubefox.https`)', 'GET /', {}, false],
    ['Type(`capture`)', 'GET /', { type: 'profiling.capture' }, true],
    ['Method(`get`, "POST")', 'GET /', {}, true],
    ['Method(`get`, "POST")', 'post /', {}, true],
    ['Method(`{P.*}`)', 'put /', {}, true],
    ['Method(`GET`)', 'PUT /', {}, false],
    ['Host(`a.example.com`)', 'GET /', { host: 'a.example.com' }, true],
    ['Host(`a.example.com`)', 'GET /', { host: 'A.Example.com:8080' }, true],
    ['Host(`A.example.com:8080`)', 'GET /', { host: 'a.example.com:8080' }, true],
    ['Host(`a.example.com:8081`)', 'GET /', { host: 'a.example.com:8080' }, false],
    ['Host(`{x:[a-c]}.example.com:8080`)', 'GET /', { host: 'b.example.com:8080' }, true],
    ['Host(`example.com`)', 'GET /', { host: 'a.example.com' }, false],
    ['Host(`[::1]`)', 'GET /', { host: '[::1]:80' }, true],
    ['Host(`::1`)', 'GET /', { host: '::1' }, true],
    ['Host(`a`)', 'GET /', {}, false],
    ['Path(`/`)', 'GET /', {}, true],
    ['Path(`/`)', 'GET /a', {}, false],
    ['Path(`/a`)', 'GET /', {}, false],
    ['Path(`/a/`)', 'GET /a', {}, false],
    ['Path(`/a/`)', 'GET /a/', {}, true],
    ['Path(`a/b`)', 'GET /a/b', {}, true],
    ['Path(`/a`)', 'GET /A', {}, false],
    ['Path(`/\\{a\\}`)', 'GET /{a}', {}, true],
    ['Path(`/{a}`)', 'GET /', {}, false],
    ['Path(`/a/{}`)', 'GET /a/b', {}, true],
    ['Header(`x-region`, `eu`)', 'GET /', { header: { 'X-Region': ['us', 'eu'] } }, true],
    ['Header(`x-region`, `eu`)', 'GET /', { header: { 'x-region': 'eu' } }, true],
    ['Header(`X-REGION`, `EU`)', 'GET /', { header: { 'X-Region': ['eu'] } }, false],
    ['Header(`X-Region`, `{e.}`)', 'GET /', { header: { 'X-Region': ['eu'] } }, true],
    ['Header(`X-Region`, `{e}`)', 'GET /', { header: { 'X-Region': ['eu'] } }, false],
    ['Header(`X-Region`, `{}`)', 'GET /', { header: { 'X-Region': ['eu'] } }, true],
    ['Header(`X-Region`, `{}`)', 'GET /', {}, false],
    ['Header(`X`, `{n:re}`)', 'GET /', { header: { X: ['n:re'] } }, true],
    ['Header(`constructor`, `{}`)', 'GET /', { header: {} }, false],
    ['Query(`q`, `1`)', 'GET /', { queryParam: { q: ['1'] } }, true],
    ['Query(`Q`, `1`)', 'GET /', { queryParam: { q: ['1'] } }, false],
    ['Param(`profile_type`, `{cpu|wall}`)', 'GET /', { params: { profile_type: 'cpu' } }, true],
    ['Param(`n`, `5`)', 'GET /', { params: { n: 5 } }, true],
    ['Param(`b`, `true`)', 'GET /', { params: { b: true } }, true],
    ['Param(`x`, `{}`)', 'GET /', { params: { x: {} } }, false],
    ['Category(REQUEST)', 'GET /', {}, true],
    ['Category(`request`)', 'GET /', {}, true],
    ['Category(MESSAGE)', 'GET /', { category: Category.MESSAGE }, true],
    ['Category(MESSAGE)', 'GET /', {}, false],
    ['Source(`checkout`)', 'GET /', { source: createComponent({ name: 'checkout' }) }, true],
    ['Source(`{check.*}`)', 'GET /', { source: createComponent({ name: 'checkout' }) }, true],
    ['Source(`{}`)', 'GET /', {}, false],
    ['Target(`cart`)', 'GET /', { target: createComponent({ name: 'checkout' }) }, false],
  ])('%s %s', (rule, line, rest, expected) => {
    expect(match(rule, eventOf(line, rest)) !== undefined).toBe(expected)
  })
})

describe('patterns', () => {
  test.each([
    ['Path(`/{a}/x/{b:\\d+}`)', 'GET /one/x/22', { a: 'one', b: '22' }],
    ['Path(`/{a}/x/{b:\\d+}`)', 'GET /one/x/two', undefined],
    ['Path(`/{:v\\d}/{b}`)', 'GET /v1/x', { b: 'x' }],
    ['Path(`/{a:(?:x|y):z}`)', 'GET /y:z', { a: 'y:z' }],
    ['Path(`/{a:[a-f]{3}}`)', 'GET /abc', { a: 'abc' }],
    ['Path(`/{a:[a-f]{3}}`)', 'GET /abcd', undefined],
    ['Path(`/{a:[{]}/{b:[]]}`)', 'GET /{/]', { a: '{', b: ']' }],
    ['Path(`/{a:x|y}`)', 'GET /xx', undefined],
    ['Path(`/files/{rest...}`)', 'GET /files/a/b.txt', { rest: 'a/b.txt' }],
    ['Path(`/files/{rest...}`)', 'GET /files/', { rest: '' }],
    ['Path(`/files/{rest...}`)', 'GET /files', undefined],
    ['PathPrefix(`/a`)', 'GET /a/b/c', { '+': '/b/c' }],
    ['PathPrefix(`/a`)', 'GET /a', { '+': '' }],
    ['PathPrefix(`/a`)', 'GET /ab', undefined],
    ['PathPrefix(`/a/`)', 'GET /a/', { '+': '/' }],
    ['PathPrefix(`/`)', 'GET /', { '+': '' }],
    ['PathPrefix(`/`)', 'GET /x/y', { '+': '/x/y' }],
    ['PathPrefix(`/{svc}`)', 'GET /cart/y', { svc: 'cart', '+': '/y' }],
    ['PathPrefix(`/{svc}/{all...}`)', 'GET /cart/y/z', { svc: 'cart', all: 'y/z', '+': '' }],
  ])('%s %s', (rule, line, expected) => expect(match(rule, line)).toEqual(expected))

  test('match hosts', () => {
    const event = eventOf('GET /', { host: 'Eu.shop.example.com:443' })
    expect(match('Host(`{region}.shop.{rest...}`)', event)).toEqual({ region: 'eu', rest: 'example.com' })
    expect(match('Host(`{r:EU|US}.{rest...}`)', event)).toEqual({ r: 'eu', rest: 'shop.example.com' })
  })

  test('discard the captures of failed branches', () => {
    const line = 'GET /one/two'
    expect(match('Path(`/{a}/{b}`) && Method(`PUT`) || Path(`/{c}/two`)', line)).toEqual({ c: 'one' })
    expect(match('PathPrefix(`/{a}`) && Path(`/x`) || All()', line)).toEqual({})
    expect(match('!Path(`/{a}`) && Path(`/{b}/two`)', line)).toEqual({ b: 'one' })
    expect(match('!!Path(`/{a}/{b}`)', line)).toEqual({})
    // Half of the segments match before one does not.
    const rules = new RouteRules([
      { rule: compileRoute('Path(`/{a}/no`)'), value: 1 },
      { rule: compileRoute('Path(`/{c}/{d}`)'), value: 2 },
    ])
    expect(rules.find(eventOf(line))?.match.params).toEqual({ c: 'one', d: 'two' })
  })

  test('accept __proto__ as a name', () => {
    const found = compileRoute('Path(`/{__proto__}`)').match(eventOf('GET /x'))!
    expect(Object.keys(found.params)).toEqual(['__proto__'])
  })
})

describe('variables', () => {
  const variables: Variables = {
    REGION: 'eu',
    SUB: 'qa/hasura',
    LIST: ['a', 'b.c', 'd|e'],
    N: 5,
    ODD: '{x}.*',
    ON: true,
  }

  test.each<[string, string, Record<string, string> | undefined]>([
    ['Path(`/{{.Vars.SUB}}/{x}`)', 'GET /qa/hasura/1', { x: '1' }],
    ['Path(`/{{.Env.LIST}}`)', 'GET /a', {}],
    ['Path(`/{{.Env.LIST}}`)', 'GET /d|e', {}],
    ['Path(`/{{.Env.LIST}}`)', 'GET /other', undefined],
    ['Path(`/{{.Env.LIST}}`)', 'GET /bxc', undefined],
    ['Path(`/{x:v-{{.Vars.LIST}}}`)', 'GET /v-b.c', { x: 'v-b.c' }],
    ['Path(`/{x:v-{{.Vars.LIST}}}`)', 'GET /b.c', undefined],
    ['Path(`/{{.Vars.ODD}}`)', 'GET /{x}.*', {}],
    ['Path(`/{{.Vars.ODD}}`)', 'GET /y', undefined],
    ['Path(`/{{.Vars.N}}/{{.Vars.ON}}`)', 'GET /5/true', {}],
    ['Path(`/a{{.Vars.NONE}}`)', 'GET /a', {}],
    ['Path(`/{{.Vars.constructor}}x`)', 'GET /x', {}],
  ])('%s %s', (rule, line, expected) => expect(match(rule, line, variables)).toEqual(expected))

  test('work in headers, types and bare arguments', () => {
    const event = eventOf('GET /', { header: { Region: ['b.c'] } })
    expect(match('Header(`Region`, `{{.Vars.LIST}}`)', event, variables)).toEqual({})
    expect(match('Header(`Region`, {{.Vars.REGION}})', event, variables)).toBeUndefined()
    expect(() => compileRoute('Type(`{{.Vars.LIST}}`)', variables)).toThrow('LIST is a list')
    expect(() => compileRoute('Path(`/pre{{.Vars.LIST}}`)', variables)).toThrow('must be the complete text')
  })

  test('never become syntax of the rule', () => {
    const hostile: Variables = { X: '`) || All() || Path(`' }
    expect(match('Path(`/{{.Vars.X}}`)', 'GET /other', hostile)).toBeUndefined()
  })
})

describe('priority', () => {
  test.each([
    ['PathPrefix(`/qa/hasura/static`)', 31],
    ['Path(`/qa/hasura/{file}`)', 21],
    ['Path(`/qa/hasura/{file:[a-z]{3}[}]:x}`)', 21],
    ['  All()   &&\n All() ', 14],
    ['Path(`/{{.Vars.SUB}}/{{.Vars.LIST}}`)', 21],
    ['Path(`/\\{a\\}`)', 14],
  ])('%s', (rule, expected) => {
    expect(compileRoute(rule, { SUB: 'qa/hasura', LIST: ['x', 'y'] }).priority).toBe(expected)
  })
})

describe('RouteRules', () => {
  const words = fc.constantFrom('a', 'b', 'c', '{x}', '{y:[ab]}', '{r...}')
  const path = fc
    .array(words, { maxLength: 3 })
    .map(parts => `/${parts.filter((p, i) => p !== '{r...}' || i === parts.length - 1).join('/')}`)
  const part = fc.oneof(
    path.map(text => `Path(\`${text}\`)`),
    path.map(text => `PathPrefix(\`${text}\`)`),
    fc.constantFrom('Method(`GET`)', 'Method(`PUT`, `POST`)', 'Method(`{P.*}`)', 'Type(`http`)', 'Type(`x`)', 'All()'),
  )
  const rule = fc
    .array(part, { minLength: 1, maxLength: 3 })
    .chain(parts => fc.constantFrom(' && ', ' || ').map(joint => parts.join(joint)))
  const event = fc
    .tuple(
      fc.constantFrom('GET', 'put', 'POST', ''),
      fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 4 }),
      fc.constantFrom('io.kubefox.http', 'x', 'other'),
    )
    .map(([method, segments, type]) => eventOf(`${method} /${segments.join('/')}`, { type }))

  test('finds the same route as trying each rule in order', () => {
    fc.assert(
      fc.property(
        fc.array(rule, { maxLength: 20 }),
        fc.array(event, { minLength: 1, maxLength: 10 }),
        (texts, list) => {
          const routes = texts.map((text, value) => ({ rule: compileRoute(text), value }))
          const rules = new RouteRules(routes)
          for (const each of list) {
            const first = routes.find(route => route.rule.match(each) !== undefined)
            const found = rules.find(each)
            expect(found?.route).toBe(first)
            expect(found?.match).toEqual(first?.rule.match(each))
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  test('has limited memory for senders that never repeat a type', () => {
    const rules = new RouteRules([
      { rule: compileRoute('Path(`/a`)'), value: 1 },
      { rule: compileRoute('Type(`7`)'), value: 2 },
    ])
    for (let i = 0; i < 10_000; i++) {
      const found = rules.find(eventOf(`M${i} /b`, { type: `type.${i}` }))
      expect(found?.route.value).toBe(i % 10 === 7 ? 2 : undefined)
    }
    expect(rules.find(eventOf('GET /a', { type: 'x'.repeat(1000) }))?.route.value).toBe(1)
  })
})

test('RouteRules does not match texts that are too long and handles paths with many segments', () => {
  expect(
    match('Header(`X`, `{a*}`)', eventOf('GET /', { header: { X: 'a'.repeat(MAX_REGEX_INPUT + 1) } })),
  ).toBeUndefined()
  expect(match('Path(`/{x...}`)', `GET /${'a/'.repeat(1000)}`)).toBeDefined()
  expect(match('Path(`/a/{x...}`)', `GET /a/${'b/'.repeat(100_000)}`)).toBeUndefined()
})

test('RouteRules evaluates expressions that hang a backtracking engine', () => {
  expect(match('Path(`/{x:(a+)+b}`)', `GET /${'a'.repeat(4000)}`)).toBeUndefined()
})

test('compileRule accepts another set of predicates', () => {
  interface Seen {
    readonly ms: number
    readonly status: string
    readonly body: string
  }
  const predicates = {
    SpanSlower: predicate<Seen, ['number']>(['number'], ms => seen => seen.ms > ms),
    SpanStatus: predicate<Seen, ['word']>(['word'], word => seen => seen.status === word),
    LogBody: predicate<Seen, ['pattern']>(['pattern'], body => seen => body.matches(seen.body)),
  }
  const seen: Seen = { ms: 900, status: 'ERROR', body: 'timeout of cart' }
  const ask = (text: string, variables: Variables = {}): boolean =>
    compileRule(parseRule(text), predicates, variables).match(seen) !== undefined
  expect(ask('SpanSlower(800) && SpanStatus(ERROR) && LogBody({timeout.*})')).toBe(true)
  expect(ask('SpanSlower({{.Vars.LIMIT}}) || SpanStatus(`OK`)', { LIMIT: 1000 })).toBe(false)
  expect(() => ask('SpanSlower(`fast`)')).toThrow('expected a number')
  expect(() => ask('SpanSlower({{.Vars.NONE}})')).toThrow('is not a number')
  expect(() => ask('Path(`/`)')).toThrow('unknown predicate "Path"; there are SpanSlower, SpanStatus, LogBody')
})
