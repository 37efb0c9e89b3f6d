import type { DiffResponse, DiffSide } from '@hearth/client'
import { expect, test } from 'vitest'
import { changeLines, changesJson } from './changed-frames.ts'
import { remoteChanges, requestChanges } from './remote-changes.ts'

function side(self: readonly string[], total: readonly string[], sum: string, hidden = 0): DiffSide {
  return {
    type: 'cpu',
    unit: 'ns',
    temporality: 'delta',
    profiles: 1,
    clamped: false,
    from: '0',
    to: '0',
    notes: [],
    sum,
    overflow: false,
    hidden: { nodes: hidden, self: '0' },
    missing: { stacks: 0, self: '0', unresolved: [] },
    self,
    total,
  }
}

//   main ─ fib ─ fib ─ log
//        └ log
function response(before: DiffSide, after: DiffSide, presence = [3, 3, 3, 2, 1], scale = 1): DiffResponse {
  return {
    order: 'root-first',
    scale,
    before,
    after,
    frames: [{ name: 'main' }, { name: '_ZN3fibEv', file: 'fib.cc', line: '3' }, { name: 'log', mapping: 'libc.so' }],
    nodes: {
      parent: [-1, 0, 1, 2, 0],
      frame: [0, 1, 1, 2, 2],
      hiddenChildren: [0, 0, 0, 0, 0],
      presence,
      selfDelta: [],
      totalDelta: [],
    },
  }
}

const BEFORE = side(['1', '1', '2', '0', '5'], ['9', '3', '2', '0', '5'], '9')

test('remoteChanges counts recursion once and merges equal frames into one row', () => {
  const after = side(['1', '1', '9', '4', '0'], ['15', '14', '13', '4', '0'], '15')
  const { rows } = remoteChanges(response(BEFORE, after), {})
  expect(
    rows.map(({ name, place, presence, self, total }) => [name, place, presence, self.delta, total.delta]),
  ).toEqual([
    ['_ZN3fibEv', 'fib.cc:3', 'both', 7n, 11n],
    ['log', 'libc.so', 'both', -1n, -1n],
    ['main', '', 'both', 0n, 6n],
  ])
  expect(rows[0].total).toEqual({ before: 3n, after: 14n, delta: 11n })
})

test('remoteChanges marks frames of one side as new or vanished', () => {
  const { rows } = remoteChanges(response(BEFORE, BEFORE, [1, 1, 1, 2, 2]), {})
  expect(Object.fromEntries(rows.map(({ name, presence }) => [name, presence]))).toEqual({
    main: 'vanished',
    _ZN3fibEv: 'vanished',
    log: 'new',
  })
})

test('remoteChanges is exact beyond 2^53, and rounds scaled values', () => {
  const large = (2n ** 63n - 1n).toString()
  const after = side(['0', '0', '0', '0', large], [large, '0', '0', '0', large], large)
  const exact = remoteChanges(response(BEFORE, after), {}).rows.find(({ name }) => name === 'log')
  expect(exact?.self.delta).toBe(2n ** 63n - 6n)
  const scaled = side(['1.5', '1.5', '3', '0', '7.5'], ['13.5', '4.5', '3', '0', '7.5'], '9')
  const rounded = remoteChanges(response(scaled, BEFORE, undefined, 1.5), { normalise: true })
  expect(rounded).toMatchObject({ normalised: true, scale: 1.5 })
  expect(rounded.rows.find(({ name }) => name.startsWith('_Z'))?.self).toEqual({ before: 5n, after: 3n, delta: -1n })
})

test('requestChanges divides by the number of requests and judges each change', () => {
  // 78 slow requests of 617 ms, 500 fast ones of 130 ms, scaled to 78, and a function that costs the same in both.
  const [slow, fast] = ['48126', '10140']
  const before = side([fast, '0', '0', '0', '780'], [String(10140 + 780), '0', '0', '0', '780'], String(500 * 140))
  const after = side([slow, '0', '0', '0', '780'], [String(48126 + 780), '0', '0', '0', '780'], String(78 * 627))
  const set = (traces: number, perTrace: number) => ({
    found: traces,
    traces,
    traceIds: [],
    sampled: traces,
    samples: (traces * perTrace) / 10,
    perTrace,
  })
  const diff = response(before, after, undefined, 78 / 500)
  const changes = requestChanges({ diff, deviations: [], fast: set(500, 140), slow: set(78, 627) })
  expect(changes.rows.map(({ name, self, significance }) => [name, self, significance?.self])).toEqual([
    ['main', { before: 130, after: 617, delta: 487 }, 'clear'],
    ['_ZN3fibEv', { before: 0, after: 0, delta: 0 }, 'chance'],
    ['log', { before: 10, after: 10, delta: 0 }, 'chance'],
  ])
  expect(changes).toMatchObject({ before: { sum: 140, requests: 500 }, after: { sum: 627, requests: 78 } })
})

test('requestChanges keeps the fractions of values per request', () => {
  // Four slow requests with 3 and 1 samples, eight fast ones with 2 and 1, scaled to 4.
  const before = side(['1', '0', '0', '0', '0.5'], ['1.5', '0', '0', '0', '0.5'], '3')
  const after = side(['3', '0', '0', '0', '1'], ['4', '0', '0', '0', '1'], '4')
  const set = (traces: number, samples: number) => ({
    found: traces,
    traces,
    traceIds: [],
    sampled: traces,
    samples,
    perTrace: samples / traces,
  })
  const diff = response(before, after, undefined, 4 / 8)
  const changes = requestChanges({ diff, deviations: [], fast: set(8, 3), slow: set(4, 4) })
  expect(changes.rows.map(({ name, self }) => [name, self])).toEqual([
    ['main', { before: 0.25, after: 0.75, delta: 0.5 }],
    ['log', { before: 0.125, after: 0.25, delta: 0.125 }],
    ['_ZN3fibEv', { before: 0, after: 0, delta: 0 }],
  ])
  const lines = changeLines(changes, { sort: 'self', count: undefined }, undefined).join('\n')
  expect(lines).toMatch(
    /^before {2}.*0\.375 .*, per request of 8\nafter .* 1 .*, per request of 4\nchange {2}\+0\.625 /,
  )
  expect(lines).toMatch(/0\.125 ns +0\.25 ns +\+0\.125 ns/)
  expect(changesJson(changes, { sort: 'self', count: 1 })).toMatchObject({
    before: '0.375',
    rows: [{ self: { before: '0.25', after: '0.75', delta: '0.5' } }],
  })
})

test('changeLines shows demangled names and the number of hidden calls', () => {
  const after = side(['1', '1', '9', '4', '0'], ['15', '14', '13', '4', '0'], '15', 12)
  const changes = remoteChanges(response(BEFORE, after), { demangle: true })
  const lines = changeLines(changes, { sort: 'self', count: 1 }, undefined)
  expect(lines.slice(-3)).toEqual([
    expect.stringMatching(/ fib\(\) +fib\.cc:3$/),
    'and 1 row more (-n 2 shows all)',
    '12 calls hidden because they are too small',
  ])
  expect(changesJson(changes, { sort: 'self', count: 1 })).toMatchObject({ hidden: 12, rows: [{ name: 'fib()' }] })
})
