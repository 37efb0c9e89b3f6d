import { describe, expect, it } from 'vitest'
import { sentRequest } from '../sent-request.ts'
import type { CheckedServer } from './model.ts'
import { Model, STORED_ROWS } from './model.ts'

describe('Model', () => {
  const [first, second] = [0, 1].map(sentRequest)
  const stored = (sql: string): readonly string[] => [`('${first.id}',${sql === STORED_ROWS ? first.items : 1})`]

  it('reports an acknowledged request without rows, unless the server reports a loss', async () => {
    for (const codes of [[], ['journal-lost']]) {
      const model = new Model(sentRequest)
      const acknowledged = [0, 1].map(model.make)
      const server: CheckedServer = {
        settled: async () => undefined,
        select: async sql => stored(sql),
        prepared: async () => ({ codes }),
      }
      expect(await model.check(acknowledged, server)).toBe(codes)
      expect(model.violations).toEqual(
        codes.length > 0 ? [] : [`${second.id} was acknowledged and has 0 of ${second.items} rows`],
      )
      expect([...model.lost]).toEqual(codes.length > 0 ? [second.id] : [])
    }
  })

  it('ignores requests that are acknowledged while it reads the store', async () => {
    const model = new Model(sentRequest)
    const [one, other] = [0, 1].map(model.make)
    const acknowledged = [one]
    await model.check(acknowledged, {
      settled: async () => void acknowledged.push(other),
      select: async sql => stored(sql),
      prepared: async () => ({ codes: [] }),
    })
    expect(model.violations).toEqual([])
  })
})
