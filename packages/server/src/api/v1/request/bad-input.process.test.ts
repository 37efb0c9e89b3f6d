// Bad input on every endpoint: the response is a 4xx with an error of a fixed shape, and the server keeps working.
import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NO_SCOPE } from '../../../query/testing/plain-profiles.ts'
import { schemas } from '../testing/response-schemas.ts'
import { PREFIX, endpoints } from '../endpoints.ts'
import type { ApiServer } from '../testing/api-server.ts'
import { TEST_FROM, TEST_RANGE, openApiServer } from '../testing/api-server.ts'

let server: ApiServer
let url: string

beforeAll(async () => {
  server = await openApiServer()
  url = `${server.url}${PREFIX}`
  const long = { frames: [{ name: 'a'.repeat(30) }], values: [1n] }
  const profile = {
    resource: { word: `${'a'.repeat(5000)}!` },
    scope: NO_SCOPE,
    type: 'cpu',
    unit: 'ns',
    time: TEST_FROM,
  }
  await server.at.keep('words', [{ ...profile, attributes: {}, samples: [long] }])
})
afterAll(async () => {
  await server.close()
})

interface Bad {
  readonly what: string
  /** In the query string. */
  readonly query?: Readonly<Record<string, string>>
  /** In the body. A string is sent as it is. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Only for endpoints that have all these parameters. */
  readonly needs?: readonly string[]
  /** Only for endpoints about profiles, because only profiles are stored here. */
  readonly ofProfiles?: boolean
  /** A minimum of the response. */
  readonly expected: { readonly status?: number; readonly code?: string; readonly position?: number }
}

const ARGUMENT = { status: 400, code: 'argument' }
const SELECTED = ['selector']
const BAD: readonly Bad[] = [
  { what: 'an unknown parameter', query: { colour: 'red' }, expected: ARGUMENT },
  { what: 'a name of every object', query: { __proto__x: '1', constructor: '1' }, expected: ARGUMENT },
  { what: 'an unknown field', body: { colour: 'red' }, expected: ARGUMENT },
  { what: 'a list as body', body: [1, 2], expected: ARGUMENT },
  { what: 'a number as body', body: 5, expected: ARGUMENT },
  { what: 'half a body', body: '{"selector":', expected: { status: 400, code: 'request' } },
  { what: 'a prototype in the body', body: '{"__proto__":{"limit":5}}', expected: { status: 400 } },
  { what: 'deep lists', body: '['.repeat(100_000), expected: { status: 400, code: 'request' } },
  { what: 'a body of megabytes', body: `{"a":"${'x'.repeat(2 ** 20)}"}`, expected: { status: 413, code: 'request' } },
  { what: 'a body of another type', body: 'a,b', headers: { 'content-type': 'text/csv' }, expected: { status: 415 } },
  { what: 'no tenant', headers: { 'x-scope-orgid': '../etc' }, expected: ARGUMENT },
  {
    what: 'an incomplete selector',
    query: { selector: '{a="b"' },
    needs: SELECTED,
    expected: { status: 400, code: 'syntax', position: 6 },
  },
  {
    what: 'an empty selector',
    query: { selector: '}{' },
    needs: SELECTED,
    expected: { code: 'syntax', position: 0 },
  },
  { what: 'a selector with NUL', query: { selector: '\0' }, needs: SELECTED, expected: { code: 'syntax' } },
  { what: 'SQL', query: { selector: "'; DROP TABLE profiles --" }, needs: SELECTED, expected: { code: 'syntax' } },
  {
    what: 'an endless selector',
    body: { selector: `{${'a="b",'.repeat(5000)}}` },
    needs: SELECTED,
    expected: { code: 'syntax' },
  },
  {
    what: 'many matchers',
    body: { selector: `{${'a="b",'.repeat(40)}c="d"}` },
    needs: SELECTED,
    expected: { code: 'syntax' },
  },
  { what: 'a selector that is no text', body: { selector: 5 }, needs: SELECTED, expected: ARGUMENT },
  { what: 'null as selector', body: '{"selector":null}', needs: SELECTED, expected: ARGUMENT },
  {
    what: 'a broken regular expression',
    query: { ...TEST_RANGE, selector: '{region=~"("}' },
    needs: SELECTED,
    expected: { status: 400, code: 'regex' },
  },
  {
    what: 'a regular expression with look-behind',
    query: { ...TEST_RANGE, selector: String.raw`{region=~"(a)\\1"}` },
    needs: SELECTED,
    expected: { status: 400, code: 'regex' },
  },
  {
    what: 'a regular expression of exponential cost',
    query: { ...TEST_RANGE, selector: '{region=~"((x{900}){900}){900}"}' },
    needs: SELECTED,
    expected: { status: 400, code: 'regex' },
  },
  {
    what: 'an unknown attribute',
    query: { ...TEST_RANGE, selector: '{region, serivce.name="cart"}' },
    needs: SELECTED,
    ofProfiles: true,
    expected: { status: 422, code: 'unknown-attribute', position: 9 },
  },
  {
    what: 'an attribute of another level',
    query: { ...TEST_RANGE, selector: '{scope:service.name="cart"}' },
    needs: SELECTED,
    ofProfiles: true,
    expected: { status: 422, code: 'unknown-attribute' },
  },
  { what: 'an invalid time', query: { from: 'yesterday' }, needs: ['from'], expected: ARGUMENT },
  { what: 'a time before 1970', query: { from: '1969-01-01T00:00:00Z' }, needs: ['from'], expected: ARGUMENT },
  { what: 'a time after 2262', query: { to: '9'.repeat(40) }, needs: ['to'], expected: ARGUMENT },
  { what: 'a range that ends before it starts', query: { from: '20', to: '10' }, needs: ['from'], expected: ARGUMENT },
  { what: 'half a trace id', query: { ...TEST_RANGE, traceId: 'abc' }, needs: ['traceId'], expected: ARGUMENT },
  {
    what: 'a span without its trace',
    query: { ...TEST_RANGE, spanId: 'ab'.repeat(8) },
    needs: ['spanId', 'traceId'],
    ofProfiles: true,
    expected: ARGUMENT,
  },
  { what: 'a billion nodes', query: { nodes: '1000000000' }, needs: ['nodes'], expected: ARGUMENT },
  { what: 'nodes beyond 2^53', query: { nodes: '9'.repeat(30) }, needs: ['nodes'], expected: ARGUMENT },
  { what: 'zero nodes', query: { nodes: '0' }, needs: ['nodes'], expected: ARGUMENT },
  { what: 'half a node', body: { nodes: 0.5 }, needs: ['nodes'], expected: ARGUMENT },
  { what: 'text as nodes', body: { nodes: '5' }, needs: ['nodes'], expected: ARGUMENT },
  { what: 'a billion rows', query: { limit: '1000000000' }, needs: ['limit'], expected: ARGUMENT },
  { what: 'a billion cells', query: { rows: '1000000000' }, needs: ['rows'], expected: ARGUMENT },
  { what: 'columns of length 0', query: { ...TEST_RANGE, column: '0ns' }, needs: ['column'], expected: ARGUMENT },
  {
    what: 'columns of 292 years',
    query: { from: '0', to: '2262-01-01T00:00:00Z', column: '1ms' },
    needs: ['column'],
    expected: ARGUMENT,
  },
  { what: 'steps of length 0', query: { ...TEST_RANGE, step: '0s' }, needs: ['step'], expected: ARGUMENT },
  {
    what: 'steps of 292 years',
    query: { from: '0', to: '2262-01-01T00:00:00Z', step: '1ms' },
    needs: ['step'],
    expected: ARGUMENT,
  },
  {
    what: 'many groups',
    body: { groupBy: Array.from({ length: 9 }, () => 'a') },
    needs: ['groupBy'],
    expected: ARGUMENT,
  },
  { what: 'an unknown grouping', query: { by: 'colour' }, needs: ['by', 'inlined'], expected: ARGUMENT },
  { what: 'an invalid flag', query: { inlined: 'maybe' }, needs: ['inlined'], expected: ARGUMENT },
  { what: 'an unknown format', query: { format: '../../etc/passwd' }, needs: ['format'], expected: ARGUMENT },
]

async function ask(path: string, { query = {}, body, headers = {} }: Bad) {
  const at = `${url}${path}?${new URLSearchParams(query).toString()}`
  if (body === undefined) return await fetch(at, { headers })
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return await fetch(at, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text })
}

const queries = endpoints.filter(({ method }) => method === undefined)
const SIGNAL_PATHS =
  /^\/(?:traces|trace-density|spans|operations|compare-traces|ledger|interference|logs|log-|signal-|metric)/
const NEEDED: Readonly<Partial<Record<string, Readonly<Record<string, string>>>>> = {
  sandwich: { function: 'gc' },
  disassembly: { function: 'gc' },
  ledger: { operation: 'GET' },
  metricSeries: { name: 'm' },
  compareTraces: { name: 'GET' },
  signalAttributes: { signal: 'traces' },
  signalAttributeValues: { signal: 'traces' },
}

for (const { name, path, request } of queries) {
  const at = path.replace('{key}', 'region').replace('{profile}', '0').replace('{trace}', '01'.repeat(16))
  // Parameters that some endpoints require before they check others.
  const more = NEEDED[name] ?? {}
  const isOfProfiles = !SIGNAL_PATHS.test(path)
  const cases = BAD.filter(
    ({ needs = [], ofProfiles = false }) =>
      (isOfProfiles || !ofProfiles) && needs.every(parameter => parameter in request.shape),
  )
  test.each(cases)(`${path}: $what`, async bad => {
    const response = await ask(at, withNeeded(bad, more))
    const text = await response.text()
    expect([bad.what, response.status, text]).toEqual([bad.what, expect.toSatisfy(isRefusal), text])
    const { error } = schemas.failure.parse(JSON.parse(text))
    expect(error.message.length).toBeLessThan(1000)
    // Without results there is no sandwich and no file, for whatever reason.
    if (error.code === 'not-found' && (name === 'sandwich' || name === 'export')) return
    expect({ status: response.status, ...error }).toMatchObject(bad.expected)
  })
}

const isRefusal = (status: number) => status >= 400 && status < 500

function withNeeded(bad: Bad, more: Readonly<Record<string, string>>): Bad {
  const { body, query } = bad
  if (body === undefined) return { ...bad, query: { ...more, ...query } }
  return typeof body === 'object' && !Array.isArray(body) ? { ...bad, body: { ...more, ...body } } : bad
}

test.each([
  ['/profiles', 'x'],
  ['/profiles', `1.${'0'.repeat(16)}`],
  ['/profiles', '99999999999999999999.x'],
  ['/attributes/region/values', 'xyz'],
  ['/attributes/region/values', 'abc-1'],
])('%s after %s', async (path, after) => {
  const response = await ask(path, { what: '', query: { ...TEST_RANGE, after }, expected: {} })
  expect([response.status, schemas.failure.parse(await response.json()).error.code]).toEqual([400, 'argument'])
})

describe('rejects bytes that are not a request', () => {
  const raw = async (bytes: string) => {
    const socket = connect(server.port, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.on('data', chunk => chunks.push(chunk)).on('error', () => {})
    socket.write(bytes)
    await once(socket, 'close')
    const [head, body] = Buffer.concat(chunks).toString().split('\r\n\r\n')
    return [Number(head.split(' ')[1]), schemas.failure.parse(JSON.parse(body)).error.code]
  }
  const get = (path: string) => raw(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`)

  test('in addresses', async () => {
    expect(await get(`${PREFIX}/top?selector=${'x'.repeat(20_000)}`)).toEqual([431, 'request'])
    expect(await get(`${PREFIX}/attributes/${'k'.repeat(5000)}/values`)).toEqual([414, 'request'])
    expect(await get(`${PREFIX}/profiles/%zz`)).toEqual([400, 'request'])
    expect(await get(`${PREFIX}/nothing`)).toEqual([404, 'not-found'])
    expect(await get('/api/v2/top')).toEqual([404, 'not-found'])
    expect(await get(`${PREFIX}/../../healthz`)).toEqual([404, 'not-found'])
  })

  test('in the request line and the headers', async () => {
    expect(await raw('\0\u0001 hello\r\n\r\n')).toEqual([400, 'request'])
    expect(await raw(`POST ${PREFIX}/top HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n`)).toEqual([
      400,
      'request',
    ])
  })

  test('in methods', async () => {
    const response = await fetch(`${url}/top`, { method: 'DELETE' })
    const { error } = schemas.failure.parse(await response.json())
    expect([response.status, error.message]).toEqual([404, `no such path: DELETE ${PREFIX}/top`])
  })
})

test('bounds regular expressions that would never end elsewhere', async () => {
  const headers = { 'x-scope-orgid': 'words' }
  for (const expression of ['(a+)+$', '(a|aa)+$', '(a*)*b', '^(([a-z])+.)+[A-Z]([a-z])+$']) {
    for (const selector of [`{word=~"${expression}"}`, `{word!~"${expression}"}`, `| frame =~ "${expression}"`]) {
      const response = await ask('/top', { what: '', query: { ...TEST_RANGE, selector }, headers, expected: {} })
      expect([selector, response.status]).toEqual([selector, 200])
      await response.text()
    }
  }
})

test('reports an unknown attribute only if the range has data', async () => {
  const selector = '{serivce.name="cart"}'
  const at = (query: Readonly<Record<string, string>>) => ask('/top', { what: '', query, expected: {} })
  expect((await at({ ...TEST_RANGE, selector })).status).toBe(422)
  expect((await at({ from: '0', to: '1', selector })).status).toBe(200)
  expect((await at({ ...TEST_RANGE, selector: '{region="nowhere"}' })).status).toBe(200)
  expect((await at({ ...TEST_RANGE, selector: '{serivce.name!="cart"}' })).status).toBe(200)
})

test('never fails with a server error, whatever is sent', async () => {
  const parameters = [...new Set(queries.flatMap(({ request }) => Object.keys(request.shape)))]
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom('', '0', '-1', '5', 'true', 'now', '1s', '{}', '{a="b"}', 'cpu', 'otlp', 'line', '| frame "a"'),
  )
  const query = fc.dictionary(fc.constantFrom(...parameters), value, { maxKeys: 4 })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...queries),
      query,
      fc.string(),
      fc.boolean(),
      async (endpoint, given, inPath, posted) => {
        const path = endpoint.path.replace(/\{\w+\}/, encodeURIComponent(inPath))
        const bad = posted ? { body: given } : { query: given }
        const response = await ask(path, { what: '', ...bad, expected: {} })
        const body = await response.text()
        expect([response.status < 500, response.status, body.slice(0, 200)]).toEqual([
          true,
          response.status,
          body.slice(0, 200),
        ])
        if (response.status >= 400) schemas.failure.parse(JSON.parse(body))
      },
    ),
    { numRuns: 150 },
  )
})

test('keeps working and leaves nothing running', async () => {
  const response = await ask('/services', { what: '', query: TEST_RANGE, expected: {} })
  expect(schemas.services.parse(await response.json()).services.length).toBeGreaterThan(1)
  expect(server.gate.state).toEqual({ running: 0, waiting: 0 })
  expect(server.errors).toEqual([])
})
