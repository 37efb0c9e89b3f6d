// Tests for the SVG flame graph: positions and titles of boxes, and escaping of names.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { profileOf } from '../../analyze/testing/profile-of.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { decodeUtf8, encodeUtf8 } from '../../wire/utf8.ts'
import { escapeXml } from './escape-xml.ts'
import { flamegraphSvg } from './index.ts'
import { SCRIPT } from './script.ts'
import { writeFlamegraphSvg } from './write.ts'

const small = `
  3     2     1
  main  main  main
  run   run   idle
  gc          `

function svg(profiles: Profiles, options = {}): string {
  const { bytes } = writeFlamegraphSvg(profiles, options)
  return decodeUtf8(bytes)
}

interface Box {
  readonly title: string
  readonly x: number
  readonly w: number
  readonly row: number
}

function boxes(text: string): Box[] {
  const pattern = /<g class="f" data-x="([\d.]+)" data-w="([\d.]+)" data-r="(\d+)"><title>([^<]*)<\/title>/g
  return Array.from(text.matchAll(pattern), ([, x, w, row, title]) => ({
    title,
    x: Number(x),
    w: Number(w),
    row: Number(row),
  }))
}

describe('boxes', () => {
  test('show the call tree above a root', () => {
    const third = 1 / 6
    expect(boxes(svg(profileOf(small).profiles))).toEqual([
      { title: 'all\n6, 100%', x: 0, w: 1, row: 0 },
      { title: 'main\n6, 100%', x: 0, w: 1, row: 1 },
      { title: 'run\n5, 83.3%', x: 0, w: expect.closeTo(5 * third, 8) as number, row: 2 },
      { title: 'gc\n3, 50.0%', x: 0, w: 0.5, row: 3 },
      {
        title: 'idle\n1, 16.7%',
        x: expect.closeTo(5 * third, 8) as number,
        w: expect.closeTo(third, 8) as number,
        row: 2,
      },
    ])
  })

  test('lie within their callers, side by side', () => {
    const stack = fc.tuple(
      fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 6 }),
      fc.integer({ min: -20, max: 100 }),
    )
    fc.assert(
      fc.property(fc.array(stack, { minLength: 1, maxLength: 30 }), stacks => {
        const builder = new ProfilesBuilder()
        builder.profile({ type: 'cpu', unit: 'count' })
        for (const [path, value] of stacks) {
          const locations = Array.from(path, name =>
            builder.location({ lines: [{ function: builder.function({ name }) }] }),
          )
          builder.sample({ stack: builder.stack(locations.reverse()), values: [value] })
        }
        const above: Box[] = []
        for (const box of boxes(svg(builder.build()))) {
          above.length = box.row
          const parent = above.at(-1)
          if (parent !== undefined) {
            expect(box.x).toBeGreaterThanOrEqual(parent.x - 1e-8)
            expect(box.x + box.w).toBeLessThanOrEqual(parent.x + parent.w + 1e-8)
          }
          above.push(box)
        }
      }),
    )
  })

  test('that are too narrow are hidden and counted in a note', () => {
    const { profiles } = profileOf(`\n 1000000  1\n a        b\n a        c`)
    expect(boxes(svg(profiles)).map(({ title }) => title.split('\n')[0])).toEqual(['all', 'a', 'a'])
    expect(writeFlamegraphSvg(profiles).notes).toEqual([expect.objectContaining({ code: 'nodes-left-out', count: 2 })])
  })

  test('show as much of their name as fits', () => {
    const name = 'x'.repeat(500)
    const text = svg(profileOf(`\n 1  9\n ${name.slice(0, 1)}  y`).profiles)
    expect(text).toContain('>y</text>')
    const builder = new ProfilesBuilder()
    builder.profile({ type: 'cpu', unit: 'count' })
    builder.sample({
      stack: builder.stack([builder.location({ lines: [{ function: builder.function({ name }) }] })]),
      values: [1],
    })
    expect(/>(x+\.\.)<\/text>/.exec(svg(builder.build()))![1].length).toBeLessThan(170)
  })
})

describe('the SVG file', () => {
  test('escapes hostile names', () => {
    const builder = new ProfilesBuilder()
    builder.profile({ type: ']]><script>', unit: 'count' })
    for (const name of ['</title><script>alert(1)</script>', '"\'&<>', ']]>', '\u0000\u0008\ufffe', '\ud800']) {
      const location = builder.location({ lines: [{ function: builder.function({ name, filename: name }) }] })
      builder.sample({ stack: builder.stack([location]), values: [1] })
    }
    const text = svg(builder.build(), { title: '<b>' })
    expect(text.match(/<\/?script/g)).toEqual(['<script', '</script'])
    expect(text.match(/\]\]>/g)).toHaveLength(1)
    expect(text).not.toMatch(/[\u0000-\u0008]|\ufffe/) // oxlint-disable-line no-control-regex
    expect(text).toContain('&#60;/title&#62;&#60;script&#62;alert(1)')
  })

  test('has no external references', () => {
    const text = svg(profileOf(small).profiles)
    expect(text.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(/https?:|href|src=|url\(|@import/)
  })

  test('has a script that does not end its CDATA section', () => {
    expect(SCRIPT).not.toContain(']]>')
  })

  test('can show no profile', () => {
    expect(svg(new ProfilesBuilder().build())).toContain('no profile')
  })

  test('shows the requested type', () => {
    const builder = new ProfilesBuilder()
    for (const type of ['cpu', 'wall']) builder.profile({ type, unit: 'ns' })
    const profiles = builder.build()
    expect(svg(profiles, { type: 'wall' })).toContain('wall: 0 s')
    expect(() => svg(profiles, { type: 'heap' })).toThrow(/only cpu, wall/)
  })
})

test('escapeXml leaves other text unchanged', () => {
  expect(escapeXml('naïve 😀 a-b')).toBe('naïve 😀 a-b')
  expect(escapeXml('a\ud83d')).toBe('a\ufffd')
})

test('the format is write-only', () => {
  expect(flamegraphSvg).not.toHaveProperty('read')
  expect(flamegraphSvg.detect(encodeUtf8('<svg'), 'a.svg')).toBe('no')
})
