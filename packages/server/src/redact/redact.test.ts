import { encodeOtlp, readOtlpJson } from '@hearth/profile'
import { logs, metrics, traces } from '@hearth/signals'
import { describe, expect, it } from 'vitest'
import type { Payload } from '../store/keeper.ts'
import { encodePayload } from '../receive/otlp-content.ts'
import { redactPayload } from './redact-payload.ts'
import { REDACTED, Redactor } from './redactor.ts'
import { parseRedactionRules } from './rules.ts'

const KEY = new Uint8Array(32).fill(7)
const SECRET = 'ada@example.com'

function redactionOf(rules: string, tenant = 'shop', signal: Payload['signal'] = 'logs') {
  const redaction = new Redactor(parseRedactionRules(rules), KEY).for(tenant, signal)
  if (redaction === undefined) throw new Error('no rule applies')
  return redaction
}

const text = (key: string, value: string) => ({ key, value: { stringValue: value } })
const list = (key: string, value: string) => ({ key, value: { kvlistValue: { values: [text('inner', value)] } } })
const everywhere = [text('user.email', SECRET), list('request', SECRET), text('page', '/cart')]
const container = { attributes: everywhere }
const json = (value: object): Uint8Array => new TextEncoder().encode(JSON.stringify(value))

/** One payload of each signal, with the secret in every place for attributes. */
function payloads(): readonly Payload[] {
  const shared = { resource: container }
  const at = { scope: { name: 'scope', ...container } }
  const ids = { traceId: '01'.repeat(16), spanId: '02'.repeat(8) }
  const exemplars = [{ asInt: '1', filteredAttributes: everywhere }]
  const span = {
    ...ids,
    name: 'buy',
    ...container,
    events: [{ name: 'e', ...container }],
    links: [{ ...ids, ...container }],
  }
  const points = [
    { name: 'gauge', metadata: everywhere, gauge: { dataPoints: [{ asInt: '1', ...container, exemplars }] } },
    { name: 'sum', sum: { dataPoints: [{ asInt: '1', ...container, exemplars }] } },
    { name: 'histogram', histogram: { dataPoints: [{ count: '1', ...container, exemplars }] } },
    { name: 'exponential', exponentialHistogram: { dataPoints: [{ count: '1', ...container, exemplars }] } },
    { name: 'summary', summary: { dataPoints: [{ count: '1', ...container }] } },
  ]
  const records = [
    { body: { stringValue: `${SECRET} bought a hat` }, ...container },
    { body: { kvlistValue: { values: everywhere } } },
    { body: { arrayValue: { values: [{ stringValue: SECRET }] } } },
  ]
  const dictionary = {
    mappingTable: [{}, { attributeIndices: [1, 2, 3] }],
    locationTable: [{}, { mappingIndex: 1, attributeIndices: [1, 3] }],
    functionTable: [{}],
    linkTable: [{}],
    stringTable: ['', 'user.email', SECRET, 'request', 'page', 'cpu', 'ns'],
    attributeTable: [
      {},
      { keyStrindex: 1, value: { stringValue: SECRET } },
      { keyStrindex: 3, value: list('', SECRET).value },
      { keyStrindex: 4, value: { stringValue: '/cart' } },
    ],
    stackTable: [{}, { locationIndices: [1] }],
  }
  const profile = {
    sampleType: { typeStrindex: 5, unitStrindex: 6 },
    samples: [{ stackIndex: 1, values: ['3'], attributeIndices: [1, 2, 3] }],
    attributeIndices: [1, 3],
    originalPayloadFormat: 'pprof',
    originalPayload: Buffer.from(SECRET).toString('base64'),
  }
  const encoded = json({
    dictionary,
    resourceProfiles: [{ ...shared, scopeProfiles: [{ ...at, profiles: [profile] }] }],
  })
  return [
    { signal: 'profiles', profiles: readOtlpJson(encoded).profiles },
    {
      signal: 'traces',
      traces: traces.decodeJson(json({ resourceSpans: [{ ...shared, scopeSpans: [{ ...at, spans: [span] }] }] })),
    },
    {
      signal: 'logs',
      logs: logs.decodeJson(json({ resourceLogs: [{ ...shared, scopeLogs: [{ ...at, logRecords: records }] }] })),
    },
    {
      signal: 'metrics',
      metrics: metrics.decodeJson(
        json({ resourceMetrics: [{ ...shared, scopeMetrics: [{ ...at, metrics: points }] }] }),
      ),
    },
  ]
}

const encoded = (payload: Payload): Uint8Array =>
  payload.signal === 'profiles' ? encodeOtlp(payload.profiles) : encodePayload(payload)
const has = (payload: Payload, wanted: string): boolean => Buffer.from(encoded(payload)).includes(wanted)

describe('redactPayload', () => {
  for (const payload of payloads()) {
    const { signal } = payload
    it.each(['remove', 'hash'])(`can %s a value in every place of ${signal}`, action => {
      expect(has(payload, SECRET)).toBe(true)
      const redaction = redactionOf(`[{action: ${action}, valuePattern: '[a-z]+@example[.]com'}]`, 'shop', signal)
      const result = redactPayload(payload, redaction)
      expect([has(result, SECRET), has(result, '/cart')]).toEqual([false, true])
      expect(has(result, action === 'remove' ? REDACTED : 'hash:')).toBe(true)
      const places = { profiles: 10, traces: 10, logs: 10, metrics: 24 }[signal]
      expect(redaction.counts).toEqual(new Map([['rule 1', places]]))
    })

    it(`removes attributes of ${signal} by name, also inside of lists, and leaves the rest`, () => {
      const rules = "[{action: remove, keyPattern: 'user[.].*'}, {name: inner, action: remove, key: inner}]"
      const result = redactPayload(payload, redactionOf(rules, 'shop', signal))
      expect([has(result, 'user.email'), has(result, 'page'), has(result, 'request')]).toEqual([false, true, true])
      if (signal !== 'logs') expect(has(result, SECRET)).toBe(false)
    })

    it(`returns ${signal} unchanged if nothing matches`, () => {
      const redaction = redactionOf('[{action: remove, key: nothing}]', 'shop', signal)
      const result = redactPayload(payload, redaction)
      expect(redaction.counts.size).toBe(0)
      // Original payloads cannot be checked, and are dropped.
      if (signal !== 'profiles') expect(encoded(result)).toEqual(encoded(payload))
      else expect([has(result, SECRET), has(result, 'pprof')]).toEqual([true, false])
    })
  }
})

describe('Redactor', () => {
  it('applies rules to their tenants, signals and places only', () => {
    const rules = parseRedactionRules(
      '[{action: remove, key: a, tenants: [shop], signals: [logs], in: [resource]}, {action: remove, in: [body], tenants: [bank]}]',
    )
    const redactor = new Redactor(rules, KEY)
    expect(redactor.for('lab', 'logs')).toBeUndefined()
    expect(redactor.for('shop', 'traces')).toBeUndefined()
    const a = { key: 'a', value: 'x' }
    expect(redactor.for('shop', 'logs')?.attribute(a, 'resource')).toBeUndefined()
    expect(redactor.for('shop', 'logs')?.attribute(a, 'attributes')).toBe(a)
    expect([redactor.for('shop', 'logs')?.body('x'), redactor.for('bank', 'logs')?.body('x')]).toEqual(['x', undefined])
  })

  it('hashes equal values equally, with a key, and never twice', () => {
    const redaction = redactionOf('[{action: hash, key: user}]')
    const hashed = redaction.attribute({ key: 'user', value: 'ada' }, 'attributes')
    expect(hashed?.value).toMatch(/^hash:[0-9a-f]{32}$/)
    expect(redaction.attribute({ key: 'user', value: 'ada' }, 'resource')?.value).toBe(hashed?.value)
    expect(redaction.attribute(hashed ?? { key: '', value: '' }, 'attributes')).toBe(hashed)
    const other = new Redactor(parseRedactionRules('[{action: hash, key: user}]'), new Uint8Array(32)).for('a', 'logs')
    expect(other?.attribute({ key: 'user', value: 'ada' }, 'attributes')?.value).not.toBe(hashed?.value)
    const kinds = [1n, 1, '1', true, [1n], new Uint8Array([1])].map(
      value => redaction.attribute({ key: 'user', value }, 'attributes')?.value,
    )
    expect(kinds.every(value => typeof value === 'string' && value.startsWith('hash:'))).toBe(true)
  })

  it('finds values in numbers and bytes, and drops unknown fields beside a changed value', () => {
    const redaction = redactionOf(String.raw`[{action: remove, valuePattern: '4\d{15}'}]`)
    const redact = (value: bigint | Uint8Array) => redaction.attribute({ key: 'a', value, unknown: KEY }, 'attributes')
    expect(redact(4_111_111_111_111_111n)).toEqual({ key: 'a', value: REDACTED })
    expect(redact(Buffer.from('card 4111111111111111!'))).toEqual({ key: 'a', value: `card ${REDACTED}!` })
  })

  it('takes linear time for patterns that make others backtrack', () => {
    const redaction = redactionOf("[{action: remove, valuePattern: '(a+)+b'}]")
    const value = 'a'.repeat(20_000)
    expect(redaction.body(value)).toBe(value)
  })
})

describe('parseRedactionRules', () => {
  it.each([
    ['{', 'not a list of rules'],
    ['[{action: erase, key: a}]', 'rule 1, action'],
    ['[{action: hash}]', 'rule 1: give key, keyPattern or valuePattern'],
    ['[{action: hash, key: a, keyPattern: b}]', 'not both'],
    ["[{action: hash, keyPattern: '('}]", "the pattern '(' is invalid"],
    ["[{action: hash, valuePattern: 'a*'}]", 'matches the empty text'],
    ["[{action: hash, valuePattern: '((a{100}){10}){10}'}]", 'is'],
    ['[{action: hash, key: a, name: x}, {action: hash, key: b, name: x}]', 'the same name'],
    ['[{action: hash, key: a, signal: logs}]', 'rule 1'],
  ])('rejects %s', (rules, message) => {
    expect(() => parseRedactionRules(rules)).toThrow(message)
  })
})
