import { describe, expect, test } from 'vitest'
import { parseAtTime } from '../at-time.ts'
import { parseIngestQuery } from './ingest-query.ts'
import { multipartParts } from './multipart.ts'
import { nameOfPprof, typeOfName, typeOfRecording, typeOfSpeedscope } from './profile-types.ts'
import { completeLabels, parseSeriesName, privateAttributes, resourceAttributes } from '../series-labels.ts'

const NOW = 1_790_000_000_123

describe('times', () => {
  test.each([
    ['1700000000', 1_700_000_000_000_000_000n],
    ['1700000000.25', 1_700_000_000_250_000_000n],
    ['1700000000123', 1_700_000_000_123_000_000n],
    ['1700000000123456', 1_700_000_000_123_456_000n],
    ['1700000000123456789', 1_700_000_000_123_456_789n],
    ['20260131', BigInt(Date.UTC(2026, 0, 31)) * 1_000_000n],
    ['now', 1_790_000_000_123_000_000n],
    ['now-1h', 1_789_996_400_123_000_000n],
    ['-30min', 1_789_998_200_123_000_000n],
    ['now+2days', 1_790_172_800_123_000_000n],
  ])('%s', (text, expected) => {
    expect(parseAtTime(text, NOW)).toBe(expected)
  })

  test.each([
    '',
    'x',
    'now-',
    'now-1fortnight',
    'now-1constructor',
    '20260231',
    '99999999999999999999',
    'now-9999999999y',
    '-5',
  ])('rejects %j', text => {
    expect(parseAtTime(text, NOW)).toBeUndefined()
  })
})

describe('names', () => {
  test('can have labels', () => {
    expect(parseSeriesName('my.app{ region = eu ,host=a=b}')).toEqual({
      app: 'my.app',
      labels: new Map([
        ['region', 'eu'],
        ['host', 'a=b'],
      ]),
    })
    expect(parseSeriesName('app')).toEqual({ app: 'app', labels: new Map() })
    expect(parseSeriesName('app{}').labels.size).toBe(0)
  })

  test.each(['', '{a=b}', 'app{a=b', 'app{a}', 'app{=b}', 'app{a=b} x'])('rejects %j', name => {
    expect(() => parseSeriesName(name)).toThrow(expect.objectContaining({ http: 400 }))
  })

  test('takes the service from the label, or else from the application', () => {
    const plain = completeLabels(parseSeriesName('app{region=eu,__session_id__=7,empty=}'), 'gospy')
    expect(resourceAttributes(plain)).toEqual([
      { key: 'service.name', value: 'app' },
      { key: 'pyroscope_spy', value: 'gospy' },
      { key: 'region', value: 'eu' },
    ])
    expect(privateAttributes(plain)).toEqual([{ key: 'pyroscope.label.__session_id__', value: '7' }])
    const named = completeLabels(parseSeriesName('app{service_name=shop}'), 'gospy')
    expect(named.get('service_name')).toBe('shop')
    expect(named.get('app_name')).toBe('app')
  })
})

describe('queries', () => {
  test.each([
    [{ format: 'pprof' }, '', 'pprof'],
    [{ format: 'trie' }, '', 'trie'],
    [{}, 'binary/octet-stream+trie', 'trie'],
    [{ format: 'pprof' }, 'binary/octet-stream+tree', 'tree'],
    [{}, 'multipart/form-data; boundary=x', 'pprof'],
    [{ format: 'jfr' }, 'multipart/form-data; boundary=x', 'jfr'],
    [{ format: 'folded' }, 'text/plain', 'groups'],
    [{}, '', 'groups'],
    [{ format: 'lines' }, '', 'lines'],
  ])('%j with %j is the format %s', (query, contentType, format) => {
    expect(parseIngestQuery({ name: 'app', ...query }, contentType, NOW).format).toBe(format)
  })

  test('uses defaults for absent parameters', () => {
    const now = BigInt(NOW) * 1_000_000n
    expect(parseIngestQuery({ name: 'app', from: '', units: '' }, '', NOW)).toMatchObject({
      from: now,
      until: now,
      sampleRate: 100n,
      spyName: 'unknown',
      units: undefined,
    })
  })

  test.each([
    [{}, /name is missing/],
    [{ name: 'a', from: 'soon' }, /from 'soon' is not a time/],
    [{ name: 'a', from: '1700000001', until: '1700000000' }, /after until/],
    [{ name: 'a', sampleRate: 'x' }, /sampleRate/],
    [{ name: 'a', sampleRate: '-1' }, /sampleRate/],
    [{ name: 'a', sampleRate: '1000000001' }, /sampleRate/],
  ])('rejects %j', (query, message) => {
    expect(() => parseIngestQuery(query, '', NOW)).toThrow(message)
  })
})

describe('multipart', () => {
  const type = 'multipart/form-data; boundary="x y"'
  const form = (...lines: readonly string[]): Uint8Array => Buffer.from(lines.join('\r\n'))
  const header = (name: string): string => `Content-Disposition: form-data; name="${name}"; filename="f"`

  test('returns binary parts by name', () => {
    const body = form(
      'preamble',
      '--x y',
      header('profile'),
      'Content-Type: a/b',
      '',
      '\r\n--x\0',
      '--x y  ',
      header('empty'),
      '',
      '',
      '--x y--',
      '',
    )
    const parts = multipartParts(body, type)
    expect([...parts].map(([name, bytes]) => [name, Buffer.from(bytes).toString()])).toEqual([
      ['profile', '\r\n--x\0'],
      ['empty', ''],
    ])
  })

  test('reads a form that fetch writes', async () => {
    const data = new FormData()
    data.append('profile', new Blob([Uint8Array.from([0, 13, 10, 45, 45, 255])]), 'p.pprof')
    data.append('text', 'ü')
    const request = new Request('http://x', { method: 'POST', body: data })
    const body = new Uint8Array(await request.arrayBuffer())
    const parts = multipartParts(body, request.headers.get('content-type') ?? '')
    expect(Array.from(parts.get('profile') ?? [])).toEqual([0, 13, 10, 45, 45, 255])
    expect(Buffer.from(parts.get('text') ?? []).toString()).toBe('ü')
  })

  test.each([
    ['no boundary', 'multipart/form-data', form('--x y--')],
    ['boundary nowhere', type, form('--z', header('a'), '', 'b', '--z--')],
    ['cut off', type, form('--x y', header('a'), '', 'b')],
    ['no name', type, form('--x y', 'Content-Disposition: form-data', '', 'b', '--x y--')],
    ['endless header', type, form('--x y', `X: ${'a'.repeat(10_000)}`, '', 'b', '--x y--')],
    ['many parts', type, form(...Array.from({ length: 40 }, () => ['--x y', header('a'), '', 'b']).flat(), '--x y--')],
    ['junk behind the boundary', type, form('--x yz', header('a'), '', 'b', '--x y--')],
  ])('%s', (_name, contentType, body) => {
    expect(() => multipartParts(body, contentType)).toThrow(expect.objectContaining({ http: 422 }))
  })

  test('rejects every truncated body', () => {
    const body = form('--x y', header('a'), '', 'content', '--x y--')
    for (let length = 0; length < body.length; length++)
      expect(() => multipartParts(body.subarray(0, length), type)).toThrow(expect.objectContaining({ http: 422 }))
  })
})

describe('types', () => {
  test('follow from the suffix of the name', () => {
    expect(typeOfName('my.app.alloc_space')).toMatchObject({ app: 'my.app', type: { name: 'memory', unit: 'bytes' } })
    expect(typeOfName('app')).toMatchObject({ app: 'app', type: { name: 'process_cpu', type: 'cpu', perSample: true } })
    expect(typeOfName('app.v2')).toBeUndefined()
    expect(typeOfName('app.toString')).toBeUndefined()
    expect(typeOfName('.cpu')).toBeUndefined()
  })

  test.each([
    [['samples', 'cpu'], undefined, 'process_cpu'],
    [['sample', 'wall'], undefined, 'wall'],
    [['objects', 'space'], undefined, 'memory'],
    [['alloc_objects', 'inuse_space'], undefined, 'memory'],
    [['contentions', 'delay'], undefined, 'mutex'],
    [['contentions', 'delay'], new Map([['contentions', 'block_count']]), 'block'],
    [['goroutine'], undefined, 'goroutines'],
    [['requests'], undefined, 'requests'],
  ])('names pprof files with types %j, displayed as %j', (types, shown, name) => {
    expect(nameOfPprof(types, shown)).toBe(name)
  })

  test('follow from the values of recordings', () => {
    expect(typeOfRecording('mutex_delay', 'nanoseconds', '', '')).toMatchObject({
      name: 'mutex',
      type: 'delay',
      unit: 'nanoseconds',
      periodType: 'mutex',
    })
    expect(typeOfRecording('cpu', 'count', '', '')).toMatchObject({ unit: 'nanoseconds', perSample: true })
    expect(typeOfRecording('sleeps', 'count', '', '')).toMatchObject({
      name: 'sleeps',
      type: 'sleeps',
      perSample: false,
    })
  })

  test('follow from the unit and the name in speedscope', () => {
    const { type: cpu } = typeOfName('app')!
    const { type: space } = typeOfName('app.alloc_space')!
    expect(typeOfSpeedscope(cpu, 'nanoseconds', false)).toMatchObject({ name: 'process_cpu', perSample: false })
    expect(typeOfSpeedscope(cpu, 'nanoseconds', true)).toMatchObject({ name: 'wall', perSample: false })
    expect(typeOfSpeedscope(cpu, 'count', true)).toBe(cpu)
    expect(typeOfSpeedscope(cpu, 'bytes', true)).toMatchObject({ name: 'memory', type: 'samples', unit: 'bytes' })
    expect(typeOfSpeedscope(space, 'bytes', true)).toBe(space)
    expect(typeOfSpeedscope(space, 'nanoseconds', false)).toMatchObject({ name: 'wall' })
    expect(typeOfSpeedscope(cpu, 'count/10', false)).toMatchObject({ type: 'samples', unit: 'count/10' })
  })
})
