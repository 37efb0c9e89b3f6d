// Small .heapprofile files, one per feature of V8.
import { encodeUtf8 } from '../../../wire/utf8.ts'

const frame = (functionName: string, lineNumber = -1, columnNumber = -1, url = '', scriptId = '0') => ({
  functionName,
  scriptId,
  url,
  lineNumber,
  columnNumber,
})

const URL = 'file:///app/main.js'

const head = {
  callFrame: frame('(root)'),
  selfSize: 0,
  id: 1,
  children: [
    {
      callFrame: frame('', 0, 0, URL, '12'),
      selfSize: 16400,
      id: 2,
      children: [
        { callFrame: frame('parse', 9, 14, URL, '12'), selfSize: 32800, id: 3, children: [] },
        { callFrame: frame('nothing', 40, 2, URL, '12'), selfSize: 0, id: 4, children: [] },
      ],
    },
    { callFrame: frame('(V8 API)'), selfSize: 1894920, id: 5, children: [] },
  ],
}

const files: Readonly<Record<string, string>> = {
  'a tree alone': JSON.stringify({ head }),
  'with samples': JSON.stringify({
    head,
    samples: [
      { size: 16400, nodeId: 3, ordinal: 1 },
      { size: 16400, nodeId: 3, ordinal: 4 },
      { size: 16400, nodeId: 2, ordinal: 2 },
    ],
  }),
  'without ids of nodes, as Chrome 69 wrote it': JSON.stringify({ head }).replace(/"id":\d+,/g, ''),
  'the frame in the node': JSON.stringify({
    head: {
      functionName: '(root)',
      scriptId: 0,
      url: '',
      lineNumber: -1,
      selfSize: 0,
      children: [{ selfSize: 7, functionName: 'λ', scriptId: 3, url: URL, lineNumber: 4, children: [] }],
    },
  }),
  'a size beyond doubles': '{"head":{"callFrame":{"functionName":"big"},"selfSize":9007199254740993}}',
  'an empty tree': JSON.stringify({ head: { ...head, children: [] } }),
}

export const fixtures: readonly { readonly name: string; readonly bytes: Uint8Array }[] = Object.entries(files).map(
  ([name, text]) => ({ name, bytes: encodeUtf8(text) }),
)
