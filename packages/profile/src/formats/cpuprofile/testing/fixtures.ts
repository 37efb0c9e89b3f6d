// Small .cpuprofile files, one per feature of V8 and the tools around it.
import { encodeUtf8 } from '../../../wire/utf8.ts'

const frame = (functionName: string, lineNumber = -1, columnNumber = -1, url = '', scriptId = '0') => ({
  functionName,
  scriptId,
  url,
  lineNumber,
  columnNumber,
})

const URL = 'file:///app/main.js'

const nodes = [
  { id: 1, callFrame: frame('(root)'), hitCount: 0, children: [2, 5, 6, 7] },
  { id: 2, callFrame: frame('', 0, 0, URL, '12'), hitCount: 0, children: [3, 4] },
  {
    id: 3,
    callFrame: frame('parse', 9, 14, URL, '12'),
    hitCount: 3,
    positionTicks: [
      { line: 11, ticks: 2 },
      { line: 10, ticks: 1 },
    ],
  },
  { id: 4, callFrame: frame('never', 40, 2, URL, '12'), hitCount: 0 },
  { id: 5, callFrame: frame('(program)'), hitCount: 1 },
  { id: 6, callFrame: frame('(idle)'), hitCount: 2 },
  { id: 7, callFrame: frame('(garbage collector)'), hitCount: 1, deoptReason: 'wrong map' },
]

const samples = [2, 3, 3, 5, 6, 3, 7, 6]

const old = {
  head: {
    functionName: '(root)',
    url: '',
    lineNumber: -1,
    bailoutReason: '',
    id: 1,
    scriptId: 0,
    hitCount: 0,
    children: [
      {
        functionName: 'a',
        url: URL,
        lineNumber: 5,
        callUID: 2,
        bailoutReason: 'no reason',
        id: 2,
        scriptId: 7,
        children: [{ functionName: 'b', url: URL, lineNumber: 8, id: 3, scriptId: 7, hitCount: 2, children: [] }],
        hitCount: 1,
      },
    ],
  },
  startTime: 163140,
  endTime: 163141,
  samples: [2, 3, 3],
  timestamps: [163140599286, 163140610861, 163140611921],
}

const files: Readonly<Record<string, unknown>> = {
  'nodes, samples and deltas': {
    nodes,
    startTime: 163140599286,
    endTime: 163140610000,
    samples,
    timeDeltas: [1000, 1000, 0, 1250, 900, 1100, 0, 1000],
  },
  'deltas that go backwards': {
    nodes,
    startTime: 5000,
    endTime: 15000,
    samples,
    timeDeltas: [1000, 1000, -500, 1250, 900, -2000, 3000, 1000],
  },
  'hit counts alone': { nodes, startTime: 1, endTime: 2 },
  'samples without deltas': { nodes, startTime: 1000, endTime: 9000, samples },
  'decimals and today': {
    nodes,
    startTime: 1700000000000000,
    endTime: 1700000000010000,
    samples: [3, 3],
    timeDeltas: [0.125, 1000.5],
  },
  'the tree last': {
    samples: [1],
    timeDeltas: [10],
    startTime: 0,
    endTime: 20,
    nodes: nodes.slice(0, 1).map(node => ({ ...node, children: [] })),
  },
  'names beyond ASCII': {
    nodes: [
      { id: 10, callFrame: frame('(root)'), children: [20] },
      { id: 20, callFrame: frame('λ "quoted" 🔥\n', 3, 1, 'https://example.test/å.js', '3') },
    ],
    startTime: 0,
    endTime: 100,
    samples: [20],
    timeDeltas: [10],
  },
  'the old form': old,
  'the old form with its start among the timestamps': { ...old, timestamps: [163140599000, ...old.timestamps] },
}

export const fixtures: readonly { readonly name: string; readonly bytes: Uint8Array }[] = Object.entries(files).map(
  ([name, file]) => ({ name, bytes: encodeUtf8(JSON.stringify(file)) }),
)
