// The page's own functions, run as the page runs them.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { profileOf } from '../../analyze/testing/profile-of.ts'
import { formatExact, formatShare, formatValue } from '../../model/text/format-value.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { pageData } from './page-data.ts'
import type { PageFrame, PageTree } from './testing/page-of.ts'
import { logic } from './testing/page-of.ts'
import { VarintText, base64 } from './varint-text.ts'

const anyWhole = fc.oneof(
  fc.bigInt(-1000n, 1000n),
  fc.bigInt(-(2n ** 54n), 2n ** 54n),
  fc.bigInt(-(2n ** 70n), 2n ** 70n),
)

describe('numbers as text', () => {
  test('are read back unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(2 ** 31 - 1), anyWhole)), pairs => {
        const out = new VarintText()
        for (const [number, signed] of pairs) {
          out.number(number)
          out.signed(signed)
        }
        const read = logic.varints(out.text())
        for (const [number, signed] of pairs) {
          expect(read.number()).toBe(number)
          expect(BigInt(read.signed())).toBe(signed)
        }
      }),
    )
  })

  test.each([-(2n ** 52n), 2n ** 52n - 1n, 2n ** 52n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 64n])(
    '%d',
    value => {
      const out = new VarintText()
      out.signed(value)
      expect(BigInt(logic.varints(out.text()).signed())).toBe(value)
    },
  )

  test.each([
    ['', ''],
    ['f', 'Zg=='],
    ['fo', 'Zm8='],
    ['foo', 'Zm9v'],
    ['\u00ff\u00fe\u00fd', '//79'],
  ])('base64 of %j', (text, expected) => {
    expect(base64(Uint8Array.from(text, letter => letter.charCodeAt(0)))).toBe(expected)
  })
})

describe('values', () => {
  const units = [
    'ns',
    'microseconds',
    'ms',
    's',
    'h',
    'ps',
    'bytes',
    'kilobytes',
    'kBy',
    'bit',
    'Hz',
    'MHz',
    'ratio',
    '%',
  ]
  const counts = ['count', '', 'samples', '{goroutine}', '{widgets}', 'furlongs', 'ppm']

  test.each([...units, ...counts])('in %j are formatted like in the library', text => {
    const builder = new ProfilesBuilder()
    builder.profile({ type: 't', unit: text })
    const { unit } = pageData(builder.build()).profiles[0]
    fc.assert(
      fc.property(anyWhole, value => {
        expect(logic.formatValue(value, unit)).toBe(formatValue(value, text))
        expect(logic.formatExact(value, unit)).toBe(formatExact(value, text))
      }),
    )
    for (const value of [0n, 1n, -1n, 999n, 1000n, 999_499n, 999_500n, 999_999n, 1_048_575n, 59_999_999_999n]) {
      expect(logic.formatValue(value, unit)).toBe(formatValue(value, text))
    }
  })

  test('have shares formatted like in the library', () => {
    fc.assert(
      fc.property(anyWhole, anyWhole, (part, whole) => {
        expect(logic.formatShare(part, whole)).toBe(formatShare(part, whole))
      }),
    )
    for (const part of [0n, 1n, 1999n, 2000n, 1_999_999n]) {
      expect(logic.formatShare(part, 2_000_000n)).toBe(formatShare(part, 2_000_000n))
    }
  })
})

describe('labels', () => {
  test.each([
    ['io/netty/channel/nio/NioEventLoop:.run', 'NioEventLoop:.run'],
    ['github.com/gorilla/mux.(*Router).ServeHTTP', 'mux.(*Router).ServeHTTP'],
    ['com.acme.shop.Cart.total', 'Cart.total'],
    ['tokio::runtime::task::poll', 'task::poll'],
    ['std::vector<a::b>::push_back', 'std::vector<a::b>::push_back'],
    ['operator/', 'operator/'],
    ['main', 'main'],
    ['1.5.2', '1.5.2'],
    ['', ''],
  ])('%s is shortened to %s', (name, short) => {
    expect(logic.shortName(name)).toBe(short)
  })

  test.each([
    ['com.acme.shop.Cart.total', 24, 'com.acme.shop.Cart.total'],
    ['com.acme.shop.Cart.total', 23, 'Cart.total'],
    ['com.acme.shop.Cart.total', 9, 'Cart.tot\u2026'],
    ['main', 2, 'm\u2026'],
    ['main', 1, ''],
    // Two columns each, and never half of a surrogate pair.
    ['\u6f22\u5b57\u540d', 6, '\u6f22\u5b57\u540d'],
    ['\u6f22\u5b57\u540d', 5, '\u6f22\u5b57\u2026'],
    ['\u6f22\u5b57\u540d', 4, '\u6f22\u2026'],
    ['\u{1f525}\u{1f525}\u{1f525}', 4, '\u{1f525}\u2026'],
  ])('%s in %d columns', (name, room, label) => {
    expect(logic.fitLabel(name, room)).toBe(label)
  })
})

describe('a search', () => {
  const frame = (name: string, file = '', group = ''): PageFrame => ({
    name,
    file,
    group,
    mapping: '',
    kind: '',
    line: '',
  })
  const finds = (query: string, one: PageFrame): boolean => {
    const test = logic.matcher(query)
    return typeof test === 'function' && test(one)
  }

  test('finds text in names and files, ignoring case', () => {
    expect(finds(' PARSE ', frame('json.parse'))).toBe(true)
    expect(finds('json.js', frame('parse', '/a/JSON.js'))).toBe(true)
    expect(finds('parsed', frame('json.parse'))).toBe(false)
    expect(finds('.', frame('main'))).toBe(false)
  })

  test('finds by expression with its flags', () => {
    expect(finds('/^json\\.p/', frame('json.parse'))).toBe(true)
    expect(finds('/^JSON/', frame('json.parse'))).toBe(false)
    expect(finds('/^JSON/i', frame('json.parse'))).toBe(true)
    expect(finds('/usr/lib', frame('main', '/usr/lib/a.c'))).toBe(true)
  })

  test('finds by package', () => {
    expect(finds('package:io.netty', frame('a', '', 'io.netty'))).toBe(true)
    expect(finds('package:io.netty', frame('package:io.netty', '', 'io'))).toBe(false)
  })

  test('reports an invalid expression, and an empty search', () => {
    expect(logic.matcher('/(/')).toBe('not a valid expression')
    expect(logic.matcher('  ')).toBeUndefined()
  })

  test('counts a match below a match once', () => {
    const tree = treeOf(`
      3  2  1
      a  a  c
      b  b
      a     `)
    // all, a, b, a, c
    expect(logic.findNodes(tree, Uint8Array.of(0, 0, 1, 0, 0))).toEqual({ nodes: [1, 3], total: 5n })
    expect(logic.findNodes(tree, Uint8Array.of(0, 0, 0, 1, 1))).toEqual({ nodes: [2, 4], total: 6n })
  })
})

function treeOf(text: string): PageTree {
  return logic.readTree(pageData(profileOf(text).profiles).profiles[0])
}

describe('the drawn part', () => {
  //  all  0..1
  //  a    0..0.5      c 0.5..0.98      d, e  0.01 each
  //  b    0..0.3
  const tree = treeOf(`
    30  20  48  1   1
    a   a   c   d   e
    b               `)

  const seen = (view: { x: number; w: number }, width: number, top: number, bottom: number): unknown[] => {
    const found: unknown[] = []
    logic.cull(
      tree,
      view,
      width,
      top,
      bottom,
      (node, left, right) => found.push([node, Math.round(left), Math.round(right)]),
      (depth, left, right) => found.push(`run ${depth} ${Math.round(left)} ${Math.round(right)}`),
    )
    return found
  }

  test('contains every box of at least a pixel', () => {
    expect(seen({ x: 0, w: 1 }, 1000, 0, 9)).toEqual([
      [0, 0, 1000],
      [1, 0, 500],
      [2, 0, 300],
      [3, 500, 980],
      [4, 980, 990],
      [5, 990, 1000],
    ])
  })

  test('draws neighbours of less than a pixel as one', () => {
    expect(seen({ x: 0, w: 1 }, 60, 0, 9).at(-1)).toBe('run 1 59 60')
    expect(seen({ x: 0, w: 1 }, 30, 0, 9).at(-1)).toEqual([3, 15, 29])
  })

  test('omits everything beside, above and below the view', () => {
    expect(seen({ x: 0, w: 0.25 }, 1000, 1, 1)).toEqual([[1, 0, 1000]])
    expect(seen({ x: 0.6, w: 0.2 }, 1000, 0, 9)).toEqual([
      [0, 0, 1000],
      [3, 0, 1000],
    ])
  })

  test('finds the box at a position', () => {
    const places: [number, number][] = [
      [0, 0],
      [0.29, 2],
      [0.31, 2],
      [0.6, 1],
      [0.995, 1],
      [0.5, 3],
      [1, 0],
      [0.5, -1],
    ]
    expect(places.map(([at, depth]) => logic.nodeAt(tree, at, depth))).toEqual([0, 2, -1, 3, 5, -1, -1, -1])
  })

  test('has each drawn box where a look-up finds it', () => {
    logic.cull(
      tree,
      { x: 0, w: 1 },
      1000,
      0,
      9,
      (node, left, right) => expect(logic.nodeAt(tree, (left + right) / 2000, tree.depth[node])).toBe(node),
      () => {},
    )
  })

  test('finds the boxes to the left and right', () => {
    expect([0, 1, 2, 3, 5].map(node => logic.siblingOf(tree, node, 1))).toEqual([0, 3, 2, 4, 5])
    expect([0, 1, 2, 3, 5].map(node => logic.siblingOf(tree, node, -1))).toEqual([0, 1, 2, 1, 4])
  })

  test('may be as deep as stacks are', () => {
    const builder = new ProfilesBuilder()
    builder.profile({ type: 'cpu', unit: 'count' })
    const location = builder.location({ lines: [{ function: builder.function({ name: 'again' }) }] })
    builder.sample({ stack: builder.stack(new Array<typeof location>(100_000).fill(location)), values: [1] })
    const deep = logic.readTree(pageData(builder.build()).profiles[0])
    expect(deep.deepest).toBe(100_000)
    expect(deep.totalOf(100_000)).toBe(1n)
    expect(logic.nodeAt(deep, 0.5, 99_999)).toBe(99_999)
  })
})

test('the colour of a package is always the same', () => {
  // Fixed values, because people compare pages from different versions.
  expect(['io.netty', 'kernel', ''].map(text => logic.hashOf(text))).toEqual([3051121376, 2344140203, 535972289])
  const buckets = new Set(Array.from({ length: 1000 }, (_, i) => Math.floor(logic.hashOf(`package${i}`) / 2 ** 27)))
  expect(buckets.size).toBe(32)
})
