// Small traces, one per feature of Chrome, Hermes and other writers of trace events.
import { encodeUtf8 } from '../../../wire/utf8.ts'

const event = (ph: string, name: string, ts: number | string, more: object = {}) => ({
  ph,
  name,
  pid: 1,
  tid: 7,
  ts,
  ...more,
})

const named = (what: 'process_name' | 'thread_name', pid: number, tid: number, name: string) => ({
  ph: 'M',
  name: what,
  pid,
  tid,
  args: { name },
})

const frame = (functionName: string, lineNumber = -1, columnNumber = -1, url = '', scriptId = '0') => ({
  functionName,
  scriptId,
  url,
  lineNumber,
  columnNumber,
})

const nested = [
  event('B', 'main', 0),
  event('X', 'run', 2, { dur: 5 }),
  event('X', 'gc', 3.5, { dur: 1.25 }),
  event('E', 'main', 10),
  event('X', 'main', 10, { dur: 3 }),
  event('X', 'main', 20, { dur: 3 }),
]

const nodes = [
  { id: 1, callFrame: frame('(root)') },
  { id: 2, parent: 1, callFrame: frame('', 0, 0, 'app.js', '12') },
  { id: 3, parent: 2, callFrame: frame('parse', 9, 14, 'app.js', '12'), deoptReason: 'wrong map' },
  { id: 4, parent: 1, callFrame: frame('(idle)') },
]

const chunk = (ts: number, data: object, more: object = {}) =>
  event('P', 'ProfileChunk', ts, { id: '0x1', tid: 99, args: { data }, ...more })

const profile = [
  chunk(3000, { cpuProfile: { samples: [4, 3] }, timeDeltas: [100, 125], lines: [0, 12], endTime: 2000 }),
  event('P', 'Profile', 1000, { id: '0x1', args: { data: { startTime: 1000 } } }),
  chunk(2000, { cpuProfile: { nodes, samples: [2, 3, 3] }, timeDeltas: [10, 150, 0], lines: [1, 11, 12] }),
]

const withChildren = [
  { id: 1, callFrame: frame('(root)'), children: [2] },
  { id: 2, callFrame: frame('old', 3, 4, 'old.js', '9'), children: [] },
]

const place = { url: '/app/require.js', line: 54, column: 12, funcLine: '1', funcColumn: '1' }

const files: Readonly<Record<string, unknown>> = {
  'B, E and X': nested,
  'an object': { traceEvents: nested, metadata: { source: 'DevTools' }, displayTimeUnit: 'ns' },
  'processes and threads with names': [
    named('process_name', 1, 0, 'Browser'),
    named('thread_name', 1, 7, 'CrBrowserMain'),
    named('thread_name', 2, 7, 'CrRendererMain'),
    event('X', 'a', 0, { dur: 1, pid: 2 }),
    event('X', 'b', 0, { dur: 1, tid: 8 }),
    event('X', 'c', 1, { dur: 1 }),
    event('X', 'd', 5, { dur: 1, pid: 'worker', tid: 'x' }),
  ],
  'ends that are missing, early or too many': [
    event('B', 'a', 0),
    event('B', 'b', 1),
    event('E', 'a', 4),
    event('E', 'b', 5),
    event('B', 'c', 6),
    event('X', 'd', 7, { dur: 4 }),
  ],
  'events that overlap': [event('X', 'a', 0, { dur: 10 }), event('X', 'b', 5, { dur: 10 })],
  'spans that are equal': [
    event('X', 'outer', 0, { dur: 4 }),
    event('X', 'inner', 0, { dur: 4 }),
    event('B', 'A', 10),
    event('B', 'B', 10),
    event('E', 'B', 11),
    event('E', 'A', 11),
  ],
  'without process and thread': [{ ph: 'X', name: 'a', ts: 5, dur: 1 }],
  'positions as Hermes has them': [
    event('B', 'beta', 1, { args: place }),
    event('X', 'gamma', 2, { dur: 1, args: { ...place, line: 60 } }),
    event('E', 'beta', 4, { args: place }),
  ],
  'a profile in chunks': profile,
  'a CpuProfile event': [
    event('I', 'CpuProfile', 5000, {
      args: {
        data: {
          cpuProfile: {
            nodes: withChildren,
            samples: [2, 1, 2],
            timeDeltas: [5, 10, 20],
            startTime: 1000,
            endTime: 1100,
          },
        },
      },
    }),
  ],
  'profiles of workers': [
    ...profile,
    ...profile.map(each => ({ ...each, id: '0x2', tid: each.tid === 7 ? 8 : each.tid })),
    named('thread_name', 1, 8, 'DedicatedWorker thread'),
    ...nested,
  ],
  'samples that name frames': {
    traceEvents: [named('thread_name', 1, 7, 'mqt_js')],
    samples: [
      { cpu: '-1', name: '', ts: '11552125241', pid: 1, tid: '7', weight: '1', sf: 2 },
      { cpu: '-1', name: '', ts: '11552125251', pid: 1, tid: '7', weight: '3', sf: 3 },
      { cpu: '-1', name: '', ts: '11552125261', pid: 1, tid: '7', weight: '1', sf: 2 },
    ],
    stackFrames: {
      1: { name: '[root]', category: 'root' },
      2: { name: 'f', category: 'JavaScript', parent: 1, ...place },
      3: { name: '[GC]', category: 'Metadata', parent: '1' },
    },
  },
  'no event with a duration': [event('i', 'mark', 3), event('X', 'zero', 4, { dur: 0 })],
  'today in microseconds with decimals': [event('X', 'now', '1700000000000000.125', { dur: 0.375 })],
}

const text = JSON.stringify(nested)

export const fixtures: readonly { readonly name: string; readonly bytes: Uint8Array }[] = [
  ...Object.entries(files).map(([name, file]) => ({ name, bytes: encodeUtf8(JSON.stringify(file)) })),
  { name: 'an array without its end', bytes: encodeUtf8(text.slice(0, -1)) },
  { name: 'an array that ends in a comma', bytes: encodeUtf8(`${text.slice(0, -1)},\n`) },
  { name: 'an array with a comma too many', bytes: encodeUtf8(`${text.slice(0, -1)},\n]\n`) },
  { name: 'an object without its end', bytes: encodeUtf8(`{"traceEvents":${text.slice(0, -1)},`) },
]
