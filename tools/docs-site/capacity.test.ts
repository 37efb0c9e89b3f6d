import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CAPACITY_PAGE, COSTS, EXAMPLE, capacityOf, withTable } from './capacity.ts'

describe('capacityOf', () => {
  it('uses the costs that docs/benchmarks.md states', () => {
    const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'benchmarks.md'), 'utf8')
    const row = page.split('\n').find(line => line.startsWith('| with timestamps, threads, spans | 100 M'))
    expect(row).toContain(`${COSTS.serverCpu.toFixed(2)} + ${COSTS.storeCpu.toFixed(2)} s`)
    expect(row).toContain(`${COSTS.disk} / ${COSTS.network}`)
    expect(row).toContain(`${(COSTS.limit / 1e6).toFixed(2)} M/s`)
  })

  it('needs ClickHouse when one server has no headroom left, and then grows in proportion', () => {
    const [small, large, twice] = [1875, 10_000, 20_000].map(hosts => capacityOf({ ...EXAMPLE, hosts }))
    expect([small.servers, small.nodes]).toEqual([1, 0])
    expect(capacityOf({ ...EXAMPLE, hosts: 1876 }).nodes).toBe(2)
    expect(twice.disk).toBeCloseTo(2 * large.disk)
    expect(twice.cores).toBeCloseTo(2 * large.cores)
    expect(twice.nodes % EXAMPLE.replicas).toBe(0)
  })

  it('is the table of docs/capacity.md', () => {
    const page = readFileSync(CAPACITY_PAGE, 'utf8')
    expect(withTable(page)).toBe(page)
    expect(() => withTable('without marks')).toThrow('no marks')
  })
})
