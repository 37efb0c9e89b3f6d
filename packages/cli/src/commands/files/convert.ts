// `hearth convert IN… -o OUT`: converts any format that can be read to any that can be written.
import type { Command } from 'commander'
import type { Note, Profiles, WriteResult } from '@hearth/profile'
import { concat, originalBytes, pickProfiles, withRootFrames, writeProfile } from '@hearth/profile'
import type { Context } from '../../context.ts'
import { CliError, shownName } from '../../errors.ts'
import { checkWritable, outputFormat } from '../../files/format-name.ts'
import type { InputOptions } from '../../files/input.ts'
import { readInputs } from '../../files/input.ts'
import { nodeCodecs } from '@hearth/codecs'
import { printNotes } from '../../terminal/notes.ts'
import type { RootOption, TypeOption } from '../../options.ts'
import { addReadingOptions, addRootOption, addSymbolOptions, examples } from '../../options.ts'
import { checkOutput, checkTerminal, compressedFor, originalFor, writeOutput, writing } from '../../terminal/output.ts'
import { selectProfiles } from '../../files/select-profiles.ts'

interface ConvertOptions extends InputOptions, TypeOption, RootOption {
  readonly output: string
  readonly to?: string
  readonly toGeneration?: string
  readonly strict?: boolean
  readonly pretty?: boolean
  readonly extended?: boolean
  readonly fresh?: boolean
}

export function addConvert(program: Command, context: Context): void {
  const command = program
    .command('convert')
    .summary('convert profiles to another format')
    .description(
      'Converts profiles from any format that can be read to any that can be written. Several inputs become one file that ' +
        'contains all profiles (`hearth merge` sums them). Lost data is counted on standard error. ' +
        'An input that contains its original file (--keep-original) becomes that file again when converted to its format.',
    )
    .argument('<in...>', 'profiles in any format; `-` is standard input')
    .requiredOption('-o, --output <file>', 'output file (`.gz` and `.zst` compress it, `-` is standard output)')
  addReadingOptions(command).option('--type <type>', 'only profiles of this type, such as cpu or cpu:ns; default: all')
  addRootOption(addSymbolOptions(command))
    .option('--demangle', 'demangle C++ and Rust names; the mangled ones stay as system names')
    .option('--to <format>', 'output format; default: by the extension of the output (see `hearth formats`)')
    .option('--to-generation <generation>', 'for otlp: the generation to write, v1.11 or next; default: v1.11')
    .option('--strict', 'write nothing and exit with status 1 if data would be lost')
    .option('--pretty', 'indent text formats')
    .option('--extended', 'for folded: write attributes and timestamps on each line')
    .option('--keep-original', 'store each input file in its first profile (original_payload of OTLP)')
    .option('--fresh', 'convert even if the input contains its original file in the output format')
    .addHelpText(
      'after',
      examples(
        ['hearth convert cpu.pb.gz -o cpu.otlp.zst', 'format and compression by extension'],
        ['hearth convert cpu.otlp -o - --to folded', 'to standard output'],
        ['hearth convert --root thread.name cpu.otlp -o cpu.folded', 'with the thread at the root of each stack'],
        ['hearth convert --keep-original app.jfr -o app.otlp', 'with the original file inside'],
        ['hearth convert app.otlp -o app.jfr', 'back to the original bytes'],
        ['hearth convert --strict a.otlp b.otlp -o both.otlp.json', 'two files into one, without loss'],
      ),
    )
    .action(async (files: readonly string[], options: ConvertOptions) => convert(files, options, context))
}

async function convert(files: readonly string[], options: ConvertOptions, context: Context): Promise<void> {
  const { output, to, type, strict = false } = options
  const format = outputFormat(output, to)
  checkOutput(output, files)
  if (options.root !== undefined && options.keepOriginal === true) {
    throw new CliError(
      2,
      '--root and --keep-original exclude each other',
      'Remove one of them: --root changes the stacks.',
    )
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
  if (strict && [...notes, ...inputs.flatMap(input => input.notes)].some(isLoss)) {
    throw new CliError(1, `${output}: not written: data would be lost`, 'Remove --strict to write it anyway.')
  }
  checkTerminal(output, bytes, context.stdout)
  context.progress.done()
  await writeOutput(output, bytes, context.stdout)
}

/** Fields of a newer version that are written again are not lost. */
function isLoss({ code }: Note): boolean {
  return code !== 'unknown-fields-kept'
}

/** The original file inside the input, unless another form of it is requested or it was stored just now. */
function originalOf(profiles: Profiles, format: string, options: ConvertOptions): Uint8Array | undefined {
  const { fresh, pretty, extended, keepOriginal, toGeneration } = options
  const anew = toGeneration !== undefined || [fresh, pretty, extended, keepOriginal].includes(true)
  return anew ? undefined : originalBytes(profiles, format, nodeCodecs)
}

function written(
  profiles: Profiles,
  format: string,
  { output, pretty = false, extended = false, toGeneration: generation }: ConvertOptions,
): WriteResult {
  if (generation !== undefined && format !== 'otlp') {
    throw new CliError(2, `--to-generation is for otlp, not for ${format}`, 'Remove it, or write with --to otlp.')
  }
  const options = { pretty, extended, fresh: true, ...(generation === undefined ? {} : { generation }) }
  const result = writing(output, () => writeProfile(profiles, format, options))
  return { bytes: compressedFor(output, result.bytes), notes: result.notes }
}

async function unchanged(output: string, original: Uint8Array): Promise<WriteResult> {
  return { bytes: await originalFor(output, original), notes: [] }
}
