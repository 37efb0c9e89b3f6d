// `hearth merge IN… -o OUT`: one profile out of many, added up.
import type { Command } from 'commander'
import type { MergeResult } from '@hearth/profile'
import { ProfilesMerger, writeProfile } from '@hearth/profile'
import type { Context } from '../../context.ts'
import { shownName } from '../../errors.ts'
import { formatByExtension, knownFormat } from '../../files/format-name.ts'
import { checkInputs, readInput } from '../../files/input.ts'
import { printNotes } from '../../terminal/notes.ts'
import type { ReadingOptions } from '../../options.ts'
import { addReadingOptions, examples } from '../../options.ts'
import { checkOutput, checkTerminal, compressedFor, writeOutput, writing } from '../../terminal/output.ts'

interface MergeOptions extends ReadingOptions {
  readonly output: string
  readonly to?: string
}

export function addMerge(program: Command, context: Context): void {
  const command = program
    .command('merge')
    .summary('one profile out of many')
    .description(
      'Adds profiles up: those of the same resource, scope, type, unit, period, attributes and shape become one, with the ' +
        'values of equal samples summed. `hearth convert` puts profiles side by side instead.',
    )
    .argument('<in...>', 'profiles in any format, which may differ; `-` is standard input')
    .requiredOption('-o, --output <file>', 'where to write, `.gz` and `.zst` compressed; `-` is standard output')
  addReadingOptions(command)
    .option('--to <format>', 'what to write; told by the extension of the output unless given (see `hearth formats`)')
    .addHelpText(
      'after',
      examples(
        ['hearth merge cpu-*.otlp -o cpu.otlp', 'a day out of its minutes'],
        ['hearth merge a.pb.gz b.otlp -o - --to folded', 'of different formats, to standard output'],
      ),
    )
    .action(async (files: readonly string[], options: MergeOptions) => mergeFiles(files, options, context))
}

async function mergeFiles(files: readonly string[], options: MergeOptions, context: Context): Promise<void> {
  const { output, to } = options
  const format = to === undefined ? formatByExtension(output) : knownFormat(to, 'write')
  checkOutput(output, files)
  const merged = await mergedInputs(files, options, context)
  context.progress.say(`writing ${output}`)
  const written = writing(output, () => writeProfile(merged.profiles, format.name))
  const bytes = compressedFor(output, written.bytes)
  await printNotes(context, 'merging', merged.notes)
  await printNotes(context, shownName(output, 'standard output'), written.notes)
  checkTerminal(output, bytes, context.stdout)
  context.progress.done()
  await writeOutput(output, bytes, context.stdout)
}

/** Adds one file at a time and keeps none, so that thousands of them need no more memory than the largest and the result. */
async function mergedInputs(files: readonly string[], options: MergeOptions, context: Context): Promise<MergeResult> {
  checkInputs(files)
  const merger = new ProfilesMerger()
  for (const [i, file] of files.entries()) {
    context.progress.say(`merging ${i + 1} of ${files.length}: ${shownName(file)}`)
    const { profiles, notes } = await readInput(file, options, context)
    merger.add(profiles)
    await printNotes(context, shownName(file), notes)
  }
  return merger.finish()
}
