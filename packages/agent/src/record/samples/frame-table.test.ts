import { expect, test } from 'vitest'
import { FrameTable, pathOf, specialFrame } from './frame-table.ts'

test('FrameTable keeps each frame once, by name, script and position', () => {
  const frames = new FrameTable()
  const f = { name: 'f', scriptName: 'file:///srv/app%20x.mjs', lineNumber: 3, columnNumber: 5 }
  expect(frames.rowOf(f)).toBe(0)
  expect(frames.rowOf({ ...f })).toBe(0)
  expect(frames.rowOf({ ...f, columnNumber: 6 })).toBe(1)
  expect(frames.rowOf({ ...f, name: '' })).toBe(2)
  expect(frames.rows[0]).toEqual({
    name: 'f',
    systemName: '',
    file: '/srv/app x.mjs',
    startLine: 3,
    line: 3,
    column: 5,
    type: 'v8js',
  })
  expect(frames.rows[2].name).toBe('(anonymous)')
  expect(frames.rows[frames.special('(idle)')]).toEqual(specialFrame('(idle)'))
  expect(specialFrame('(idle)')).toMatchObject({ name: '(idle)', file: '', type: 'native' })
})

test('pathOf returns a path for file URLs only', () => {
  expect(pathOf('file:///a/b.mjs?v=1#x')).toBe('/a/b.mjs')
  expect(pathOf('file://%zz')).toBe('%zz')
  expect(pathOf('/a/b.cjs')).toBe('/a/b.cjs')
  expect(pathOf('node:fs')).toBe('node:fs')
  expect(pathOf('evalmachine.<anonymous>')).toBe('evalmachine.<anonymous>')
})
