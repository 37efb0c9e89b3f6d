import { topOfTree } from '@hearth/profile'
import { describe, expect, it } from 'vitest'
import { treeOfFolded } from '../../../../profile/src/analyze/testing/tree-of.ts'
import { DEFAULT_TABLE_COLUMNS, chosenColumns, rowOrder, sparkPath, tableCsv, toggledColumn } from './table-rows.ts'

const top = topOfTree(treeOfFolded('main;b 3\nmain;a 3\nmain;"c,d" 1'))
const names = (rows: readonly number[]): string[] => rows.map(row => top.frames.name[top.frame[row]])
const PLAIN = { reverse: false, search: '', regex: false }

describe('rowOrder', () => {
  it('sorts by value, then by name, and filters', () => {
    expect(names(rowOrder(top, { ...PLAIN, sort: 'self' }))).toEqual(['a', 'b', '"c,d"', 'main'])
    expect(names(rowOrder(top, { ...PLAIN, sort: 'total' }))).toEqual(['main', 'a', 'b', '"c,d"'])
    expect(names(rowOrder(top, { ...PLAIN, sort: 'name', reverse: true }))[0]).toBe('main')
    expect(names(rowOrder(top, { ...PLAIN, sort: 'self', search: 'c,' }))).toEqual(['"c,d"'])
    const { length, self, total, frame } = top
    const backwards = { ...top, self: self.toReversed(), total: total.toReversed(), frame: frame.toReversed() }
    for (const sort of ['self', 'total', 'name'] as const) {
      const rows = rowOrder(backwards, { ...PLAIN, sort }).map(row => length - 1 - row)
      expect(names(rows)).toEqual(names(rowOrder(top, { ...PLAIN, sort })))
    }
  })
})

describe('tableCsv', () => {
  it('quotes fields and writes exact numbers', () => {
    const text = tableCsv(top, rowOrder(top, { ...PLAIN, sort: 'self', search: 'c,' }))
    expect(text).toBe(
      'function,self (1),self share,total (1),total share,file,library\r\n"""c,d""",1,0.142857,1,0.142857,,\r\n',
    )
  })

  it('keeps spreadsheets from running names as formulas', () => {
    const odd = topOfTree(treeOfFolded('=cmd 1'))
    expect(tableCsv(odd, [0])).toContain("\r\n'=cmd,1,1,")
  })
})

describe('chosenColumns and toggledColumn', () => {
  it('keep the order of the table and ignore unknown names', () => {
    expect(chosenColumns('total,self,nothing')).toEqual(['self', 'total'])
    expect(toggledColumn(DEFAULT_TABLE_COLUMNS, 'file')).toBe('self,self-share,total,total-share,file')
    expect(toggledColumn('self,file', 'self')).toBe('file')
  })
})

describe('sparkPath', () => {
  it('scales to the largest value', () => {
    expect(sparkPath([0, 2, 1], 20, 12)).toBe('M0.0 11.0L10.0 1.0L20.0 6.0')
    expect(sparkPath([0, 0], 20, 12)).toBe('')
    expect(sparkPath([3], 20, 12)).toBe('')
  })
})
