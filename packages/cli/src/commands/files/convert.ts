// `hearth convert IN… -o OUT`: from any format that can be read to any that can be written.
import type { Command } from 'commander'
import type { Profiles, WriteResult } from '@hearth/profile'
import { concat, originalBytes, pickProfiles, withRootFrames, writeProfile } from '@hearth/profile'
import type { Context } from '../../context.ts'
import { CliError, shownName } from '../../errors.ts'
import { checkWritable, outputFormat } from '../../files/format-name.ts'
import type { InputOptions } from '../../files/input.ts'
import { readInputs } from '../../files/input.ts'
import { nodeCodecs } from '@hearth/codecs'
import { printNotes } from '../../terminal/notes.ts'
import type { RootOption, TypeOption } from '../../options.ts'
import { addReadingOptions, addRootOption, addSourceMapOption, examples } from '../../options.ts'
import { checkOutput, checkTerminal, compressedFor, originalFor, writeOutput, writing } from '../../terminal/output.ts'
import { selectProfiles } from '../../files/select-profiles.ts'

interface ConvertOptions extends InputOptions, TypeOption, RootOption {
  readonly output: string
  readonly to?: string
  readonly strict?: boolean
  readonly pretty?: boolean
  readonly extended?: boolean
  readonly fresh?: boolean
}

export function addConvert(program: Command, context: Context): void {
  const command = program
    .command('convert')
    .summary('from any format to any other')
    .description(
      'Converts profiles from any format that can be read to any that can be written. Several inputs become one file, with ' +
        'their profiles side by side (`hearth merge` adds them up). What is lost is counted on standard error. ' +
        'An input that carries its original file (--keep-original) becomes that file again when converted to its format.',
    )
    .argument('<in...>', 'profiles in any format; `-` is standard input')
    .requiredOption('-o, --output <file>', 'where to write, `.gz` and `.zst` compressed; `-` is standard output')
  addReadingOptions(command).option('--type <type>', 'only profiles of this type, as cpu or cpu:ns; all unless given')
  addRootOption(addSourceMapOption(command))
    .option('--demangle', 'demangle C++ and Rust names; the raw ones stay as system names')
    .option('--to <format>', 'what to write; told by the extension of the output unless given (see `hearth formats`)')
    .option('--strict', 'write nothing, with exit status 1, if anything would be lost')
    .option('--pretty', 'indent, for formats that are text')
    .option('--extended', 'for folded: with attributes and timestamps on each line')
    .option(
      '--keep-original',
      'keep each input, as it is stored, inside of its first profile: original_payload of OTLP',
    )
    .option('--fresh', 'write anew even where the input carries its original file in the format asked for')
    .addHelpText(
      'after',
      examples(
        ['hearth convert cpu.pb.gz -o cpu.otlp.zst', 'formats and compression by extension'],
        ['hearth convert cpu.otlp -o - --to folded', 'to standard output'],
        ['hearth convert --root thread.name cpu.otlp -o cpu.folded', 'with the thread below each stack'],
        ['hearth convert --keep-original app.jfr -o app.otlp', 'with the recording inside'],
        ['hearth convert app.otlp -o app.jfr', 'and back: the same bytes'],
        ['hearth convert --strict a.otlp b.otlp -o both.otlp.json', 'two files into one, without any loss'],
      ),
    )
    .action(async (files: readonly string[], options: ConvertOptions) => convert(files, options, context))
}

async function convert(files: readonly string[], options: ConvertOptions, context: Context): Promise<void> {
  const { output, to, type, strict = false } = options
  const format = outputFormat(output, to)
  checkOutput(output, files)
  if (options.root !== undefined && options.keepOriginal === true) {
    throw new CliError(2, '--root changes the stacks, and --keep-original keeps others', 'Leave out one of them.')
  }
  const inputs = await readInputs(files, options, context)
  const all = concat(inputs.map(input => input.profiles))
  const picked = type === undefined ? all : pickProfiles(all, selectProfiles(all, type, files.join(', ')).rows)
  const profiles = withRootFrames(picked, options.root ?? [])
  context.progress.say(`writing ${output}`)
  const original = originalOf(profiles, format.name, options)
  if (original === undefined) checkWritable(format)
  const { bytes, notes } =
    original === undefined ? written(profiles, format.name, options) : await unchanged(output, original)
  for (const input of inputs) await printNotes(context, shownName(input.file), input.notes)
  await printNotes(context, shownName(output, 'standard output'), notes)
  if (strict && (notes.length > 0 || inputs.some(input => input.notes.length > 0))) {
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

/** The file that the input was made from, unless another form of it is asked for or it was kept only just now. */
function originalOf(profiles: Profiles, format: string, options: ConvertOptions): Uint8Array | undefined {
  const { fresh, pretty, extended, keepOriginal } = options
  const anew = [fresh, pretty, extended, keepOriginal].includes(true)
  return anew ? undefined : originalBytes(profiles, format, nodeCodecs)
}

function written(
  profiles: Profiles,
  format: string,
  { output, pretty = false, extended = false }: ConvertOptions,
): WriteResult {
  const result = writing(output, () => writeProfile(profiles, format, { pretty, extended, fresh: true }))
  return { bytes: compressedFor(output, result.bytes), notes: result.notes }
}

async function unchanged(output: string, original: Uint8Array): Promise<WriteResult> {
  return { bytes: await originalFor(output, original), notes: [] }
}
