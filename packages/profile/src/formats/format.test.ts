import { describe, expect, it } from 'vitest'
import { NoteList } from './format.ts'

describe('NoteList', () => {
  it('counts notes by code and marks those about missing parts', () => {
    const notes = new NoteList()
    notes.add('clock', 'the clock is unknown')
    notes.addDamage('truncated', 'the file is truncated')
    notes.add('none', 'nothing happened', 0)
    const all = new NoteList()
    all.addAll(notes.list())
    all.addDamage('truncated', 'another message', 2)
    expect(all.list()).toEqual([
      { code: 'clock', count: 1, message: 'the clock is unknown' },
      { code: 'truncated', count: 3, message: 'the file is truncated', isDamage: true },
    ])
  })
})
