// `hearth explain TRACE_ID | --operation NAME | FILE`: where the time of a request, of an operation or of the spans of a file went.
import type { TraceLedgerResponse } from '@hearth/client'
import { formatDuration } from '@hearth/profile'
import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { addReadingOptions, examples, wholeNumber } from '../../options.ts'
import { MAIN_SERVER, aboutServer, addRemoteOptions, connect, isNotFound } from '../../remote/remote.ts'
import { entryLines } from '../../render/ledger-lines.ts'
import { printJson, printLines } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import { explainFile } from './explain-file.ts'
import type { ExplainOptions } from './explain-options.ts'
import { explainOperation } from './explain-operation.ts'

/** The number of spans of a file to list. */
const SPANS = 10

export function addExplain(program: Command, context: Context): void {
  const command = program
    .command('explain')
    .summary('show where the time of a request went')
    .description(
      'Divides the time of a span: child spans, own CPU, a thread that was busy with other requests, garbage collection, locks, ' +
        'I/O and timers, waiting for a CPU, and unknown. The entries add up to the duration. ' +
        'In a file, spans are regions and tasks of Go, events of Chrome and JFR, links of samples, or else threads.',
    )
    .argument('[trace]', 'trace id (32 hexadecimal digits) of a trace on the server, or a file')
    .option('--server <url>', "the server's main address", MAIN_SERVER)
    .option('--span <span>', 'this span instead of the root: its id, or in a file its name')
    .option('--operation <name>', 'the requests of an operation, such as "GET /search", instead of one trace')
    .option('--service <name>', 'with --operation: only requests of this service')
    .option('--by <attribute>', 'with --operation: one ledger for each value, such as service.version')
    .option('--since <time>', 'with --operation: start of the range', 'now-1h')
    .option('--until <time>', 'with --operation: end of the range', 'now')
    .option('-n, --count <n>', 'of a file: the number of spans to list, the longest first', wholeNumber, SPANS)
  addRemoteOptions(addReadingOptions(command))
    .option('--json', 'print JSON: span, durationNano, entries, sentence')
    .addHelpText(
      'after',
      examples(
        ['hearth explain 0af7651916cd43dd8448eb211c80319c', 'why the request was slow'],
        ['hearth explain --operation "GET /search" --by service.version', 'an operation, by version'],
        ['hearth explain go.trace --span checkout', 'a region of a Go execution trace'],
      ),
    )
    .action(async (target: string | undefined, options: ExplainOptions) => await explain(target, options, context))
}

async function explain(target: string | undefined, options: ExplainOptions, context: Context): Promise<void> {
  if (target !== undefined && options.operation !== undefined)
    throw new CliError(2, 'give a trace id or file, or --operation, not both')
  if (options.operation !== undefined) return await explainOperation(options.operation, options, context)
  if (target === undefined) throw new CliError(2, 'give a trace id, a file, or --operation NAME')
  return /^[0-9a-f]{32}$/i.test(target)
    ? await explainTrace(target, options, context)
    : await explainFile(target, options, context)
}

async function explainTrace(id: string, options: ExplainOptions, context: Context): Promise<void> {
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
