// `hearth top FILE`: lists the frames of a profile by value.
import type { Command } from 'commander'
import { Option } from 'commander'
import type { TopTable } from '@hearth/profile'
import { compareLongs, exactSelf, exactTotal, topTable } from '@hearth/profile'
import type { Context } from '../../context.ts'
import { placeText } from '../../render/frame-text.ts'
import { readShownFiles } from '../../files/input.ts'
import { printDamage } from '../../terminal/notes.ts'
import type { FrameOptions, ReadingOptions, RootOption, SnapshotsOption, TypeOption } from '../../options.ts'
import {
  addFrameOptions,
  addReadingOptions,
  addRootOption,
  addSnapshotsOption,
  addTypeOption,
  examples,
  snapshotsOf,
  wholeNumber,
} from '../../options.ts'
import { printJson, printLines } from '../../terminal/output.ts'
import type { SelectedProfiles } from '../../files/select-profiles.ts'
import { selectProfiles, selectionText } from '../../files/select-profiles.ts'
import type { TopRow } from '../../render/top-lines.ts'
import { TOP_ROWS, topLines } from '../../render/top-lines.ts'

interface TopOptions extends ReadingOptions, TypeOption, SnapshotsOption, FrameOptions, RootOption {
  readonly count?: number
  readonly sort: 'self' | 'total'
  readonly json?: boolean
}

export function addTop(program: Command, context: Context): void {
  const command = program
    .command('top')
    .summary('list the most expensive frames')
    .description(
      'Lists frames by their self value, or by their total, which includes callees. ' +
        'It sums all profiles of one type and unit. Snapshots of a state, such as the live heap, are averaged over time.',
    )
    .argument('<file...>', 'profiles in any formats; `-` is standard input')
  addRootOption(addFrameOptions(addSnapshotsOption(addTypeOption(addReadingOptions(command)))))
    .option('-n, --count <n>', `number of rows; default: ${TOP_ROWS}, with --json all`, wholeNumber)
    .addOption(new Option('--sort <column>', 'the value to sort by').choices(['self', 'total']).default('self'))
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        ['hearth top cpu.otlp', 'the functions with the most self time'],
        ['hearth top --by line --sort total -n 10 cpu.otlp', 'the ten lines with the most total time'],
        ['hearth top --root thread.name --sort total cpu.otlp', 'threads among the functions'],
        ['hearth top --type alloc_space heap.pb.gz --json', 'one of several types, as JSON'],
      ),
    )
    .action(async (files: readonly string[], options: TopOptions) => top(files, options, context))
}

async function top(files: readonly string[], options: TopOptions, context: Context): Promise<void> {
  const { profiles, name, inputs } = await readShownFiles(files, options, context)
  for (const input of inputs) await printDamage(context, options, input)
  const selected = selectProfiles(profiles, options.type, name, options.snapshots)
  context.progress.say('summing')
  const { by, inlined, addresses = false, root: roots = [] } = options
  const rows = topTable(profiles, selected.rows, { by, inlined, addresses, roots, ...snapshotsOf(options) })
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

/** The rows are sorted by self. */
function orderOf(rows: TopTable, sort: TopOptions['sort']): number[] {
  const order = Array.from({ length: rows.length }, (_, i) => i)
  if (sort === 'self') return order
  // The sort is stable: rows with the same total stay sorted by self, then name.
  return order.sort((a, b) => {
    const difference = rows.total[b] - rows.total[a]
    if (difference !== 0 || rows.totalExact === undefined) return difference
    return compareLongs(exactTotal(rows, b), exactTotal(rows, a))
  })
}

function topJson(rows: TopTable, order: readonly number[], { type, unit, snapshots }: SelectedProfiles): object {
  const { frames } = rows
  return {
    type,
    unit,
    ...(snapshots === undefined ? {} : { snapshots }),
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
