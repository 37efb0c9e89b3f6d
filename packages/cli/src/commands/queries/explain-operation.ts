// `hearth explain --operation NAME`: the ledger of the requests of an operation.
import type { AverageLedger, LedgerResponse } from '@hearth/client'
import { ENTRY_TITLES, JUDGEMENTS, formatDuration, formatShare, judgeDeviations } from '@hearth/profile'
import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { aboutServer, connect, isNotFound } from '../../remote/remote.ts'
import { entryLines } from '../../render/ledger-lines.ts'
import { printJson, printLines } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import { table } from '../../terminal/table.ts'
import type { ExplainOptions } from './explain-options.ts'

export async function explainOperation(operation: string, options: ExplainOptions, context: Context): Promise<void> {
  const { service, by, since, until, server, json } = options
  const client = await connect(server, '--server', options, context)
  const request = {
    operation,
    from: since,
    to: until,
    ...(service === undefined ? {} : { service }),
    ...(by === undefined ? {} : { by }),
  }
  try {
    const found = await context.progress.during(`querying ${client.server}`, client.query('ledger', request))
    context.progress.done()
    if (json === true) await printJson(context.stdout, found)
    else await printLines(context.stdout, operationLines(found, by, context.width))
  } catch (error) {
    if (isNotFound(error))
      throw new CliError(1, printable(error.message), 'Give a longer range with --since.', { cause: error })
    throw aboutServer(error, { option: '--server' })
  }
}

function operationLines(ledger: LedgerResponse, by: string | undefined, width: number | undefined): string[] {
  const { span, requests, durationNano, entries, sentence, percentiles, groups, comparison } = ledger
  const duration = BigInt(durationNano)
  const lines = [
    `${printable(span.name)}  ${printable(span.service)}  ${requests.toLocaleString('en')} requests, ${formatDuration(duration)} on average`,
    printable(sentence),
    '',
    ...entryLines(entries, duration, width),
    '',
    ...averageLines('REQUESTS', percentiles, width),
  ]
  if (by !== undefined) lines.push('', ...averageLines(printable(by), groups, width))
  if (comparison !== undefined) lines.push('', ...comparisonLines(comparison, width))
  return lines
}

function averageLines(
  title: string,
  rows: readonly (AverageLedger & { readonly name: string })[],
  width: number | undefined,
): string[] {
  return table(
    [
      { title },
      { title: 'COUNT', align: 'right' },
      { title: 'AVERAGE', align: 'right' },
      { title: 'ENTRIES', flexible: true },
    ],
    rows.map(({ name, requests, durationNano, entries }) => [
      printable(name),
      requests.toLocaleString('en'),
      formatDuration(BigInt(durationNano)),
      [...entries]
        .sort((a, b) => Number(BigInt(b.nanos) - BigInt(a.nanos)))
        .slice(0, 4)
        .map(({ kind, nanos }) => `${ENTRY_TITLES[kind]} ${formatShare(BigInt(nanos), BigInt(durationNano))}`)
        .join(', '),
    ]),
    width,
  )
}

function comparisonLines(
  { threshold, slow, fast, differences, attributes }: NonNullable<LedgerResponse['comparison']>,
  width: number | undefined,
): string[] {
  const percent = (share: number): string => `${Math.round(100 * share)} %`
  const lines = [
    `Slow vs. fast: ${slow.requests.toLocaleString('en')} requests of at least ${formatDuration(BigInt(threshold))}, ${fast.requests.toLocaleString('en')} shorter ones`,
    ...table(
      [
        { title: 'SLOW - FAST', align: 'right' },
        { title: 'ERROR', align: 'right' },
        { title: 'ENTRY' },
        { title: 'SIGNIFICANCE' },
      ],
      differences.map(({ kind, nanos, error, deviations }) => [
        formatDuration(BigInt(nanos)),
        `± ${formatDuration(BigInt(error))}`,
        ENTRY_TITLES[kind],
        JUDGEMENTS[judgeDeviations(deviations)],
      ]),
      width,
    ),
  ]
  if (attributes.length > 0) {
    lines.push('What slow requests have in common (slow vs. fast):')
    for (const { key, comparison, value, slow: share, fast: other } of attributes)
      lines.push(`  ${printable(key)} ${comparison} ${printable(value)}  ${percent(share)} vs. ${percent(other)}`)
  }
  return lines
}
