// `hearth flame FILE`: draws a flame graph in the terminal or writes it as an HTML file.
import type { Command } from 'commander'
import type { TreeOrder, WriteOptions } from '@hearth/profile'
import { callTree, pickProfiles, withRootFrames, writeProfile } from '@hearth/profile'
import type { Context } from '../../context.ts'
import { shownName } from '../../errors.ts'
import { MAX_DEPTH, TEXT_MIN_PERCENT, flameLines } from '../../render/flame-lines.ts'
import { readShownFiles } from '../../files/input.ts'
import { printDamage, printNotes } from '../../terminal/notes.ts'
import type { FrameOptions, ReadingOptions, RootOption, SnapshotsOption, TypeOption } from '../../options.ts'
import {
  addFrameOptions,
  addReadingOptions,
  addRootOption,
  addSnapshotsOption,
  addTypeOption,
  examples,
  percent,
  snapshotsOf,
  wholeNumber,
} from '../../options.ts'
import { checkOutput, compressedFor, printLines, writeOutput, writing } from '../../terminal/output.ts'
import { selectProfiles, selectionText } from '../../files/select-profiles.ts'

interface FlameOptions extends ReadingOptions, TypeOption, SnapshotsOption, FrameOptions, RootOption {
  readonly output?: string
  readonly width?: number
  readonly depth?: number
  readonly leafFirst?: boolean
  readonly minPercent?: number
}

export function addFlame(program: Command, context: Context): void {
  const command = program
    .command('flame')
    .summary('draw a flame graph in the terminal or as an HTML file')
    .description(
      'Draws a flame graph, root at the top: in colours in a terminal, as an indented tree elsewhere, and with -o as a ' +
        'self-contained HTML file. It sums all profiles of one type and unit. Snapshots of a state, such as the live heap, are averaged over time.',
    )
    .argument('<file...>', 'profiles in any formats; `-` is standard input')
  addRootOption(addFrameOptions(addSnapshotsOption(addTypeOption(addReadingOptions(command)))))
    .option('-o, --output <file>', 'write an HTML file instead; `-` is standard output')
    .option('--leaf-first', 'invert the stacks: leaves first, then their callers')
    .option(
      '--min-percent <p>',
      `hide frames below this share; default: ${TEXT_MIN_PERCENT} in text, 0 in colours`,
      percent,
    )
    .option('--depth <n>', `maximum depth; default: ${MAX_DEPTH}`, wholeNumber)
    .option('--width <n>', 'number of columns; default: the width of the terminal', wholeNumber)
    .addHelpText(
      'after',
      examples(
        ['hearth flame cpu.otlp', 'in the terminal'],
        ['hearth flame cpu.otlp -o cpu.html', 'for the browser'],
        ['hearth flame --root thread.name cpu.otlp', 'thread by thread'],
        ['hearth flame --leaf-first --min-percent 1 cpu.otlp | less', 'callers of the most expensive functions'],
      ),
    )
    .action(async (files: readonly string[], options: FlameOptions, self: Command) => {
      const { color } = self.optsWithGlobals<{ color: boolean }>()
      if (options.output === undefined) await draw(files, options, color, context)
      else await writePage(files, options.output, options, context)
    })
}

async function draw(files: readonly string[], options: FlameOptions, color: boolean, context: Context): Promise<void> {
  const { profiles, name, inputs } = await readShownFiles(files, options, context)
  for (const input of inputs) await printDamage(context, options, input)
  const selected = selectProfiles(profiles, options.type, name, options.snapshots)
  context.progress.say('summing')
  const { by, inlined, addresses = false, root: roots = [], minPercent, depth: maxDepth } = options
  const tree = callTree(profiles, selected.rows, {
    by,
    inlined,
    addresses,
    roots,
    order: orderOf(options),
    ...snapshotsOf(options),
  })
  context.progress.done()
  const width = options.width ?? context.width
  const heading = [selectionText(selected, tree.sum), '']
  const { unit } = selected
  const lines = flameLines(tree, { unit, colors: context.colorDepth(color), width, minPercent, maxDepth })
  await printLines(context.stdout, [...heading, ...lines])
}

async function writePage(
  files: readonly string[],
  output: string,
  options: FlameOptions,
  context: Context,
): Promise<void> {
  checkOutput(output, files)
  const { profiles, name, inputs } = await readShownFiles(files, options, context)
  for (const input of inputs) await printDamage(context, options, input)
  // Without --type, the page contains all types.
  const { rows } = selectProfiles(profiles, options.type, name)
  const picked = options.type === undefined ? profiles : pickProfiles(profiles, rows)
  const shown = withRootFrames(picked, options.root ?? [])
  context.progress.say('writing')
  const { by, inlined, addresses = false } = options
  const pageOptions: WriteOptions & FrameOptions = { by, inlined, addresses, ...snapshotsOf(options) }
  const written = writing(output, () => writeProfile(shown, 'flamegraph-html', pageOptions))
  context.progress.done()
  await writeOutput(output, compressedFor(output, written.bytes), context.stdout)
  await printNotes(context, shownName(output, 'standard output'), written.notes)
}

function orderOf({ leafFirst = false }: FlameOptions): TreeOrder {
  return leafFirst ? 'leaf-first' : 'root-first'
}
