// The content of a page: trees and tables exactly as in the profile, and no text that a browser could parse as markup.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callTree } from '../../analyze/profile-tree.ts'
import { exactTotal } from '../../analyze/tree/exact-values.ts'
import { profileOf } from '../../analyze/testing/profile-of.ts'
import { topTable } from '../../analyze/top.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { sha256 } from '../../wire/sha256.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import { flamegraphHtml } from './index.ts'
import { logic, pageOf, showPageTree } from './testing/page-of.ts'
import { base64 } from './varint-text.ts'
import { writeFlamegraphHtml } from './write.ts'

const small = `
  3     2     1
  main  main  main
  run   run   idle
  gc          `

const page = (profiles: Profiles, options = {}) => pageOf(writeFlamegraphHtml(profiles, options).bytes)

/** Stacks of letters, root first, each with a value. */
function profileOfStacks(stacks: readonly (readonly [path: string, value: bigint])[], unit = 'count'): Profiles {
  const builder = new ProfilesBuilder()
  builder.profile({ type: 'cpu', unit })
  for (const [path, value] of stacks) {
    const locations = Array.from(path, name => builder.location({ lines: [{ function: builder.function({ name }) }] }))
    builder.sample({ stack: builder.stack(locations.reverse()), values: [value] })
  }
  return builder.build()
}

const anyStacks = (value: fc.Arbitrary<bigint>) =>
  fc.array(fc.tuple(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 6 }), value), {
    minLength: 1,
    maxLength: 40,
  })

/** The library's tree in the same form: `all` on top, then its nodes one level deeper. */
function libraryTree(profiles: Profiles): string[] {
  const tree = callTree(profiles, 0)
  const nodes = Array.from({ length: tree.length }, (_, i) => {
    const self = tree.selfExact?.[i] ?? BigInt(tree.self[i])
    const name = tree.frames.name[tree.frame[i]]
    return `${'  '.repeat(tree.depth[i] + 1)}${name} ${exactTotal(tree, i)}${self === 0n ? '' : ` self ${self}`}`
  })
  return [`all ${tree.sum}`, ...nodes]
}

describe('the tree', () => {
  test('is the call tree below the root `all`', () => {
    expect(showPageTree(page(profileOf(small).profiles).data)).toEqual([
      'all 6',
      '  main 6',
      '    run 5 self 2',
      '      gc 3 self 3',
      '    idle 1 self 1',
    ])
  })

  test('equals the tree of the library for all values whose sums fit 64 bits', () => {
    const value = fc.oneof(fc.bigInt(-5n, 5n), fc.bigInt(-(2n ** 56n), 2n ** 56n))
    fc.assert(
      fc.property(anyStacks(value), stacks => {
        const profiles = profileOfStacks(stacks)
        expect(showPageTree(page(profiles).data)).toEqual(libraryTree(profiles))
      }),
    )
  })

  test('keeps sums beyond 64 bits exact', () => {
    const most = 2n ** 63n - 1n
    const { data } = page(profileOf(`\n ${most} ${most} ${most}\n ${'a'.padEnd(20)}${'a'.padEnd(20)}b`).profiles)
    expect(showPageTree(data)).toEqual([
      `all ${3n * most}`,
      `  a ${2n * most} self ${2n * most}`,
      `  b ${most} self ${most}`,
    ])
    expect(data.profiles[0].total).toBe(`${3n * most}`)
  })

  test('is laid out by value, callees within callers', () => {
    fc.assert(
      fc.property(anyStacks(fc.bigInt(-100n, 1000n)), stacks => {
        const tree = logic.readTree(page(profileOfStacks(stacks)).data.profiles[0])
        for (let i = 1; i < tree.length; i++) {
          const above = tree.parent[i]
          expect(tree.x[i]).toBeGreaterThanOrEqual(tree.x[above])
          expect(tree.x[i] + tree.w[i]).toBeLessThanOrEqual(tree.x[above] + tree.w[above] + 1e-9)
          if (tree.end[i] < tree.end[above]) expect(tree.x[tree.end[i]]).toBeCloseTo(tree.x[i] + tree.w[i], 9)
        }
      }),
    )
  })
})

describe('a page that cannot hold all nodes', () => {
  test('keeps the largest nodes and reports how many it hid', () => {
    const { profiles } = profileOf(small)
    const { bytes, notes } = writeFlamegraphHtml(profiles, { maxNodes: 3 })
    const { data } = pageOf(bytes)
    expect(showPageTree(data)).toEqual([
      'all 6',
      '  main 6',
      '    run 5 self 2',
      '      gc 3 self 3',
      '    (smaller calls) 1 self 1',
    ])
    expect(data.profiles[0]).toMatchObject({ hiddenNodes: 1, hiddenShare: '16.7%', nodes: 5 })
    expect(notes).toContainEqual(expect.objectContaining({ code: 'nodes-left-out', count: 1 }))
  })

  test('has the same totals for any limit', () => {
    fc.assert(
      fc.property(anyStacks(fc.bigInt(1n, 2n ** 58n)), fc.integer({ min: 1, max: 30 }), (stacks, maxNodes) => {
        const profiles = profileOfStacks(stacks)
        const { data } = page(profiles, { maxNodes })
        const whole = callTree(profiles, 0)
        const tree = logic.readTree(data.profiles[0])
        const frames = logic.readFrames(data)
        const isHidden = (i: number): boolean => frames[tree.frame[i]].name === '(smaller calls)'
        const kept = Array.from({ length: tree.length - 1 }, (_, i) => i + 1).filter(i => !isHidden(i))
        expect(kept.length).toBe(Math.min(maxNodes, whole.length))
        expect(data.profiles[0].hiddenNodes).toBe(whole.length - kept.length)
        expect(tree.totalOf(0)).toBe(whole.sum)
        const largest = Array.from(whole.total, (_, i) => exactTotal(whole, i)).sort((a, b) => (a < b ? 1 : -1))
        const totals = kept.map(i => tree.totalOf(i)).sort((a, b) => (a < b ? 1 : -1))
        // Nodes are chosen by doubles, so they are the largest to one part in 2^50.
        for (const [k, total] of totals.entries()) expect(Number(total)).toBeCloseTo(Number(largest[k]), -10)
        for (let i = 1; i < tree.length; i++) expect(isHidden(tree.parent[i])).toBe(false)
      }),
    )
  })

  test('lists functions without a box only if they are among the first thousand', () => {
    const builder = new ProfilesBuilder()
    builder.profile({ type: 'cpu', unit: 'count' })
    for (let i = 0; i < 1500; i++) {
      const location = builder.location({ lines: [{ function: builder.function({ name: `f${i}` }) }] })
      builder.sample({ stack: builder.stack([location]), values: [10_000 - i] })
    }
    const { data } = page(builder.build(), { maxNodes: 20 })
    expect(data.profiles[0]).toMatchObject({ rows: 1000, hiddenRows: 500 })
    expect(data.frameCount).toBe(1002)
  })

  test.each([0, -1, 1.5, Number.NaN])('a limit of %d nodes is rejected', maxNodes => {
    expect(() => writeFlamegraphHtml(profileOf(small).profiles, { maxNodes })).toThrow(RangeError)
  })
})

describe('the table', () => {
  test('equals the table of the library', () => {
    fc.assert(
      fc.property(anyStacks(fc.bigInt(-(2n ** 56n), 2n ** 56n)), stacks => {
        const profiles = profileOfStacks(stacks)
        const { data } = page(profiles)
        const frames = logic.readFrames(data)
        const top = topTable(profiles, 0)
        const rows = logic.readTable(data.profiles[0])
        expect(rows.map(row => frames[row.frame].name)).toEqual(Array.from(top.frame, f => top.frames.name[f]))
        expect(rows.map(row => row.total)).toEqual(Array.from(top.frame, (_, i) => exactTotal(top, i)))
      }),
    )
  })
})

describe('frames', () => {
  test('have file, line, library, package and type', () => {
    const { profiles } = profileOf(`
      1
      main[/srv/app/main.c:12](app@0x10){native}
      ^inner[/srv/app/inner.h:3]
      (libc.so.6@0x1234)
      sys_read{kernel}`)
    const frames = logic.readFrames(page(profiles).data)
    expect(frames.slice(2)).toEqual([
      { name: 'main', file: '/srv/app/main.c', line: '12', mapping: 'app', kind: 'native', group: 'srv/app' },
      { name: 'inner', file: '/srv/app/inner.h', line: '3', mapping: 'app', kind: 'native', group: 'srv/app' },
      { name: '[libc.so.6]', file: '', line: '', mapping: 'libc.so.6', kind: '', group: 'libc.so' },
      { name: 'sys_read', file: '', line: '', mapping: '', kind: 'kernel', group: 'kernel' },
    ])
  })

  test('have a line only if it is unambiguous: the declared line or the only sampled one', () => {
    const builder = new ProfilesBuilder()
    builder.profile({ type: 'cpu', unit: 'count' })
    const declared = builder.function({ name: 'declared', filename: 'a.js', startLine: 7 })
    const spread = builder.function({ name: 'spread', filename: 'a.js' })
    for (const line of [10, 11]) {
      const leaf = builder.location({ lines: [{ function: declared, line }] })
      const root = builder.location({ lines: [{ function: spread, line }] })
      builder.sample({ stack: builder.stack([leaf, root]), values: [1] })
    }
    const profiles = builder.build()
    expect(showPageTree(page(profiles).data)).toEqual(['all 2', '  spread a.js 2', '    declared a.js:7 2 self 2'])
    expect(showPageTree(page(profiles, { by: 'line' }).data)).toContain('    declared a.js:11 1 self 1')
  })
})

describe('several profiles', () => {
  test('are summed if type and unit are equal, and are separate trees otherwise', () => {
    const { profiles } = profileOf('\n 1ms\n a', '\n 5ns\n a', '\n 2milliseconds\n b')
    const { bytes, notes } = writeFlamegraphHtml(profiles)
    const { data } = pageOf(bytes)
    expect(data.profiles.map(({ type, unit, total, merged }) => [type, unit.many, total, merged])).toEqual([
      ['cpu', ' ms', '3', 2],
      ['cpu', ' ns', '5', 1],
    ])
    expect(showPageTree(data, 0)).toEqual(['all 3', '  b 2 self 2', '  a 1 self 1'])
    expect(notes).toEqual([expect.objectContaining({ code: 'profiles-added-up', count: 2 })])
  })

  test('show their time range', () => {
    const builder = new ProfilesBuilder()
    const second = 1_000_000_000n
    for (const start of [20n, 5n, 10n]) {
      builder.profile({ type: 'cpu', unit: 'ns', timeUnixNano: start * second, durationNano: 3n * second })
    }
    const [profile] = page(builder.build()).data.profiles
    expect(profile).toMatchObject({ time: '1970-01-01T00:00:05Z', duration: `${18n * second}`, samples: 0 })
  })

  test('show the number of samples only if each has a timestamp', () => {
    const samples = (text: string): number => page(profileOf(text).profiles).data.profiles[0].samples
    expect(samples('\n 3@1,4@2  @3\n a        b')).toBe(0)
    expect(samples('\n 3@1,4@2  5@3\n a        b')).toBe(3)
    expect(samples('\n @1,@2\n a')).toBe(2)
    expect(samples('\n 7\n a')).toBe(0)
  })

  test('may be none', () => {
    expect(page(new ProfilesBuilder().build()).data).toMatchObject({ profiles: [], resources: [] })
  })
})

test('show each resource once, named by its service', () => {
  const builder = new ProfilesBuilder()
  const attributes = [
    { key: 'service.name', value: 'checkout' },
    { key: 'process.pid', value: 2n ** 60n },
    { key: 'tags', value: ['a', 1.5, { entries: [{ key: 'k', value: new Uint8Array([1, 255]) }] }] },
  ]
  for (const list of [attributes, attributes, [], [{ key: 'service.name', value: 'cart' }]]) {
    builder.resource({ attributes: list })
    builder.profile({ type: 'cpu', unit: 'ns' })
  }
  const { data, html } = page(builder.build())
  expect(data.resources).toEqual([
    {
      name: 'checkout',
      attributes: [
        ['service.name', 'checkout'],
        ['process.pid', '1152921504606846976'],
        ['tags', 'a, 1.5, k=01ff'],
      ],
    },
    { name: 'cart', attributes: [['service.name', 'cart']] },
  ])
  expect(html).toContain('<h1>checkout, cart</h1>')
})

describe('a hostile name', () => {
  const names = [
    '</script><script>alert(1)</script>',
    '<!-- <script>',
    'a\u2028b\u2029c',
    '"\'&<>',
    '\u0000\\',
    '\ufeff',
  ]

  test('stays text', () => {
    const builder = new ProfilesBuilder()
    builder.resource({ attributes: [{ key: names[0], value: names[1] }] })
    for (const type of names) {
      builder.profile({ type, unit: type })
      const location = builder.location({ lines: [{ function: builder.function({ name: type, filename: type }) }] })
      builder.sample({ stack: builder.stack([location]), values: [1] })
    }
    const { html, data } = page(builder.build(), { title: names[0] })
    const frames = logic.readFrames(data)
    expect(frames.slice(2).map(frame => frame.file)).toEqual(names)
    expect(data.profiles.map(profile => profile.type)).toEqual(names)
    expect(html.match(/<script|<\/script|<!--/g)).toEqual(['<script', '</script', '<script', '</script'])
    expect(html.slice(html.indexOf('<script'))).not.toMatch(/[\u2028\u2029]/)
    expect(html).not.toContain('<script>alert')
    expect(html).toContain('<title>&#60;/script&#62;&#60;script&#62;alert(1)')
  })
})

describe('the page', () => {
  const { html, policy, script, style } = page(profileOf(small).profiles)

  test('allows only its own script and style, and no requests', () => {
    const hash = (text: string): string => `'sha256-${base64(sha256(encodeUtf8(text)))}'`
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${hash(script)}`,
      `style-src ${hash(style)}`,
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
    ])
  })

  test('refers to nothing outside itself', () => {
    expect(html.replaceAll('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(/https?:|src=|@import|url\(/)
    expect(html.match(/href="[^"]{0,18}/g)).toEqual(['href="data:image/svg+xml'.slice(0, 24)])
  })

  test('is the same for the same profile', () => {
    expect(page(profileOf(small).profiles).html).toBe(html)
  })
})

test('notes count what a flame graph cannot show', () => {
  const builder = new ProfilesBuilder()
  builder.profile({ type: 'cpu', unit: 'ns', attributes: [builder.attribute('a', 'b')] })
  const stack = builder.stack([builder.location({ lines: [{ function: builder.function({ name: 'a' }) }] })])
  const link = builder.link(new Uint8Array(16).fill(1), new Uint8Array(8).fill(2))
  builder.sample({ stack, link, attributes: [builder.attribute('k', 'v')], timestamps: [1, 2] })
  const { notes } = writeFlamegraphHtml(builder.build())
  expect(notes.map(({ code, count }) => [code, count])).toEqual([
    ['attributes', 1],
    ['links', 1],
    ['timestamps', 2],
    ['profile-attributes', 1],
  ])
})

test('the format can only be written', () => {
  expect(flamegraphHtml).not.toHaveProperty('read')
  expect(flamegraphHtml.detect(encodeUtf8('<!doctype html>'), 'a.html')).toBe('no')
})
