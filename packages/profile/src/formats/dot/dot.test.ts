// Tests for the call graph: values of nodes and edges, hidden parts, and escaping of names.
import { describe, expect, test } from 'vitest'
import { profileOf } from '../../analyze/testing/profile-of.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { decodeUtf8, encodeUtf8 } from '../../wire/utf8.ts'
import { dot } from './index.ts'
import type { DotOptions } from './write.ts'
import { writeDot } from './write.ts'

const small = `
  3     2     1
  main  main  main
  run   run   idle
  gc          `

function lines(text: string, options: DotOptions = {}): string[] {
  const { bytes } = writeDot(profileOf(text).profiles, options)
  return decodeUtf8(bytes).split('\n')
}

/** `main > run 5` for each edge, names by the labels of the nodes. */
function edges(all: readonly string[]): string[] {
  const names = new Map(
    all.flatMap(line => {
      const match = /^(n\d+) \[label="(.*?)\\n/.exec(line)
      return match === null ? [] : [[match[1], match[2]] as const]
    }),
  )
  return all.flatMap(line => {
    const match = /^(n\d+) -> (n\d+) \[label=" (.*?)"/.exec(line)
    if (match === null) return []
    return [`${names.get(match[1])} ${line.includes('dashed') ? '..' : '>'} ${names.get(match[2])} ${match[3]}`]
  })
}

describe('writeDot', () => {
  test('writes self and total values of functions, and values of calls', () => {
    const all = lines(small)
    expect(all.find(line => line.includes('"run\\n'))).toMatch(/label="run\\n2 \(33\.3%\)\\nof 5 \(83\.3%\)"/)
    expect(all.find(line => line.includes('"gc\\n'))).toMatch(/label="gc\\n3 \(50\.0%\)"/)
    expect(edges(all)).toEqual(['main > run 5', 'run > gc 3', 'main > idle 1'])
  })

  test('counts a stack once, even with recursion', () => {
    const all = lines(`\n 5\n f\n g\n f\n g\n f`)
    expect(edges(all)).toEqual(['f > g 5', 'g > f 5'])
    expect(all.find(line => line.startsWith('n0 '))).toContain('5 (100%)')
  })

  test('keeps the largest functions and reports how many it hid', () => {
    const text = `\n 50    30    20\n main  main  main\n a     b     c\n leaf  leaf  leaf`
    const all = lines(text, { maxNodes: 2 })
    expect(edges(all)).toEqual(['main .. leaf 100'])
    expect(all.find(line => line.startsWith('legend'))).toContain('Hidden: 3 smaller functions\\l"')
    const { notes } = writeDot(profileOf(text).profiles, { maxNodes: 2 })
    expect(notes).toEqual([expect.objectContaining({ code: 'nodes-left-out', count: 3 })])
  })

  test('hides calls with a tiny share', () => {
    const text = `\n 9999  1\n main  main\n a     b`
    expect(edges(lines(text))).toEqual(['main > a 10.0 k'])
    expect(lines(text).find(line => line.startsWith('legend'))).toContain('Hidden: 1 smaller calls')
  })

  test.each([0, -1, 1.5, Number.NaN])('rejects a maxNodes of %d', maxNodes => {
    expect(() => lines(small, { maxNodes })).toThrow(RangeError)
  })

  test('writes only a legend without profiles', () => {
    const { bytes } = writeDot(new ProfilesBuilder().build())
    expect(decodeUtf8(bytes)).toContain('no profile')
  })
})

test('names are escaped', () => {
  const builder = new ProfilesBuilder()
  builder.profile({ type: 'a"b', unit: 'count' })
  for (const name of ['"] evil [label="', 'a\nb', 'c\\', '\\l']) {
    const location = builder.location({ lines: [{ function: builder.function({ name }) }] })
    builder.sample({ stack: builder.stack([location]), values: [1] })
  }
  const { bytes } = writeDot(builder.build())
  const text = decodeUtf8(bytes)
  // Outside of strings the file has only words of the writer.
  const outside = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
  expect(outside).not.toMatch(/evil|"[^",\]\s{]/)
  expect(text).toContain('label="\\"] evil [label=\\"\\n')
  expect(text).toContain('label="a b\\n')
  expect(text).toContain('label="c\\\\\\n')
})

test('the format is write-only', () => {
  expect(dot).not.toHaveProperty('read')
  expect(dot.detect(encodeUtf8('digraph {}'), 'a.dot')).toBe('no')
})
