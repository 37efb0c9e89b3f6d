// `hearth convert IN… -o OUT`: converts any format that can be read to any that can be written.
import type { Command } from 'commander'
import { stat } from 'node:fs/promises'
import type { Note, Profiles, WriteResult } from '@hearth/profile'
import {
  LOSSLESS_CHANGES,
  concat,
  conforming,
  originalBytes,
  pickProfiles,
  withRootFrames,
  writeProfile,
} from '@hearth/profile'
import type { Context } from '../../context.ts'
import { CliError, shownName } from '../../errors.ts'
import { checkWritable, outputFormat, signalFormat } from '../../files/format-name.ts'
import type { InputOptions } from '../../files/input.ts'
import { readContents } from '../../files/input.ts'
import type { OpenInput } from '../../files/open-input.ts'
import { openInputs } from '../../files/open-input.ts'
import { readSignal, signalKindOf } from '../../files/signal-input.ts'
import type { SignalKind } from '@hearth/signals'
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
    .summary('convert profiles and other signals to another format')
    .description(
      'Converts profiles from any format that can be read to any that can be written. Several inputs become one file that ' +
        'contains all profiles (`hearth merge` sums them). Lost data is counted on standard error. ' +
        'An input that contains its original file (--keep-original) becomes that file again when converted to its format. ' +
        'Traces, logs and metrics are converted between OTLP as protobuf and as JSON.',
    )
    .argument('<in...>', 'profiles in any format, or one other signal as OTLP; `-` is standard input')
    .requiredOption('-o, --output <file>', 'output file (`.gz` and `.zst` compress it, `-` is standard output)')
  addReadingOptions(command).option('--type <type>', 'only profiles of this type, such as cpu or cpu:ns; default: all')
  addRootOption(addSymbolOptions(command))
    .option('--demangle', 'demangle C++ and Rust names; the mangled ones stay as system names')
    .option('--to <format>', 'output format; default: by the extension of the output (see `hearth formats`)')
    .option(
      '--to-generation <generation>',
      'generation to write: v1.11 (default) or next of otlp, otep (default) or v1.3 of otep239',
    )
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
        ['hearth convert traces.otlp -o traces.otlp.json', 'traces, logs or metrics'],
      ),
    )
    .action(async (files: readonly string[], options: ConvertOptions) => convert(files, options, context))
}

async function convert(files: readonly string[], options: ConvertOptions, context: Context): Promise<void> {
  const { output, to, type } = options
  checkOutput(output, files)
  if (options.root !== undefined && options.keepOriginal === true) {
    throw new CliError(
      2,
      '--root and --keep-original exclude each other',
      'Remove one of them: --root changes the stacks.',
    )
  }
  const opened = await openInputs(files, options, context)
  const kinds = await Promise.all(opened.map(input => signalKindOf(input, options)))
  if (kinds.some(kind => kind !== undefined)) return await convertSignals(opened, kinds, options, context)
  const format = outputFormat(output, to)
  const inputs = await readContents(opened, options)
  const all = concat(inputs.map(input => input.profiles))
  const picked = type === undefined ? all : pickProfiles(all, selectProfiles(all, type, files.join(', ')).rows)
  const profiles = withRootFrames(picked, options.root ?? [])
  context.progress.say(`writing ${output}`)
  const original = originalOf(profiles, format.name, options)
  if (original === undefined) checkWritable(format)
  const { bytes, notes } =
    original === undefined
      ? written(profiles, format.name, await timeOf(files), options)
      : await unchanged(output, original)
  for (const input of inputs) await printNotes(context, shownName(input.file), input.notes)
  await printNotes(context, shownName(output, 'standard output'), notes)
  await writeResult(bytes, [...notes, ...inputs.flatMap(input => input.notes)], options, context)
}

/** Throws if data is lost and must not be. */
async function writeResult(
  bytes: Uint8Array,
  notes: readonly Note[],
  { output, strict = false }: ConvertOptions,
  context: Context,
): Promise<void> {
  if (strict && notes.some(isLoss)) {
    throw new CliError(1, `${output}: not written: data would be lost`, 'Remove --strict to write it anyway.')
  }
  checkTerminal(output, bytes, context.stdout)
  context.progress.done()
  await writeOutput(output, bytes, context.stdout)
}

/** Options that only profiles have. */
const PROFILE_OPTIONS = {
  type: '--type',
  root: '--root',
  symbols: '--symbols',
  sourceMaps: '--source-maps',
  demangle: '--demangle',
  toGeneration: '--to-generation',
  extended: '--extended',
  keepOriginal: '--keep-original',
} as const satisfies Partial<Record<keyof ConvertOptions, string>>

async function convertSignals(
  opened: readonly OpenInput[],
  kinds: readonly (SignalKind | undefined)[],
  options: ConvertOptions,
  context: Context,
): Promise<void> {
  const { output, to, pretty = false } = options
  const signals = kinds.map(kind => kind?.signal ?? 'profiles')
  const [signal] = signals
  const other = signals.findIndex(each => each !== signal)
  if (other !== -1) {
    const what = `${shownName(opened[0].file)} contains ${signal}, ${shownName(opened[other].file)} contains ${signals[other]}`
    throw new CliError(2, `${what}: they cannot become one file`, 'Convert them one by one.')
  }
  const given = Object.entries(PROFILE_OPTIONS).find(
    ([key]) => options[key as keyof typeof PROFILE_OPTIONS] !== undefined,
  )
  if (given !== undefined) throw new CliError(2, `${given[1]} is for profiles, not for ${signal}`, 'Remove it.')
  const encoding = signalFormat(signal, output, to) === 'otlp' ? 'protobuf' : 'json'
  const { encodeSignal, joinSignals } = await import('@hearth/signals')
  const inputs = await Promise.all(opened.map((input, i) => readSignal(input, kinds[i]!, options)))
  context.progress.say(`writing ${output}`)
  const written = encodeSignal(joinSignals(inputs.map(({ content }) => content)), encoding, pretty ? 2 : 0)
  for (const input of inputs) await printNotes(context, shownName(input.opened.file), input.notes)
  await printNotes(context, output, written.notes)
  const notes = [...inputs.flatMap(input => input.notes), ...written.notes]
  await writeResult(compressedFor(output, written.bytes), notes, options, context)
}

/** Fields of a newer version that are written again are not lost. */
function isLoss({ code }: Note): boolean {
  return code !== 'unknown-fields-kept' && !LOSSLESS_CHANGES.has(code)
}

/** The modification time of the first file in nanoseconds, for profiles without a time. Standard input has the current time. */
async function timeOf([file]: readonly string[]): Promise<bigint> {
  try {
    return (await stat(file, { bigint: true })).mtimeNs
  } catch {
    return BigInt(Date.now()) * 1_000_000n
  }
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
  fileTime: bigint,
  { output, pretty = false, extended = false, toGeneration: generation }: ConvertOptions,
): WriteResult {
  if (generation !== undefined && format !== 'otlp' && format !== 'otep239') {
    const what = `--to-generation is for otlp and otep239, not for ${format}`
    throw new CliError(2, what, 'Remove it, or write with --to otlp.')
  }
  const options = { pretty, extended, fresh: true, ...(generation === undefined ? {} : { generation }) }
  const { profiles: conformed, notes } = conforming(profiles, format, fileTime)
  const result = writing(output, () => writeProfile(conformed, format, options))
  return { bytes: compressedFor(output, result.bytes), notes: [...result.notes, ...notes] }
}

async function unchanged(output: string, original: Uint8Array): Promise<WriteResult> {
  return { bytes: await originalFor(output, original), notes: [] }
}
