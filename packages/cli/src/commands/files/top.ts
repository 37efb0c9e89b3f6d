// `hearth top FILE`: where a profile was spent, frame by frame.
import type { Command } from 'commander'
import { Option } from 'commander'
import type { TopTable } from '@hearth/profile'
import { exactSelf, exactTotal, topTable } from '@hearth/profile'
import type { Context } from '../../context.ts'
import { placeText } from '../../render/frame-text.ts'
import { readInput } from '../../files/input.ts'
import { printLenientNotes } from '../../terminal/notes.ts'
import type { FrameOptions, ReadingOptions, RootOption, TypeOption } from '../../options.ts'
import {
  addFrameOptions,
  addReadingOptions,
  addRootOption,
  addTypeOption,
  examples,
  wholeNumber,
} from '../../options.ts'
import { printJson, printLines } from '../../terminal/output.ts'
import type { SelectedProfiles } from '../../files/select-profiles.ts'
import { selectProfiles, selectionText } from '../../files/select-profiles.ts'
import type { TopRow } from '../../render/top-lines.ts'
import { TOP_ROWS, topLines } from '../../render/top-lines.ts'

interface TopOptions extends ReadingOptions, TypeOption, FrameOptions, RootOption {
  readonly count?: number
  readonly sort: 'self' | 'total'
  readonly json?: boolean
}

export function addTop(program: Command, context: Context): void {
  const command = program
    .command('top')
    .summary('where a profile was spent, as a table')
    .description(
      'Lists frames by what was spent in them (self) or in them and what they called (total). ' +
        "It is about the profiles of one type and unit, all of a file's taken together.",
    )
    .argument('<file>', 'a profile in any format; `-` is standard input')
  addRootOption(addFrameOptions(addTypeOption(addReadingOptions(command))))
    .option('-n, --count <n>', `how many rows (${TOP_ROWS} unless given; with --json all)`, wholeNumber)
    .addOption(new Option('--sort <column>', 'which value decides').choices(['self', 'total']).default('self'))
    .option('--json', 'for scripts')
    .addHelpText(
      'after',
      examples(
        ['hearth top cpu.otlp', 'the functions in which the time went'],
        ['hearth top --by line --sort total -n 10 cpu.otlp', 'the ten lines below which it went'],
        ['hearth top --root thread.name --sort total cpu.otlp', 'threads among the functions'],
        ['hearth top --type alloc_space heap.pb.gz --json', 'one of several types, for a script'],
      ),
    )
    .action(async (file: string, options: TopOptions) => top(file, options, context))
}

async function top(file: string, options: TopOptions, context: Context): Promise<void> {
  const input = await readInput(file, options, context)
  const { profiles } = input
  await printLenientNotes(context, options, input)
  const selected = selectProfiles(profiles, options.type, file)
  context.progress.say('adding up')
  const { by, inlined, root: roots = [] } = options
  const rows = topTable(profiles, selected.rows, { by, inlined, roots })
  const order = orderOf(rows, options.sort)
  const count = options.count ?? (options.json ? rows.length : TOP_ROWS)
  context.progress.done()
  if (options.json) await printJson(context.stdout, topJson(rows, order.slice(0, count), selected))
  else {
    const { sum } = rows
    const lines = topLines(
      shownRows(rows, order.slice(0, count)),
      { sum, unit: selected.unit, all: order.length },
      context.width,
    )
    await printLines(context.stdout, [selectionText(selected, sum), '', ...lines])
  }
}

/** Rows come by self; by total they have to be sorted anew. */
function orderOf(rows: TopTable, sort: TopOptions['sort']): number[] {
  const order = Array.from({ length: rows.length }, (_, i) => i)
  if (sort === 'self') return order
  // Sorting is stable: what has the same total stays by self, then name.
  return order.sort((a, b) => {
    const difference = rows.total[b] - rows.total[a]
    if (difference !== 0 || rows.totalExact === undefined) return difference
    return exactTotal(rows, b) > exactTotal(rows, a) ? 1 : exactTotal(rows, b) < exactTotal(rows, a) ? -1 : 0
  })
}

function topJson(rows: TopTable, order: readonly number[], { type, unit }: SelectedProfiles): object {
  const { frames } = rows
  return {
    type,
    unit,
    total: rows.sum.toString(),
    rows: order.map(i => {
      const frame = rows.frame[i]
      return {
        name: frames.name[frame],
        file: frames.file[frame],
        line: frames.line[frame] || undefined,
        attribute: frames.attribute?.[frame] || undefined,
        self: exactSelf(rows, i).toString(),
        total: exactTotal(rows, i).toString(),
      }
    }),
  }
}

function shownRows(rows: TopTable, order: readonly number[]): TopRow[] {
  const { frames } = rows
  return order.map(i => {
    const frame = rows.frame[i]
    return {
      self: exactSelf(rows, i),
      total: exactTotal(rows, i),
      name: frames.name[frame],
      place: placeText(frames, frame),
    }
  })
}
