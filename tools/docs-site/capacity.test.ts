import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CAPACITY_PAGE, COSTS, EXAMPLE, MEASURED, capacityOf, withTable } from './capacity.ts'

describe('capacityOf', () => {
  it('uses the costs that docs/benchmarks.md states', () => {
    const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'benchmarks.md'), 'utf8')
    const rows = [...page.matchAll(/^\| ([\d,]+) × 80\/s (.*) \|$/gm)].map(([, hosts, cells]) => ({
      samplesPerSecond: 80 * Number(hosts.replace(',', '')),
      cells: cells.split(' | '),
    }))
    expect(rows.map(({ samplesPerSecond, cells }) => [samplesPerSecond, Number(cells[3])])).toEqual(MEASURED)
    expect(rows.at(-1)?.cells.slice(-2)).toEqual([`${COSTS.disk} B`, `${COSTS.network} B`])
    const large = page.split('\n').find(line => line.startsWith('| with timestamps, threads, spans | 100 M'))
    expect(large).toContain(`${(COSTS.limit / 1e6).toFixed(2)} M/s`)
  })

  it('interpolates the measured load, and continues it in proportion', () => {
    const coresOf = (hosts: number): number => capacityOf({ ...EXAMPLE, hosts, replicas: 1 }).cores
    expect(coresOf(100)).toBeCloseTo(0.21)
    expect(coresOf(200)).toBeCloseTo(0.33)
    expect(coresOf(1000)).toBeCloseTo(0.85)
    expect(coresOf(50)).toBeCloseTo(0.21 / 2)
    // In servers and ClickHouse, whose parts are estimates with a margin.
    expect(coresOf(100_000)).toBeCloseTo(85 * 1.2)
  })

  it('needs ClickHouse when one server has no headroom left, and then grows in proportion', () => {
    const [small, large, twice] = [2687, 10_000, 20_000].map(hosts => capacityOf({ ...EXAMPLE, hosts }))
    expect([small.servers, small.nodes]).toEqual([1, 0])
    expect(capacityOf({ ...EXAMPLE, hosts: 2688 }).nodes).toBe(2)
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
