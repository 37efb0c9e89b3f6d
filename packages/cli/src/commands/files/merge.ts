// `hearth merge IN… -o OUT`: sums many profiles into one.
import type { Command } from 'commander'
import type { MergeResult } from '@hearth/profile'
import { ProfilesMerger, writeProfile } from '@hearth/profile'
import type { Context } from '../../context.ts'
import { shownName } from '../../errors.ts'
import { formatByExtension, knownFormat } from '../../files/format-name.ts'
import { readInput } from '../../files/input.ts'
import { checkInputs } from '../../files/open-input.ts'
import { checkedRows } from '../../files/select-profiles.ts'
import { printNotes } from '../../terminal/notes.ts'
import type { ReadingOptions, SnapshotsOption } from '../../options.ts'
import { addReadingOptions, addSnapshotsOption, examples, snapshotsOf } from '../../options.ts'
import { checkOutput, checkTerminal, compressedFor, writeOutput, writing } from '../../terminal/output.ts'

interface MergeOptions extends ReadingOptions, SnapshotsOption {
  readonly output: string
  readonly to?: string
}

export function addMerge(program: Command, context: Context): void {
  const command = program
    .command('merge')
    .summary('merge profiles')
    .description(
      'Sums profiles: profiles with the same resource, scope, type, unit, period, attributes and shape become one, and the ' +
        'values of equal samples are summed. Of cumulative profiles with the same start time, the last one counts. ' +
        'Snapshots of a state, such as the live heap, are averaged over time for each instance. ' +
        '`hearth convert` keeps the profiles apart.',
    )
    .argument('<in...>', 'profiles in any formats; `-` is standard input')
    .requiredOption('-o, --output <file>', 'output file (`.gz` and `.zst` compress it, `-` is standard output)')
  addSnapshotsOption(addReadingOptions(command))
    .option('--to <format>', 'output format; default: by the extension of the output (see `hearth formats`)')
    .addHelpText(
      'after',
      examples(
        ['hearth merge cpu-*.otlp -o cpu.otlp', 'one file per day from one per minute'],
        ['hearth merge a.pb.gz b.otlp -o - --to folded', 'different formats, to standard output'],
      ),
    )
    .action(async (files: readonly string[], options: MergeOptions) => mergeFiles(files, options, context))
}

async function mergeFiles(files: readonly string[], options: MergeOptions, context: Context): Promise<void> {
  const { output, to } = options
  const format = to === undefined ? formatByExtension(output) : knownFormat(to, 'write')
  checkOutput(output, files)
  const merged = await mergedInputs(files, options, context)
  const rows = Array.from({ length: merged.profiles.profiles.length }, (_, i) => i)
  checkedRows(merged.profiles, rows, output)
  context.progress.say(`writing ${output}`)
  const written = writing(output, () => writeProfile(merged.profiles, format.name))
  const bytes = compressedFor(output, written.bytes)
  await printNotes(context, 'merging', merged.notes)
  await printNotes(context, shownName(output, 'standard output'), written.notes)
  checkTerminal(output, bytes, context.stdout)
  context.progress.done()
  await writeOutput(output, bytes, context.stdout)
}

/** Reads one file at a time, so that memory is bounded by the largest file and the result. */
async function mergedInputs(files: readonly string[], options: MergeOptions, context: Context): Promise<MergeResult> {
  checkInputs(files)
  const merger = new ProfilesMerger(snapshotsOf(options))
  for (const [i, file] of files.entries()) {
    context.progress.say(`merging ${i + 1} of ${files.length}: ${shownName(file)}`)
    const { profiles, notes } = await readInput(file, options, context)
    merger.add(profiles)
    await printNotes(context, shownName(file), notes)
  }
  return merger.finish()
}
