import { expect, test } from 'vitest'
import { cells } from './printable.ts'
import { table } from './table.ts'

const columns = [
  { title: 'SELF', align: 'right' },
  { title: 'NAME', flexible: true },
  { title: 'FILE', flexible: true, cut: 'start' },
] as const

test('table makes columns as wide as their widest cell', () => {
  const rows = [
    ['1.53 s', 'gc', 'src/gc.ts'],
    ['7 ms', 'collect', ''],
  ]
  expect(table(columns, rows)).toEqual(['  SELF  NAME     FILE', '1.53 s  gc       src/gc.ts', '  7 ms  collect'])
})

test('table without a width keeps a very long name complete and moves nothing but the rest of its line', () => {
  const long = 'std::vector<int>'.repeat(30)
  const rows = [
    ['1.53 s', long, 'src/a.cc'],
    ['7 ms', 'collect', 'src/gc.ts'],
  ]
  const [titles, first, second] = table(columns, rows)
  expect(first).toBe(`1.53 s  ${long}  src/a.cc`)
  expect([titles.indexOf('FILE'), second.indexOf('src/gc.ts')]).toEqual([70, 70])
})

test('table shrinks flexible columns for a narrow terminal, the widest first', () => {
  const rows = [['1 s', 'a'.repeat(60), `src/${'b'.repeat(40)}.ts`]]
  const lines = table(columns, rows, 60)
  expect(lines[1]).toHaveLength(60)
  expect(lines[1]).toMatch(/^ 1 s {2}a+… {2}…b+\.ts$/)
  expect(table(columns, rows, 103)[1]).toMatch(/ {2}src\/b+\.ts$/)
})

test('table keeps a minimum width for flexible columns', () => {
  const lines = table(columns, [['1 s', 'a'.repeat(60), 'b'.repeat(60)]], 10)
  expect(lines[1]).toBe(` 1 s  ${'a'.repeat(11)}…  …${'b'.repeat(11)}`)
})

test('table counts wide letters as two cells', () => {
  const lines = table(
    [{ title: 'NAME' }, { title: 'N', align: 'right' }],
    [
      ['処理', '1'],
      ['main', '22'],
    ],
  )
  expect(new Set(lines.map(cells))).toEqual(new Set([8]))
})

test('table omits empty columns', () => {
  expect(
    table(columns, [
      ['1 s', 'gc', ''],
      ['2 s', 'run', ''],
    ]),
  ).toEqual(['SELF  NAME', ' 1 s  gc', ' 2 s  run'])
  expect(table(columns, [])).toEqual([])
})
