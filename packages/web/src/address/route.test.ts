// Tests that every route survives being written and read, and that any address can be read.
import { LANE_KINDS, SNAPSHOT_MODES } from '@hearth/profile'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { BROKER_TABS, CAPTURE_TIMES, EVENT_CATEGORIES } from './broker-route.ts'
import { LANE_PARTS } from './lanes-view.ts'
import { LANE_SORTS } from '../timeline/lane-sort.ts'
import { DIFF_SORTS, HEAT_COLUMNS, HEAT_DIFFS, HEAT_PARTS, ROW_CHOICES } from './heat-view.ts'
import { METRIC_KINDS, METRIC_SHOWS } from './metric-search.ts'
import { NORMALISATIONS } from './normalisation.ts'
import type { Query } from './query.ts'
import { EMPTY_QUERY, FILTER_OPERATORS, hasSnapshots, readFilter, selectorOf, snapshotsOf } from './query.ts'
import type { CompareRoute, Comparison, Route } from './route.ts'
import {
  BREAKDOWNS,
  COMPARISONS,
  FUNCTION_PARTS,
  SERVICE_SORTS,
  TRACE_SCOPES,
  TRACE_SORTS,
  readRoute,
  writeRoute,
} from './route.ts'
import { SEVERITIES, SPAN_KINDS, SPAN_STATUSES } from './signal-searches.ts'
import type { View } from './view.ts'
import { COLOURS, DEFAULT_VIEW, FOLDS, SHOWN, SORTS } from './view.ts'

// An address cannot contain lone surrogates.
const word = fc.string({ unit: 'grapheme', maxLength: 12 })
const key = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
const filter = fc
  .record({ key, operator: fc.constantFrom(...FILTER_OPERATORS), value: word })
  // `<` with a value that starts with `=` is written like `<=`, so it is not unique.
  .filter(({ operator, value }) => !((operator === '<' || operator === '>') && value.startsWith('=')))
  .filter(({ operator, value }) => !(operator === '=' && value.startsWith('~')))
  .map(each => (each.operator === 'exists' || each.operator === 'absent' ? { ...each, value: '' } : each))
const stack = fc.record({
  negated: fc.boolean(),
  place: fc.constantFrom('frame', 'from', 'leaf'),
  regex: fc.boolean(),
  name: word,
})
const query: fc.Arbitrary<Query> = fc.record({
  service: word,
  type: word,
  filters: fc.array(filter, { maxLength: 3 }),
  stacks: fc.array(
    stack.filter(({ regex, name }) => regex || !name.startsWith('~')),
    { maxLength: 2 },
  ),
  from: word,
  to: word,
  snapshots: fc.constantFrom(...SNAPSHOT_MODES),
})
const transform = fc.oneof(
  fc.record({ kind: fc.constantFrom('focus-function', 'drop-function'), function: fc.record({ name: word }) }),
  fc.record({ kind: fc.constant('collapse-library'), mapping: word }),
  fc.record({ kind: fc.constant('collapse-all-recursion') }),
)
const timeSpan = fc.option(
  fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 62n }), fc.bigInt({ min: 1n, max: 10n ** 12n })).map(([from, length]) => ({
    from,
    until: from + length,
  })),
  { nil: undefined },
)
const lanes = fc.record({
  kind: fc.constantFrom(...LANE_KINDS),
  sort: fc.constantFrom(...LANE_SORTS),
  find: word,
  hidden: fc.array(word, { maxLength: 2 }),
  hiddenTypes: fc.array(word, { maxLength: 2 }),
  metrics: fc.array(word, { maxLength: 2 }),
  range: timeSpan,
  threads: fc.array(word, { maxLength: 2 }),
  type: word,
  part: fc.constantFrom(...LANE_PARTS),
})
const heat = fc.record({
  column: fc.constantFrom(...HEAT_COLUMNS),
  rows: fc.constantFrom(...ROW_CHOICES),
  sums: fc.boolean(),
  enhanced: fc.boolean(),
  busy: fc.boolean(),
  range: timeSpan,
  before: timeSpan,
  after: timeSpan,
  part: fc.constantFrom(...HEAT_PARTS),
  diff: fc.constantFrom(...HEAT_DIFFS),
  order: fc.constantFrom(...DIFF_SORTS),
  absolute: fc.boolean(),
  filter: word,
})
const view = fc.record({
  show: fc.constantFrom(...SHOWN),
  search: word,
  regex: fc.boolean(),
  focus: fc.array(word, { maxLength: 4 }),
  transforms: fc.array(transform, { maxLength: 3 }),
  roots: fc.array(fc.constantFrom('thread.name', 'resource:host.name', 'a=b & c'), { maxLength: 2 }),
  addresses: fc.boolean(),
  fold: fc.constantFrom(...FOLDS),
  inverted: fc.boolean(),
  upwards: fc.boolean(),
  colour: fc.constantFrom(...COLOURS),
  colourBlind: fc.boolean(),
  frame: word,
  frameFile: word,
  sort: fc.constantFrom(...SORTS),
  reverse: fc.boolean(),
  thread: word,
  span: word,
  lanes,
  heat,
}) as fc.Arbitrary<View>
const comparison: fc.Arbitrary<Comparison> = fc.record({
  shows: fc.constantFrom(...COMPARISONS),
  absolute: fc.boolean(),
  filter: word,
  sort: fc.constantFrom(...DIFF_SORTS),
})
const per = fc.constantFrom(...NORMALISATIONS)
const filters = fc.array(filter, { maxLength: 3 })
const ids = fc.array(word, { maxLength: 2 })
const traceSearch = fc.record({
  service: word,
  name: word,
  kind: fc.constantFrom(...SPAN_KINDS),
  status: fc.constantFrom(...SPAN_STATUSES),
  minDuration: word,
  maxDuration: word,
  samples: word,
  filters,
  from: word,
  to: word,
})
const logSearch = fc.record({
  service: word,
  text: word,
  regex: fc.boolean(),
  exact: fc.boolean(),
  severity: fc.constantFrom(...SEVERITIES),
  trace: word,
  span: word,
  profile: word,
  process: word,
  thread: word,
  filters,
  from: word,
  to: word,
})
const routes: fc.Arbitrary<Route> = fc.oneof(
  fc.record({
    screen: fc.constant('services'),
    from: word,
    to: word,
    find: word,
    sort: fc.constantFrom(...SERVICE_SORTS),
    reverse: fc.boolean(),
    per,
  }),
  fc.record({ screen: fc.constant('explore'), query, groupBy: fc.array(word, { maxLength: 2 }), per, view }),
  fc.record({ screen: fc.constant('breakdown'), query, key: word, show: fc.constantFrom(...BREAKDOWNS), per }),
  fc.record({
    screen: fc.constant('function'),
    query,
    name: word,
    file: word,
    part: fc.constantFrom(...FUNCTION_PARTS),
    key: word,
    per,
  }),
  fc.record({
    screen: fc.constant('compare'),
    before: query,
    after: query,
    per,
    comparison: comparison.map(({ shows, filter, sort }) => ({ shows, filter, sort })),
    view,
  }),
  fc.record({
    screen: fc.constant('file'),
    files: fc.array(word, { maxLength: 3 }),
    symbols: fc.array(word, { maxLength: 2 }),
    open: fc.array(word, { maxLength: 2 }),
    type: word,
    allFrames: fc.boolean(),
    comparison,
    view,
  }),
  fc.record({ screen: fc.constant('profiles'), query, after: word }),
  fc.record({ screen: fc.constant('profile'), profile: word, view }),
  fc.record({
    screen: fc.constant('traces'),
    search: traceSearch,
    sort: fc.constantFrom(...TRACE_SORTS),
    after: word,
    slow: ids,
    fast: ids,
  }),
  fc.record({
    screen: fc.constant('trace'),
    traceId: word,
    spanId: word,
    scope: fc.constantFrom(...TRACE_SCOPES),
    type: word,
    unlinked: fc.boolean(),
    corrected: fc.boolean(),
    find: word,
    view,
  }),
  fc.record({
    screen: fc.constant('slow'),
    search: traceSearch,
    type: word,
    threshold: word,
    quantile: word,
    slow: ids,
    fast: ids,
    comparison,
    view,
  }),
  fc.record({ screen: fc.constant('logs'), search: logSearch, follow: fc.boolean() }),
  fc.record({
    screen: fc.constant('broker'),
    tab: fc.constantFrom(...BROKER_TABS),
    find: word,
    component: word,
    paused: fc.boolean(),
    trigger: word,
    edits: fc.boolean(),
    before: word,
    type: word,
    category: fc.constantFrom(...EVENT_CATEGORIES),
    source: word,
    target: word,
    outcome: word,
    sends: fc.boolean(),
  }),
  fc.record({
    screen: fc.constant('capture'),
    capture: word,
    draft: fc.record({
      service: word,
      environment: word,
      instance: word,
      all: fc.boolean(),
      type: word,
      duration: word,
      time: fc.constantFrom(...CAPTURE_TIMES),
      frequency: word,
      reason: word,
    }),
    of: word,
    shown: word,
    view,
  }),
  fc.record({
    screen: fc.constant('metric'),
    search: fc.record({
      service: word,
      find: word,
      kind: fc.constantFrom(...METRIC_KINDS),
      unit: fc.option(word, { nil: undefined }),
      filters: fc.array(filter, { maxLength: 3 }),
      from: word,
      to: word,
    }),
    view: fc.record({
      name: word,
      ofKind: fc.constantFrom(...METRIC_KINDS),
      ofUnit: word,
      ofTemporality: fc.constantFrom('', 'delta', 'cumulative'),
      show: fc.constantFrom(...METRIC_SHOWS),
      groupBy: fc.array(word, { maxLength: 2 }),
      beside: word,
    }),
  }),
  fc.constant({ screen: 'status' }),
  fc.constant({ screen: 'targets' }),
) as fc.Arbitrary<Route>

function readAddress(address: string): Route {
  const { pathname, search } = new URL(address, 'http://page/')
  return readRoute(pathname.slice(1), search)
}

test('readRoute returns the route that writeRoute wrote', () => {
  fc.assert(
    fc.property(routes, route => {
      expect(readAddress(writeRoute(route))).toEqual(route)
    }),
  )
})

test('writeRoute returns one spelling for every address', () => {
  const parameters = fc.constantFrom(
    'service',
    'where',
    'stack',
    'view',
    'at',
    'do',
    'regex',
    'group',
    'from',
    'a.type',
  )
  const pairs = fc.array(fc.tuple(parameters, word), { maxLength: 6 })
  const paths = fc.constantFrom(
    '',
    'services',
    'breakdown',
    'function',
    'explore',
    'compare',
    'file',
    'profiles',
    'profile',
    'traces',
    'trace',
    'logs',
    'metric',
    'slow',
    'broker',
    'capture',
    'x',
  )
  fc.assert(
    fc.property(paths, pairs, (path, values) => {
      const once = writeRoute(readRoute(path, new URLSearchParams(values).toString()))
      expect(writeRoute(readAddress(once))).toBe(once)
    }),
  )
})

test('readRoute returns the start screen for an empty address and reports unknown screens', () => {
  expect(readRoute('', '')).toMatchObject({ screen: 'services', per: 'second' })
  expect(writeRoute(readRoute('', ''))).toBe('services')
  expect(readRoute('', '?service=checkout')).toMatchObject({ screen: 'explore', view: DEFAULT_VIEW })
  expect(readRoute('a/b', '')).toEqual({ screen: 'missing', path: 'a/b' })
  expect(readRoute('heatmap', '?a=b')).toEqual({ screen: 'missing', path: 'heatmap' })
})

test('readRoute ends the baseline of a comparison now if only its start is given', () => {
  const before = (search: string) => {
    const { from, to } = (readRoute('compare', search) as CompareRoute).before
    return [from, to]
  }
  expect(before('')).toEqual(['now-2h', 'now-1h'])
  expect(before('?a.from=now-15m')).toEqual(['now-15m', 'now'])
  expect(before('?a.from=now-2h')).toEqual(['now-2h', 'now'])
  expect(before('?a.to=now-5m')).toEqual(['now-2h', 'now-5m'])
})

test('Compare shows shares by default, and totals for old links to absolute values', () => {
  const perOf = (search: string) => (readRoute('compare', search) as CompareRoute).per
  expect(['', '?per=core', '?absolute=1', '?absolute'].map(perOf)).toEqual(['share', 'core', 'total', 'total'])
})

test('readFilter reads what writeFilter writes', () => {
  expect(readFilter('region=~eu|us')).toEqual({ key: 'region', operator: '=~', value: 'eu|us' })
  expect(readFilter('!debug')).toEqual({ key: 'debug', operator: 'absent', value: '' })
  expect(readFilter('a%3db>=5')).toEqual({ key: 'a=b', operator: '>=', value: '5' })
  expect([readFilter(''), readFilter('!'), readFilter('=x')]).toEqual([undefined, undefined, undefined])
})

test('selectorOf writes the selector of a query', () => {
  const filters = [
    { key: 'resource:region', operator: '=', value: 'e"u' },
    { key: 'http.status', operator: '>=', value: '500' },
    { key: 'a b', operator: 'absent', value: '' },
  ] as const
  const stacks = [{ negated: true, place: 'leaf', regex: true, name: '^gc' }] as const
  expect(selectorOf({ service: 'shop', type: 'cpu:ns', filters, stacks })).toBe(
    'cpu:ns{resource:service.name="shop", resource:region="e\\"u", http.status>=500, !"a b"} | !leaf =~"^gc"',
  )
  expect(selectorOf({ service: '', type: '', filters: [], stacks: [] })).toBe('')
  const typed = (type: string): string => selectorOf({ service: '', type, filters: [], stacks: [] })
  expect(typed('cpu-clock:ppp:nanoseconds')).toBe('"cpu-clock:ppp":nanoseconds')
  expect(typed('process_cpu:cpu:nanoseconds:cpu:nanoseconds')).toBe('process_cpu:cpu:nanoseconds:cpu:nanoseconds')
})

describe('snapshotsOf', () => {
  it('returns a mode other than the default for types that are snapshots of a state', () => {
    const query = { ...EMPTY_QUERY, type: 'inuse_space:By', snapshots: 'latest' } as const
    expect(snapshotsOf(query)).toEqual({ snapshots: 'latest' })
    expect(snapshotsOf({ ...query, snapshots: 'average' })).toEqual({})
    expect(snapshotsOf({ ...query, type: 'cpu:ns' })).toEqual({})
    expect([hasSnapshots({ type: 'goroutine:count' }), hasSnapshots({ type: '' })]).toEqual([true, false])
  })
})
