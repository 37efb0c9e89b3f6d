// `hearth diff A B`: what changed from one profile to another, frame by frame.
import type { Command } from 'commander'
import { Option } from 'commander'
import type { TopDiff, ValueColumns } from '@hearth/profile'
import { exactSelf, exactTotal, formatShare, formatValue, hasVanished, isNew, topDiff } from '@hearth/profile'
import type { Context } from '../context.ts'
import { countOf } from '../count-text.ts'
import { CliError } from '../errors.ts'
import { placeText } from '../frame-text.ts'
import { readInputs } from '../input.ts'
import { printLenientNotes } from '../notes.ts'
import type { FrameOptions, ReadingOptions, TypeOption } from '../options.ts'
import { addFrameOptions, addReadingOptions, addTypeOption, examples, wholeNumber } from '../options.ts'
import { printJson, printLines } from '../output.ts'
import { printable } from '../printable.ts'
import type { SelectedProfiles } from '../select-profiles.ts'
import { selectProfiles, selectionText } from '../select-profiles.ts'
import { table } from '../table.ts'

type Value = 'self' | 'total'

interface DiffOptions extends ReadingOptions, TypeOption, FrameOptions {
  readonly normalise?: boolean
  readonly count?: number
  readonly sort: Value
  readonly json?: boolean
}

const ROWS = 30

export function addDiff(program: Command, context: Context): void {
  const command = program
    .command('diff')
    .summary('what changed from one profile to another')
    .description(
      'Compares two profiles frame by frame: before, after, the difference, and what is new or gone.\n' +
        'Frames are the same when their name and file are (and their line, with --by line).',
    )
    .argument('<before>', 'a profile in any format; `-` is standard input')
    .argument('<after>', 'another one; the formats may differ')
  addFrameOptions(addTypeOption(addReadingOptions(command)))
    .option(
      '--normalise',
      'scale the first to the total of the second, to compare shares of recordings of different length',
    )
    .option('-n, --count <n>', `how many rows (${ROWS} unless given; with --json all)`, wholeNumber)
    .addOption(new Option('--sort <column>', 'which value is compared').choices(['self', 'total']).default('self'))
    .option('--json', 'for scripts')
    .addHelpText(
      'after',
      examples(
        ['hearth diff before.otlp after.otlp', 'what costs more, and what less'],
        ['hearth diff --normalise monday.otlp tuesday.pb.gz', 'shares, whatever the length and the format'],
      ),
    )
    .action(async (before: string, after: string, options: DiffOptions) => diff(before, after, options, context))
}

async function diff(before: string, after: string, options: DiffOptions, context: Context): Promise<void> {
  const [a, b] = await readInputs([before, after], options, context)
  for (const input of [a, b]) await printLenientNotes(context, options, input)
  const wasSelected = selectProfiles(a.profiles, options.type, before)
  const isSelected = selectProfiles(b.profiles, options.type ?? `${wasSelected.type}:${wasSelected.unit}`, after)
  context.progress.say('comparing')
  const { by, inlined, normalise = false } = options
  const rows = compared(() =>
    topDiff(
      { profiles: a.profiles, selection: wasSelected.rows },
      { profiles: b.profiles, selection: isSelected.rows },
      { by, inlined, normalise },
    ),
  )
  const order = orderOf(rows, options.sort)
  context.progress.done()
  if (options.json) {
    const count = options.count ?? order.length
    const told = { type: isSelected.type, unit: isSelected.unit, normalised: normalise, scale: rows.scale }
    const totals = { before: rows.beforeSum.toString(), after: rows.afterSum.toString() }
    await printJson(context.stdout, { ...told, ...totals, rows: order.slice(0, count).map(i => rowJson(rows, i)) })
  } else await printLines(context.stdout, diffLines(rows, order, wasSelected, isSelected, options, context))
}

/** What two profiles measure may differ in ways that only the comparison notices. */
function compared(compare: () => TopDiff): TopDiff {
  try {
    return compare()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new CliError(1, error.message, '--type picks what to compare.', { cause: error })
  }
}

/** Rows come by the change of self; by that of total they have to be sorted anew. */
function orderOf(rows: TopDiff, sort: Value): number[] {
  const order = Array.from({ length: rows.length }, (_, i) => i)
  if (sort === 'self') return order
  const { total } = rows.delta
  return order.sort((a, b) => Math.abs(total[b]) - Math.abs(total[a]))
}

/** Normalised values are not whole. */
function valueOf(columns: ValueColumns, i: number, value: Value): bigint {
  const near = value === 'self' ? columns.self[i] : columns.total[i]
  if (!Number.isInteger(near)) return BigInt(Math.round(near))
  return value === 'self' ? exactSelf(columns, i) : exactTotal(columns, i)
}

function rowJson(rows: TopDiff, i: number): object {
  const { frames, before, after, delta } = rows
  const frame = rows.frame[i]
  return {
    name: frames.name(frame),
    file: frames.file(frame),
    line: frames.line(frame)?.toString(),
    presence: isNew(rows, i) ? 'new' : hasVanished(rows, i) ? 'vanished' : 'both',
    self: sides('self'),
    total: sides('total'),
  }

  function sides(value: Value): object {
    return {
      before: valueOf(before, i, value).toString(),
      after: valueOf(after, i, value).toString(),
      delta: valueOf(delta, i, value).toString(),
    }
  }
}

function diffLines(
  rows: TopDiff,
  order: readonly number[],
  wasSelected: SelectedProfiles,
  isSelected: SelectedProfiles,
  { sort, count = ROWS, normalise = false }: DiffOptions,
  context: Context,
): string[] {
  const { unit } = isSelected
  const { beforeSum, afterSum, frames } = rows
  const scaled = normalise ? `, scaled to the total of the second` : ''
  const heading = [
    `before  ${selectionText(wasSelected, beforeSum)}${scaled}`,
    `after   ${selectionText(isSelected, afterSum)}`,
    `change  ${signed(afterSum - beforeSum, unit)} (${signedShare(afterSum - beforeSum, beforeSum)})`,
    '',
  ]
  const changed = order.filter(i => valueOf(rows.delta, i, sort) !== 0n)
  if (changed.length === 0) return [...heading, 'Nothing changed.']
  const whole = normalise || beforeSum === 0n ? afterSum : beforeSum
  const shown = changed.slice(0, count).map(i => {
    const delta = valueOf(rows.delta, i, sort)
    return [
      formatValue(valueOf(rows.before, i, sort), unit),
      formatValue(valueOf(rows.after, i, sort), unit),
      signed(delta, unit),
      signedShare(delta, whole),
      isNew(rows, i) ? 'new' : hasVanished(rows, i) ? 'gone' : '',
      printable(frames.name(rows.frame[i])),
      printable(placeText(frames, rows.frame[i])),
    ]
  })
  const columns = [
    { title: 'BEFORE', align: 'right' },
    { title: 'AFTER', align: 'right' },
    { title: 'DELTA', align: 'right' },
    { title: 'OF ALL', align: 'right' },
    { title: '' },
    { title: 'NAME', flexible: true },
    { title: 'FILE', flexible: true, cut: 'start' },
  ] as const
  const left = changed.length - shown.length
  const more = left > 0 ? [`and ${countOf(left, 'row')} more; -n ${changed.length} shows all`] : []
  return [...heading, ...table(columns, shown, context.width), ...more]
}

function signed(value: bigint, unit: string): string {
  return value > 0n ? `+${formatValue(value, unit)}` : formatValue(value, unit)
}

function signedShare(value: bigint, whole: bigint): string {
  const share = formatShare(value, whole)
  return value > 0n && whole > 0n ? `+${share}` : share
}
