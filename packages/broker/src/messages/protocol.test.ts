// Tests errors, names, times and registrations.
import { describe, expect, test } from 'vitest'
import type { BrokerErrorKind } from './broker-error.ts'
import {
  BROKER_ERROR_CODES,
  BrokerError,
  errorContent,
  errorOf,
  errorResponse,
  readErrorContent,
} from './broker-error.ts'
import { componentKey, createComponent, extentOf, groupKey, normalizeName, sameComponent } from './component.ts'
import { createEvent, responseTo } from './create-event.ts'
import type { ComponentDefinition } from './definition.ts'
import { MAX_DEFINITION_BYTES, MAX_ROUTES, createDefinition, readDefinition, writeDefinition } from './definition.ts'
import { Category } from './event.ts'
import { isJsonContent } from './event-types.ts'
import { afterHolding, isTimedOut, msOfTtl, ttlAfter, ttlOfMs } from './ttl.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('BrokerError', () => {
  test('survives its JSON for every kind', () => {
    const kinds = Object.keys(BROKER_ERROR_CODES) as BrokerErrorKind[]
    expect(kinds).toHaveLength(16)
    for (const kind of kinds) {
      const error = new BrokerError(kind, `details of ${kind}`, { reason: 'why', retryAfterMs: 5 })
      const read = readErrorContent(errorContent(error))
      expect(read).toEqual(error)
      expect([read.kind, read.message, read.reason, read.retryAfterMs]).toEqual([kind, error.message, 'why', 5])
    }
    expect(new Set(kinds.map(kind => BROKER_ERROR_CODES[kind].code)).size).toBe(16)
  })

  test('has the JSON of the protocol', () => {
    const text = Buffer.from(errorContent(new BrokerError('busy', 'one runs', { retryAfterMs: 1500 }))).toString()
    expect(text).toBe('{"code":15,"grpcCode":8,"httpCode":429,"msg":"one runs","retry_after_ms":1500}')
  })

  test.each(['', 'nonsense', '[]', '5', '{"code":99}', '{"code":"6"}', '{"code":1.5,"msg":7,"retry_after_ms":-1}'])(
    'is unexpected for invalid content: %s',
    content => {
      expect(readErrorContent(utf8(content))).toMatchObject({ kind: 'unexpected', message: 'unexpected error' })
    },
  )

  test('is sent in a response that refers to the request', () => {
    const broker = createComponent({ type: 'Broker', name: 'b' })
    const request = createEvent({
      category: Category.REQUEST,
      ttl: 5n,
      type: 'ask',
      source: createComponent({ name: 'me' }),
      parentSpan: { traceId: new Uint8Array(16), spanId: new Uint8Array(8), traceState: '', flags: 1 },
    })
    const event = errorResponse(request, broker, new BrokerError('notFound', 'no'))
    expect(event).toMatchObject({
      category: Category.RESPONSE,
      type: 'io.kubefox.error',
      parentId: request.id,
      ttl: 5n,
      parentSpan: request.parentSpan,
      source: broker,
      target: { name: 'me' },
    })
    expect(event.id).not.toBe(request.id)
    expect(errorOf(event)?.kind).toBe('notFound')
    expect(errorOf(responseTo(request, broker))).toBeUndefined()
  })
})

describe('components', () => {
  test.each([
    ['Checkout', 'checkout'],
    ['my_app/v2', 'my-app-v2'],
    ['--x--', 'x'],
    ['Größe', 'gr--e'],
    ['a'.repeat(70), 'a'.repeat(63)],
    [`${'a'.repeat(62)}.b`, 'a'.repeat(62)],
    ['', ''],
  ])('have a normalized name for %s', (name, expected) => expect(normalizeName(name)).toBe(expected))

  test('have keys without empty parts', () => {
    const component = createComponent({ app: 'shop', name: 'cart', hash: '0123456789', id: 'i1' })
    expect(groupKey(component)).toBe('shop-cart-0123456')
    expect(componentKey(component)).toBe('shop-cart-0123456-i1')
    expect(componentKey(createComponent({ name: 'cart' }))).toBe('cart')
  })

  test('have an extent by how specific they are', () => {
    const complete = createComponent({ type: 'Process', name: 'cart', hash: '1', id: 'i', brokerId: 'b' })
    expect(
      [undefined, {}, { type: 'T', name: 'n' }, { name: 'n' }, { ...complete, id: '' }, complete].map(each =>
        extentOf(each && createComponent(each)),
      ),
    ).toEqual(['empty', 'empty', 'name', 'partial', 'partial', 'complete'])
    expect(sameComponent(complete, { ...complete })).toBe(true)
    expect(sameComponent(complete, { ...complete, brokerId: '' })).toBe(false)
  })
})

test('time to live decreases by the time that a hop holds an event', () => {
  const event = createEvent({ ttl: ttlOfMs(100) })
  expect(event.ttl).toBe(100_000_000n)
  expect(ttlAfter(event, 40.5)).toBe(59_500_000n)
  expect(ttlAfter(event, -5)).toBe(event.ttl)
  expect(isTimedOut(afterHolding(event, 99))).toBe(false)
  expect(isTimedOut(afterHolding(event, 100))).toBe(true)
  expect(isTimedOut(createEvent({}))).toBe(true)
  expect([msOfTtl(-1n), msOfTtl(2_500_000n), msOfTtl(2n ** 62n)]).toEqual([0, 2.5, 2 ** 31 - 1])
})

test('isJsonContent ignores parameters of the content type', () => {
  expect(['application/json', 'Application/JSON; charset=UTF-8', 'application/jsonl'].map(isJsonContent)).toEqual([
    true,
    true,
    false,
  ])
})

describe('definitions', () => {
  test('survive their JSON', () => {
    const definition = createDefinition({
      type: 'Process',
      routes: [
        { id: 0, rule: 'All()' },
        { id: 1, rule: 'Type(`x`)', priority: 5, envVarSchema: { A: { type: 'Array', required: true } } },
      ],
      defaultHandler: true,
      envVarSchema: { B: {} },
      dependencies: { cart: { type: 'Process' } },
      profileTypes: ['cpu'],
      attributes: { region: 'eu' },
    })
    expect(readDefinition(writeDefinition(definition))).toEqual(definition)
  })

  test('accept null for empty values and unknown members, as Go clients write them', () => {
    const read = readDefinition(utf8('{"type":"KubeFox","routes":null,"envVarSchema":null,"image":"x","later":{}}'))
    expect(read).toEqual(createDefinition({ type: 'KubeFox', image: 'x' }))
  })

  test.each([
    ['', 'content is not JSON'],
    ['[]', 'definition is not an object'],
    ['{"routes":{}}', 'routes is not a list'],
    ['{"routes":[{}]}', 'routes[0].rule is not a text'],
    ['{"routes":[{"id":1,"rule":"All()"}]}', 'routes[0].id is not 0'],
    ['{"routes":[{"rule":"All()","priority":"1"}]}', 'routes[0].priority is not a number'],
    ['{"envVarSchema":{"A":{"type":"Text"}}}', 'envVarSchema.A.type is not one of'],
    ['{"defaultHandler":1}', 'defaultHandler is not a boolean'],
    ['{"attributes":{"a":5}}', 'attributes.a is not a text'],
  ])('%s', (content, what) => {
    expect(() => readDefinition(utf8(content))).toThrow(what)
    expect(() => readDefinition(utf8(content))).toThrow(BrokerError)
  })

  test('have limits', () => {
    const routes = (count: number) => Array.from({ length: count }, (_, id) => ({ id, rule: 'All()' }))
    const content = (parts: Partial<ComponentDefinition>) => writeDefinition(createDefinition(parts))
    expect(readDefinition(content({ routes: routes(MAX_ROUTES) })).routes).toHaveLength(MAX_ROUTES)
    expect(() => readDefinition(content({ routes: routes(MAX_ROUTES + 1) }))).toThrow('more than 256')
    const attributes = { text: 'a'.repeat(MAX_DEFINITION_BYTES) }
    expect(() => readDefinition(content({ attributes }))).toThrow('exceeds the limit of 262144')
  })

  test('accept __proto__ as a name', () => {
    const { attributes } = readDefinition(utf8('{"attributes":{"__proto__":"x"}}'))
    expect(Object.entries(attributes)).toEqual([['__proto__', 'x']])
  })
})
