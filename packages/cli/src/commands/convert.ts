// `hearth convert IN… -o OUT`: from any format that can be read to any that can be written.
import type { Command } from 'commander'
import { concat, pickProfiles, writeProfile } from '@hearth/profile'
import type { Context } from '../context.ts'
import { CliError, shownName } from '../errors.ts'
import { formatByExtension, knownFormat } from '../format-name.ts'
import { readInputs } from '../input.ts'
import { printNotes } from '../notes.ts'
import type { ReadingOptions, TypeOption } from '../options.ts'
import { addReadingOptions, addTypeOption, examples } from '../options.ts'
import { checkOutput, checkTerminal, compressedFor, writeOutput, writing } from '../output.ts'
import { selectProfiles } from '../select-profiles.ts'

interface ConvertOptions extends ReadingOptions, TypeOption {
  readonly output: string
  readonly to?: string
  readonly strict?: boolean
  readonly pretty?: boolean
  readonly extended?: boolean
}

export function addConvert(program: Command, context: Context): void {
  const command = program
    .command('convert')
    .summary('from any format to any other')
    .description(
      'Converts profiles from any format that can be read to any that can be written. Several inputs become one file, with\n' +
        'their profiles side by side (`hearth merge` adds them up). What is lost is counted on standard error.',
    )
    .argument('<in...>', 'profiles in any format; `-` is standard input')
    .requiredOption('-o, --output <file>', 'where to write, `.gz` and `.zst` compressed; `-` is standard output')
  addTypeOption(addReadingOptions(command))
    .option('--to <format>', 'what to write; told by the extension of the output unless given (see `hearth formats`)')
    .option('--strict', 'write nothing, with exit status 1, if anything would be lost')
    .option('--pretty', 'indent, for formats that are text')
    .option('--extended', 'for folded: with attributes and timestamps on each line')
    .addHelpText(
      'after',
      examples(
        ['hearth convert cpu.pb.gz -o cpu.otlp.zst', 'formats and compression by extension'],
        ['hearth convert cpu.otlp -o - --to folded', 'to standard output'],
        ['hearth convert --strict a.otlp b.otlp -o both.otlp.json', 'two files into one, without any loss'],
      ),
    )
    .action(async (files: readonly string[], options: ConvertOptions) => convert(files, options, context))
}

async function convert(files: readonly string[], options: ConvertOptions, context: Context): Promise<void> {
  const { output, to, type, strict = false, pretty = false, extended = false } = options
  const format = to === undefined ? formatByExtension(output) : knownFormat(to, 'write')
  checkOutput(output, files)
  const inputs = await readInputs(files, options, context)
  const all = concat(inputs.map(input => input.profiles))
  const profiles = type === undefined ? all : pickProfiles(all, selectProfiles(all, type, files.join(', ')).rows)
  context.progress.say(`writing ${output}`)
  const written = writing(output, () => writeProfile(profiles, format.name, { pretty, extended }))
  const target = shownName(output, 'standard output')
  const bytes = compressedFor(output, written.bytes)
  for (const input of inputs) await printNotes(context, shownName(input.file), input.notes)
  await printNotes(context, target, written.notes)
  if (strict && [...inputs, written].some(({ notes }) => notes.length > 0)) {
    throw new CliError(
      1,
      `${output}: not written, as something would be lost`,
      'Leave out --strict to write it anyway.',
    )
  }
  checkTerminal(output, bytes, context.stdout)
  context.progress.done()
  await writeOutput(output, bytes, context.stdout)
}
