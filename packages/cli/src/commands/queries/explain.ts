// `hearth explain TRACE_ID`: where the time of a request went.
import type { TraceLedgerResponse } from '@hearth/client'
import { ENTRY_TITLES, formatDuration, formatShare } from '@hearth/profile'
import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { examples } from '../../options.ts'
import type { RemoteOptions } from '../../remote/remote.ts'
import { MAIN_SERVER, aboutServer, addRemoteOptions, connect, isNotFound } from '../../remote/remote.ts'
import { printJson, printLines } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import { table } from '../../terminal/table.ts'

interface ExplainOptions extends RemoteOptions {
  readonly server: string
  readonly span?: string
  readonly json?: boolean
}

/** The number of details of an entry that people read. */
const DETAILS = 3
const BAR = 24

export function addExplain(program: Command, context: Context): void {
  const command = program
    .command('explain')
    .summary('show where the time of a request went')
    .description(
      'Divides the time of a span: child spans, own CPU, a thread that was busy with other requests, garbage collection, locks, ' +
        'I/O and timers, waiting for a CPU, and unknown. The entries add up to the duration.',
    )
    .argument('<trace>', 'trace id: 32 hexadecimal digits')
    .option('--server <url>', "the server's main address", MAIN_SERVER)
    .option('--span <id>', 'this span instead of the root: 16 hexadecimal digits')
  addRemoteOptions(command)
    .option('--json', 'print JSON: span, durationNano, entries, critical, sentence')
    .addHelpText('after', examples(['hearth explain 0af7651916cd43dd8448eb211c80319c', 'why the request was slow']))
    .action(async (id: string, options: ExplainOptions) => await explain(id, options, context))
}

async function explain(id: string, options: ExplainOptions, context: Context): Promise<void> {
  const { span, json, server } = options
  const client = await connect(server, '--server', options, context)
  try {
    const request = span === undefined ? {} : { spanId: span }
    const found = await context.progress.during(`querying ${client.server}`, client.traceLedger(id, request))
    context.progress.done()
    const { span: of, durationNano, entries, critical, sentence } = found
    if (json === true) await printJson(context.stdout, { span: of, durationNano, entries, critical, sentence })
    else await printLines(context.stdout, ledgerLines(found, context.width))
  } catch (error) {
    if (isNotFound(error))
      throw new CliError(1, printable(error.message), '`hearth traces` lists traces.', { cause: error })
    throw aboutServer(error, { option: '--server' })
  }
}

function ledgerLines(ledger: TraceLedgerResponse, width: number | undefined): string[] {
  const { span, durationNano, entries, critical, sentence } = ledger
  const duration = BigInt(durationNano)
  const lines = [
    `${printable(span.name)}  ${printable(span.service)}  ${formatDuration(duration)}`,
    printable(sentence),
    '',
    ...entryLines(entries, duration, width),
  ]
  if (entries.some(({ kind }) => kind === 'children'))
    lines.push('', 'The critical path, with the spans below:', ...entryLines(critical, duration, width))
  return lines
}

function entryLines(entries: TraceLedgerResponse['entries'], duration: bigint, width: number | undefined): string[] {
  const rows = entries.map(({ kind, nanos, error, details }) => [
    formatDuration(BigInt(nanos)),
    error === '0' ? '' : `± ${formatDuration(BigInt(error))}`,
    formatShare(BigInt(nanos), duration),
    '█'.repeat(duration === 0n ? 0 : Math.round((BAR * Number(nanos)) / Number(duration))),
    ENTRY_TITLES[kind],
    details
      .slice(0, DETAILS)
      .map(({ name, count, mostly }) => {
        const times = count > 1 ? `${count} × ` : ''
        return `${times}${printable(name)}${mostly === '' || mostly === name ? '' : ` (${printable(mostly)})`}`
      })
      .join(', '),
  ])
  return table(
    [
      { title: 'TIME', align: 'right' },
      { title: 'ERROR', align: 'right' },
      { title: 'SHARE', align: 'right' },
      { title: '' },
      { title: 'ENTRY' },
      { title: 'DETAILS', flexible: true },
    ],
    rows,
    width,
  )
}
