// `hearth explain FILE`: the ledgers of the spans of a file.
import type { FileLedgers, LedgerEntry, LedgerSpan } from '@hearth/profile'
import { deepEntries, fileLedgers, formatDuration, ledgerSentence } from '@hearth/profile'
import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { readInput } from '../../files/input.ts'
import type { ShownEntry } from '../../render/ledger-lines.ts'
import { entryLines } from '../../render/ledger-lines.ts'
import { printDamage } from '../../terminal/notes.ts'
import { printJson, printLines } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import { table } from '../../terminal/table.ts'
import type { ExplainOptions } from './explain-options.ts'

export async function explainFile(file: string, options: ExplainOptions, context: Context): Promise<void> {
  const input = await readInput(file, options, context)
  await printDamage(context, options, input)
  const found = fileLedgers(input.profiles)
  context.progress.done()
  if (found === undefined)
    throw new CliError(
      1,
      `${printable(file)} has no samples or events with times`,
      'Ledgers need a recording with timestamps.',
    )
  const { spans } = found.ledgers.input
  const order = Array.from(spans.keys()).sort((a, b) => Number(lengthOf(spans[b]) - lengthOf(spans[a])))
  const wanted = options.span
  const selected =
    wanted === undefined
      ? order[0]
      : order.find(row => spans[row].name === wanted || spans[row].spanId === wanted.toLowerCase())
  if (selected === undefined) {
    const names = [...new Set(order.map(row => spans[row].name))].slice(0, 5).map(printable)
    throw new CliError(
      1,
      `no span ${JSON.stringify(wanted)} in ${printable(file)}`,
      `It has, for example: ${names.join(', ')}.`,
    )
  }
  const ledger = ledgerJson(found, selected)
  if (options.json === true) {
    await printJson(context.stdout, ledger)
    return
  }
  const lines = [
    `${printable(ledger.span.name)}  ${printable(ledger.span.service)}  ${formatDuration(BigInt(ledger.durationNano))}`,
    printable(ledger.sentence),
    '',
    ...entryLines(ledger.entries, BigInt(ledger.durationNano), context.width),
  ]
  if (ledger.entries.some(({ kind }) => kind === 'children'))
    lines.push(
      '',
      'The critical path, with the spans below:',
      ...entryLines(ledger.critical, BigInt(ledger.durationNano), context.width),
    )
  if (wanted === undefined && spans.length > 1)
    lines.push('', ...listLines(found, order.slice(0, options.count), context.width))
  await printLines(context.stdout, lines)
}

function lengthOf({ start, end }: LedgerSpan): bigint {
  return end - start
}

function sentenceOf({ ledgers, isEventLoop }: FileLedgers, row: number): string {
  return ledgerSentence(
    lengthOf(ledgers.input.spans[row]),
    deepEntries(ledgers, row),
    isEventLoop ? 'event loop' : 'thread',
  )
}

function ledgerJson(found: FileLedgers, row: number) {
  const { ledgers } = found
  const { spans } = ledgers.input
  const { duration, entries } = ledgers.of(row)
  const spanJson = ({ traceId, spanId, name, service }: LedgerSpan) => ({ traceId, spanId, name, service })
  const entryJson = ({ kind, nanos, error, details }: LedgerEntry): ShownEntry => ({
    kind,
    nanos: nanos.toString(),
    error: error.toString(),
    details: details.map(({ nanos: part, spans: rows, ...rest }) => ({
      ...rest,
      nanos: part.toString(),
      spans: rows.map(each => spanJson(spans[each])),
    })),
  })
  return {
    span: spanJson(spans[row]),
    durationNano: duration.toString(),
    entries: entries.map(entryJson),
    critical: deepEntries(ledgers, row).map(entryJson),
    sentence: sentenceOf(found, row),
  }
}

function listLines(found: FileLedgers, rows: readonly number[], width: number | undefined): string[] {
  const { spans } = found.ledgers.input
  return table(
    [{ title: 'DURATION', align: 'right' }, { title: 'SPAN' }, { title: 'WHERE ITS TIME WENT', flexible: true }],
    rows.map(row => [
      formatDuration(lengthOf(spans[row])),
      printable(spans[row].name),
      printable(sentenceOf(found, row)),
    ]),
    width,
  )
}
