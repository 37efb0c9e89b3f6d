import { describe, expect, it } from 'vitest'
import { readChromeTrace } from '../../../formats/chrome-trace/read.ts'
import { ProfilesBuilder } from '../../../model/build/builder.ts'
import type { FileLedgers } from './file-ledgers.ts'
import { fileLedgers } from './file-ledgers.ts'

function table({ ledgers }: FileLedgers): string[] {
  return ledgers.input.spans.map(({ name, parent }, row) => {
    const entries = ledgers.of(row).entries.map(({ kind, nanos }) => `${kind} ${nanos / 1000n}`)
    return `${name}${parent === -1 ? '' : ` in ${ledgers.input.spans[parent].name}`}: ${entries.join(', ')}`
  })
}

const chrome = (events: readonly object[]): FileLedgers | undefined =>
  fileLedgers(readChromeTrace(new TextEncoder().encode(JSON.stringify({ traceEvents: events }))).profiles)

describe('fileLedgers', () => {
  it('makes spans of the nested events of a Chrome trace', () => {
    const event = { ph: 'X', pid: 1, tid: 7, cat: 'test' }
    const found = chrome([
      { ...event, name: 'RunTask', ts: 100, dur: 100 },
      { ...event, name: 'FunctionCall', ts: 110, dur: 60 },
      { ...event, name: 'MinorGC', ts: 120, dur: 20 },
      { ...event, name: 'RunTask', ts: 300, dur: 50 },
    ])
    expect(table(found!)).toEqual([
      'RunTask: children 60, own-cpu 40',
      'FunctionCall in RunTask: children 20, own-cpu 40',
      'MinorGC in FunctionCall: runtime 20',
      'RunTask: own-cpu 50',
    ])
  })

  it('makes spans of the links of samples, and of threads without any', () => {
    const build = (isLinked: boolean) => {
      const builder = new ProfilesBuilder()
      builder.resource()
      builder.scope({ name: 'test' })
      builder.profile({ type: 'wall', unit: 'nanoseconds', periodType: 'wall', periodUnit: 'nanoseconds', period: 10 })
      const stack = builder.stack([builder.location({ lines: [{ function: builder.function({ name: 'work' }) }] })])
      const link = isLinked ? { link: builder.link(new Uint8Array(16).fill(1), new Uint8Array(8).fill(2)) } : {}
      builder.sample({
        stack,
        ...link,
        attributes: [builder.attribute('thread.id', 1n)],
        values: [10n, 10n],
        timestamps: [1000n, 1010n],
      })
      return builder.build()
    }
    expect(table(fileLedgers(build(true))!)).toEqual([`span ${'02'.repeat(8)}: own-cpu 0`])
    expect(table(fileLedgers(build(false))!)).toEqual(['thread 1: own-cpu 0'])
  })

  it('returns undefined for profiles without times', () => {
    expect(fileLedgers(new ProfilesBuilder().build())).toBeUndefined()
  })
})
