import { expect, it } from 'vitest'
import type { Report } from './report.ts'
import { makeReport, reportHtml, reportMarkdown } from './report.ts'

const DAY = 86_400_000
const threads = {
  async call(name: string, task: { readonly from: bigint; readonly tenant: string }) {
    if (name === 'monitorTop')
      return { unit: 'ns', sum: 7.2e12, rows: [{ name: 'a|<b>', file: 'x.ts', self: 3.6e12, total: 3.6e12 }] }
    const isNow = task.from === BigInt(14 * DAY) * 1_000_000n
    const group = (service: string, value: number) => ({
      labels: { 'service.name': service },
      points: [{ time: 0n, value }],
    })
    return { unit: 'ns', groups: isNow ? [group('cart', 1.8e12), group('shop', 5.4e12)] : [group('shop', 3.6e12)] }
  },
} as unknown as Parameters<typeof makeReport>[0]['threads']

async function made(price?: number): Promise<Report> {
  const range = { from: 14 * DAY, to: 21 * DAY }
  const signal = new AbortController().signal
  return makeReport({ threads, tenant: 'default', ...range, findings: [], price, currency: 'EUR', signal })
}

it('makeReport adds up core-hours, and money if it has a price', async () => {
  const report = await made(0.05)
  expect(report).toMatchObject({ coreHours: 2, before: 1, money: 0.1 })
  expect(report.services).toMatchObject([
    { service: 'shop', coreHours: 1.5, before: 1 },
    { service: 'cart', coreHours: 0.5, before: 0 },
  ])
  expect((await made()).money).toBeUndefined()
})

it('reports are escaped in Markdown and HTML', async () => {
  const report = await made(0.05)
  const markdown = reportMarkdown(report)
  expect(markdown).toContain(String.raw`| a\|\<b\> | x.ts | 1 | 50.0 % |`)
  expect(markdown).toContain('CPU: 2 core-hours, 0.1 EUR (+100 % against the week before).')
  expect(markdown).toContain('| cart | 0.5 | new |')
  expect(reportHtml(report)).toContain('<td>a|&#60;b&#62;</td>')
})
