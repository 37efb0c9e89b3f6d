// The weekly report, on demand.
import { z } from 'zod'
import { reportHtml, reportMarkdown, reportTitle } from '../../../monitor/reports/report.ts'
import { defineEndpoint } from '../endpoint.ts'
import { parseTime } from '../request/times.ts'

export const report = defineEndpoint({
  name: 'report',
  method: 'GET',
  path: '/report',
  summary: 'A summary of a week: cost by service and function, and the biggest changes',
  request: z.strictObject({
    to: z.string().max(64).optional().meta({ description: 'The end of the week; default: now' }),
  }),
  response: z.strictObject({ title: z.string(), markdown: z.string(), html: z.string() }),
  async handle(context, { to }) {
    const { monitor, tenant, now, signal } = context
    const end = to === undefined ? now : parseTime(to, now)
    const made = await context.inQuerySlot(() => monitor.report(tenant, Number(end / 1_000_000n), signal))
    return { title: reportTitle(made), markdown: reportMarkdown(made), html: reportHtml(made) }
  },
})
