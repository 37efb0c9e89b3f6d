// The weekly report of a tenant: cost by service and function, and the biggest changes.
import { formatTime } from '@hearth/profile'
import type { TaskRunner } from '../../query/threads/query-task.ts'
import type { Finding } from '../findings/finding.ts'
import { findingSentence } from '../findings/finding-text.ts'
import type { MonitorTasks } from '../monitor-tasks.ts'

export interface ServiceCost {
  readonly service: string
  readonly coreHours: number
  /** In the time before, of the same length. */
  readonly before: number
  /** Undefined without a price. */
  readonly money: number | undefined
}

export interface Report {
  readonly tenant: string
  /** Milliseconds since 1970. */
  readonly from: number
  readonly to: number
  readonly coreHours: number
  readonly before: number
  readonly money: number | undefined
  readonly currency: string
  /** The most expensive first. */
  readonly services: readonly ServiceCost[]
  readonly functions: readonly { readonly name: string; readonly file: string; readonly coreHours: number }[]
  readonly findings: readonly Finding[]
  /** Services whose cost changed most, largest change first. */
  readonly changes: readonly ServiceCost[]
}

export interface ReportOptions {
  readonly threads: TaskRunner<MonitorTasks>
  readonly tenant: string
  readonly from: number
  readonly to: number
  readonly findings: readonly Finding[]
  /** The price of a core for an hour. */
  readonly price: number | undefined
  readonly currency: string
  readonly signal: AbortSignal
}

const SELECTOR = 'cpu:ns{}'
const HOUR_NANOS = 3.6e12
const SHOWN = 20
const LIMITS = { maxSeconds: 120 }

export async function makeReport(options: ReportOptions): Promise<Report> {
  const { threads, tenant, from, to, price, currency, signal } = options
  const nanos = (ms: number): bigint => BigInt(ms) * 1_000_000n
  const costs = async (start: number, end: number): Promise<Map<string, number>> => {
    const step = nanos(end) - nanos(start)
    const task = {
      tenant,
      selector: SELECTOR,
      groupBy: ['service.name'],
      from: nanos(start),
      to: nanos(end),
      step,
      limits: LIMITS,
    }
    const { groups } = await threads.call('monitorSeries', task, { tenant, signal })
    return new Map(
      groups.map(({ labels, points }) => [
        labels['service.name'] ?? '',
        points.reduce((sum, { value }) => sum + value, 0) / HOUR_NANOS,
      ]),
    )
  }
  const [now, then] = [await costs(from, to), await costs(2 * from - to, from)]
  const moneyOf = (hours: number): number | undefined => (price === undefined ? undefined : hours * price)
  const services = [...new Set([...now.keys(), ...then.keys()])]
    .map(service => {
      const coreHours = now.get(service) ?? 0
      return { service, coreHours, before: then.get(service) ?? 0, money: moneyOf(coreHours) }
    })
    .sort((a, b) => b.coreHours - a.coreHours)
  const top = await threads.call(
    'monitorTop',
    { tenant, selector: SELECTOR, from: nanos(from), to: nanos(to), count: SHOWN, limits: LIMITS },
    { tenant, signal },
  )
  const sum = (values: Iterable<number>): number => [...values].reduce((a, b) => a + b, 0)
  const coreHours = sum(now.values())
  return {
    tenant,
    from,
    to,
    coreHours,
    before: sum(then.values()),
    money: moneyOf(coreHours),
    currency,
    services: services.slice(0, SHOWN),
    functions: top.rows.map(({ name, file, self }) => ({ name, file, coreHours: self / HOUR_NANOS })),
    findings: options.findings
      .filter(({ opened, state }) => state === 'open' || Date.parse(opened) >= from)
      .toSorted((a, b) => b.change - a.change)
      .slice(0, SHOWN),
    changes: services
      .filter(each => each.coreHours !== each.before)
      .toSorted((a, b) => Math.abs(b.coreHours - b.before) - Math.abs(a.coreHours - a.before))
      .slice(0, 10),
  }
}

export function reportTitle({ tenant, from, to }: Report): string {
  const day = (ms: number): string => formatTime(BigInt(ms) * 1_000_000n).slice(0, 10)
  return `Profiling report of ${tenant}, ${day(from)} to ${day(to)}`
}

interface Table {
  readonly title: string
  readonly empty: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

const hours = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 3 })

function changeText(now: number, before: number): string {
  if (before === 0) return now === 0 ? '' : 'new'
  const percent = (100 * (now - before)) / before
  return `${percent > 0 ? '+' : ''}${percent.toFixed(0)} %`
}

function moneyText(value: number | undefined, currency: string): string {
  if (value === undefined) return ''
  if (value > 0 && value < 0.01) return `<0.01 ${currency}`
  return `${value.toLocaleString('en', { maximumFractionDigits: 2 })} ${currency}`
}

function tablesOf(report: Report): Table[] {
  const { services, functions, findings, changes, currency } = report
  const hasMoney = report.money !== undefined
  const serviceRow = ({ service, coreHours, before, money }: ServiceCost): string[] => [
    service === '' ? '(no name)' : service,
    hours(coreHours),
    changeText(coreHours, before),
    ...(hasMoney ? [moneyText(money, currency)] : []),
  ]
  const columns = ['Service', 'Core-hours', 'Against the week before', ...(hasMoney ? ['Cost'] : [])]
  return [
    { title: 'Services', empty: 'No CPU profiles in this time.', columns, rows: services.map(serviceRow) },
    {
      title: 'Most expensive functions',
      empty: 'No CPU profiles in this time.',
      columns: ['Function', 'File', 'Core-hours', 'Share'],
      rows: functions.map(({ name, file, coreHours }) => [
        name,
        file,
        hours(coreHours),
        report.coreHours === 0 ? '' : `${((100 * coreHours) / report.coreHours).toFixed(1)} %`,
      ]),
    },
    { title: 'Biggest changes', empty: 'No changes.', columns, rows: changes.map(serviceRow) },
    {
      title: 'Findings',
      empty: 'No function costs significantly more than before.',
      columns: ['Finding', 'State', 'Since'],
      rows: findings.map(finding => [
        findingSentence(finding),
        finding.state,
        finding.since.slice(0, 16).replace('T', ' '),
      ]),
    },
  ]
}

function totalText({ coreHours, before, money, currency }: Report): string {
  const cost = money === undefined ? '' : `, ${moneyText(money, currency)}`
  const change = changeText(coreHours, before)
  return `CPU: ${hours(coreHours)} core-hours${cost}${change === '' ? '' : ` (${change} against the week before)`}.`
}

export function reportMarkdown(report: Report): string {
  const escaped = (text: string): string => text.replaceAll(/[\\|`<>*_[\]]/g, String.raw`\$&`)
  const lines = tablesOf(report).flatMap(({ title, empty, columns, rows }) => [
    '',
    `## ${title}`,
    '',
    ...(rows.length === 0
      ? [empty]
      : [
          `| ${columns.join(' | ')} |`,
          `|${columns.map(() => '---').join('|')}|`,
          ...rows.map(row => `| ${row.map(escaped).join(' | ')} |`),
        ]),
  ])
  return [`# ${escaped(reportTitle(report))}`, '', totalText(report), ...lines, ''].join('\n')
}

/** One self-contained page. */
export function reportHtml(report: Report): string {
  const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)
  const row = (tag: string, cells: readonly string[]): string =>
    `<tr>${cells.map(cell => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`
  const tables = tablesOf(report).map(
    ({ title, empty, columns, rows }) =>
      `<h2>${title}</h2>` +
      (rows.length === 0
        ? `<p>${empty}</p>`
        : `<table><thead>${row('th', columns)}</thead><tbody>${rows.map(cells => row('td', cells)).join('')}</tbody></table>`),
  )
  const title = escaped(reportTitle(report))
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>` +
    'body{font:14px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}' +
    'table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #ddd}' +
    'td{overflow-wrap:anywhere}</style></head><body>' +
    `<h1>${title}</h1><p>${escaped(totalText(report))}</p>${tables.join('')}</body></html>\n`
  )
}
