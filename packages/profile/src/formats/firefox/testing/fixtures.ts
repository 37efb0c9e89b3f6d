// Small Firefox profiles: Gecko's rows, processed columns with strings per thread and shared, weights, inlined frames.
import { encodeUtf8 } from '../../../wire/utf8.ts'

/** JSON has null for undefined in lists. */
const none = undefined

const startTime = 1_700_000_000_123.456

const gecko = (pid: number, extra: object = {}): object => ({
  meta: { version: 27, startTime, interval: 1, processType: 0, stackwalk: 1 },
  libs: [
    {
      name: 'firefox',
      path: '/usr/lib/firefox',
      breakpadId: 'F1D9',
      codeId: 'ab'.repeat(20),
      start: 4096,
      end: 8192,
      offset: 0,
    },
  ],
  threads: [
    {
      name: 'GeckoMain',
      processType: 'default',
      pid,
      tid: pid + 1,
      samples: {
        schema: { stack: 0, time: 1, eventDelay: 2 },
        data: [
          [2, 0.5, 0],
          [1, 1.5],
          [2, 2.000001],
          [none, 3],
        ],
      },
      stackTable: {
        schema: { prefix: 0, frame: 1 },
        data: [
          [none, 0],
          [0, 1],
          [1, 2],
        ],
      },
      frameTable: { schema: { location: 0, line: 1, column: 2, category: 3 }, data: [[0], [1], [2, 40, 7, 1]] },
      markers: {
        schema: { name: 0, time: 1, data: 2 },
        data: [
          [0, 1, {}],
          [1, 2, { type: 'x' }],
        ],
      },
      stringTable: ['(root)', '0x1234', 'draw (https://example.com/a.js:12:3)'],
    },
  ],
  ...extra,
})

const frameTable = {
  length: 5,
  address: [-1, 0x1000, 0x1000, 0x2000, -1],
  inlineDepth: [0, 0, 1, 0, 0],
  func: [0, 1, 2, 3, 4],
  line: [none, 10, 20, none, 5],
  column: [none, none, 3, none, none],
}
const funcTable = {
  length: 5,
  name: [0, 1, 2, 3, 4],
  isJS: [false, false, false, false, true],
  resource: [-1, 0, 0, 0, -1],
  fileName: [none, 5, 5, none, 6],
  lineNumber: [none, none, none, none, 2],
}
const strings = ['(root)', 'outer', 'inner', '0x2000', 'click', 'a.cpp', 'https://example.com/b.js', 'libxul.so']
const thread = (samples: object, extra: object = {}): object => ({
  name: 'worker',
  pid: '12',
  tid: 34,
  processName: 'Web Content',
  samples,
  markers: { length: 0, name: [], data: [] },
  stackTable: { length: 5, prefix: [none, 0, 1, 0, 0], frame: [0, 1, 2, 3, 4] },
  frameTable,
  funcTable,
  resourceTable: { length: 1, lib: [0], name: [7], host: [none], type: [1] },
  ...extra,
})
const libs = [{ name: 'libxul.so', path: '/usr/lib/libxul.so', debugName: 'libxul.so', breakpadId: 'A1' }]
const meta = (version: number): object => ({
  version: 30,
  preprocessedProfileVersion: version,
  startTime,
  interval: 0.5,
  profilingStartTime: 0,
  profilingEndTime: 20,
})

const file = (content: object): Uint8Array => encodeUtf8(JSON.stringify(content))

export const fixtures = [
  { name: 'gecko', bytes: file(gecko(100)) },
  { name: 'gecko with processes', bytes: file(gecko(100, { processes: [gecko(200)] })) },
  {
    name: 'processed, strings per thread',
    bytes: file({
      threads: [
        thread(
          { length: 3, stack: [2, 3, none], time: [1, 2, 3], weightType: 'samples' },
          { stringArray: strings, libs },
        ),
      ],
      meta: meta(40),
    }),
  },
  {
    name: 'processed, strings shared, weights',
    bytes: file({
      meta: meta(57),
      libs,
      shared: { stringArray: strings },
      threads: [
        thread({
          length: 3,
          stack: [2, 3, 4],
          timeDeltas: [1, 2, 3.25],
          weight: [1.5, 0.25, 2],
          weightType: 'tracing-ms',
        }),
        thread(
          { length: 2, stack: [1, 1], time: [1, 2], weight: [-512, 1024], weightType: 'bytes' },
          { tid: 'a thread', name: '' },
        ),
      ],
    }),
  },
]
