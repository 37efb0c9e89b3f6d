import { describe, expect, test } from 'vitest'
import type { LogLevel } from './log.ts'
import { openLog } from './log.ts'

function linesOf(format: 'json' | 'text', level: LogLevel, write: (log: ReturnType<typeof openLog>) => void): string[] {
  const lines: string[] = []
  write(openLog({ level, format, write: line => lines.push(line) }))
  return lines
}

describe('the text format', () => {
  test('has the time of day, the level, the message and the values in a line', () => {
    const [line] = linesOf('text', 'info', log =>
      log.info({ table: 'spans', rows: 3, why: 'two words', list: [1, 2], empty: '' }, 'it is done'),
    )
    expect(line).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info {2}it is done /)
    expect(line).toMatch(/ table=spans rows=3 why="two words" list=\[1,2\] empty=""\n$/)
  })

  test('escapes line breaks, so that a value cannot fake a line', () => {
    const [line] = linesOf('text', 'info', log => log.info({ client: 'x\n12:00:00.000 ERROR all is lost' }, 'm'))
    expect(line.trimEnd().split('\n')).toHaveLength(1)
  })

  test('appends the stack of an error and its cause', () => {
    const [line] = linesOf('text', 'info', log =>
      log.error({ err: new TypeError('no such thing') }, 'a request failed'),
    )
    expect(line).toMatch(/ ERROR a request failed\nTypeError: no such thing\n {4}at /)
    const cause = new Error('outer', { cause: new Error('inner') })
    expect(linesOf('text', 'info', log => log.warn({ err: cause }, 'm'))[0]).toContain('inner')
  })
})

test('the JSON format has one object per line', () => {
  const lines = linesOf('json', 'info', log => {
    log.warn({ code: 'disk-low' }, 'little space')
    log.error({ err: new Error('no') }, 'failed')
  })
  expect(JSON.parse(lines[0])).toEqual({
    level: 40,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
    code: 'disk-low',
    msg: 'little space',
  })
  expect(JSON.parse(lines[1])).toMatchObject({ err: { type: 'Error', message: 'no' }, msg: 'failed' })
})

test('the level filters messages', () => {
  const write = (log: ReturnType<typeof openLog>): void => {
    log.debug({}, 'd')
    log.info({}, 'i')
    log.warn({}, 'w')
    log.error({}, 'e')
  }
  expect(linesOf('text', 'debug', write)).toHaveLength(4)
  expect(linesOf('text', 'warn', write)).toHaveLength(2)
})

test('secrets are masked everywhere', () => {
  const secret = 'hearth_0123456789ab_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0'
  for (const format of ['json', 'text'] as const) {
    const lines = linesOf(format, 'debug', log => {
      log.info({ authorization: `Bearer ${secret}` }, 'header')
      log.info({ headers: { authorization: `Bearer ${secret}` } }, 'headers')
      log.error({ err: new Error(`bad token ${secret}`) }, 'error')
      log.info({ store: 'clickhouse://hearth:geheim@db:8123/x' }, 'store')
      log.error({ err: new Error('cannot reach https://hearth:geheim@db:8123/x') }, 'store')
    })
    expect(lines).toHaveLength(5)
    for (const line of lines) expect(line).not.toMatch(/c2VjcmV0|geheim/)
    expect(lines[3]).toContain('clickhouse://hearth:***@db:8123/x')
  }
})
