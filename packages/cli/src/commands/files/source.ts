// `hearth source FUNCTION INPUT…`: the source of a function with the cost of each line.
import type { Command } from 'commander'
import type { FunctionLines, Profiles } from '@hearth/profile'
import { concat, functionLines, topTable } from '@hearth/profile'
import { openSources } from '@hearth/server/administration'
import type { Context } from '../../context.ts'
import { CliError, aboutFile, shownName } from '../../errors.ts'
import type { StoredRange } from '../../diff/stored-range.ts'
import { shownInput } from '../../files/input.ts'
import { functionInstructions } from '../../files/function-instructions.ts'
import type { SelectedProfiles } from '../../files/select-profiles.ts'
import { selectProfiles, selectionText } from '../../files/select-profiles.ts'
import { symbolsInFolders } from '../../files/symbol-folders.ts'
import type { FrameOptions, ReadingOptions, TypeOption } from '../../options.ts'
import { addFrameOptions, addReadingOptions, addTypeOption, examples, oneMore, wholeNumber } from '../../options.ts'
import type { RemoteOptions } from '../../remote/remote.ts'
import { connect } from '../../remote/remote.ts'
import { addStoredOptions, isSelector, readFilesOrStored } from '../../remote/stored-input.ts'
import type { ShownCode } from '../../render/instruction-lines.ts'
import { instructionLines } from '../../render/instruction-lines.ts'
import { sourceLines } from '../../render/source-lines.ts'
import { countOf } from '../../terminal/count-text.ts'
import { printJson, printLines } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'

interface SourceOptions extends ReadingOptions, TypeOption, FrameOptions, RemoteOptions {
  readonly server: string
  readonly range?: StoredRange
  readonly source?: readonly string[]
  readonly count: number
  readonly instructions?: boolean
  readonly json?: boolean
}

const FUNCTIONS = 3

export function addSource(program: Command, context: Context): void {
  const command = program
    .command('source')
    .summary('show the source of a function with the cost of each line')
    .description(
      'Shows the self and total value of each line of a function, beside the source text if --source has the file. ' +
        'Inlined calls count in the lines of the inlined function, and in the line that calls it.\n\n' +
        'An input is a file, or a selector in braces for profiles on a server, as for `hearth query`.',
    )
    .argument('<function>', 'the name of the function, or a part of it')
    .argument('<input...>', `files in any formats, or selectors: 'cpu {service.name="web"}'`)
    .option(
      '--source <dir>',
      'source code: a folder, a tar archive (also gzip or zstd), or a source map with content; repeatable',
      oneMore,
    )
    .option('--instructions', 'show the machine code with the cost of each instruction, from --symbols or the server')
    .option('-n, --count <n>', 'number of functions, if several match', wholeNumber, FUNCTIONS)
  addFrameOptions(addTypeOption(addReadingOptions(command))).option('--json', 'print JSON')
  addStoredOptions(command).addHelpText(
    'after',
    examples(
      ['hearth source parseOrder cpu.pb.gz --source .', 'lines of the function, from the current checkout'],
      ['hearth source render cpu.cpuprofile --source app.js.map', 'the original text in a source map'],
      ['hearth source shop::price perf.data --symbols build --source src', 'native code, with its debug files'],
      ['hearth source shop::price perf.data --symbols build --instructions', 'its machine code'],
      [`hearth source search 'cpu {service.name="web"}' --range now-1d..`, 'stored profiles'],
    ),
  )
  command.action(async (name: string, inputs: readonly string[], options: SourceOptions, self: Command) => {
    const hasServer = self.getOptionValueSource('server') === 'cli'
    await source(name, inputs, hasServer, options, context)
  })
}

async function source(
  wanted: string,
  names: readonly string[],
  hasServer: boolean,
  options: SourceOptions,
  context: Context,
): Promise<void> {
  const inputs = await readFilesOrStored(names, hasServer, options, context)
  const all = inputs.map(input => shownInput(input, options).profiles)
  const profiles = all.length === 1 ? all[0] : concat(all)
  const about = names.map(name => shownName(name)).join(', ')
  const selected = selectProfiles(profiles, options.type, about)
  const top = topTable(profiles, selected.rows, { by: 'line', inlined: options.inlined })
  const found = matching(wanted, matches => functionLines(top, matches))
  context.progress.done()
  if (found.length === 0) {
    throw new CliError(1, `${about}: no function is named "${wanted}"`, '`hearth top` lists the functions.')
  }
  if (options.instructions === true) {
    await printInstructions(found.slice(0, options.count), { profiles, selected, names, hasServer, options, context })
    return
  }
  const stored = names.find(each => isSelector(each, hasServer))
  const sources =
    options.source !== undefined
      ? await opened(options.source)
      : stored === undefined
        ? undefined
        : await sourcesOfServer(options, context)
  const shown = await Promise.all(
    found.slice(0, options.count).map(async each => ({ each, text: await sources?.find(each.file, each.buildIds) })),
  )
  if (options.json === true) {
    await printJson(context.stdout, {
      type: selected.type,
      unit: selected.unit,
      total: top.sum.toString(),
      functions: shown.map(({ each, text }) => functionJson(each, text?.path)),
    })
    return
  }
  const { unit } = selected
  await printLines(context.stdout, [
    selectionText(selected, top.sum),
    ...shown.flatMap(({ each, text }) => [
      '',
      ...sourceLines(each, { unit, text: text?.text, width: context.width }),
      ...remarks(profiles, each, sources !== undefined && text === undefined),
    ]),
    ...(found.length > shown.length
      ? ['', `and ${countOf(found.length - shown.length, 'more function')} (-n ${found.length} shows all)`]
      : []),
  ])
}

interface FoundSources {
  readonly find: (path: string, buildIds: readonly string[]) => Promise<{ path: string; text: string } | undefined>
}

/** The source code that the server has. */
async function sourcesOfServer(options: SourceOptions, context: Context): Promise<FoundSources> {
  const client = await connect(options.server, '--server', options, context)
  return {
    async find(file, buildId) {
      if (file === '') return undefined
      const { text, path = file } = await client.query('source', { file, ...(buildId.length > 0 ? { buildId } : {}) })
      return text === undefined ? undefined : { path, text }
    },
  }
}

interface InstructionsInput {
  readonly profiles: Profiles
  readonly selected: SelectedProfiles
  readonly names: readonly string[]
  readonly hasServer: boolean
  readonly options: SourceOptions
  readonly context: Context
}

/** The machine code of functions: from local binaries, or from the server of a selector. */
async function printInstructions(functions: readonly FunctionLines[], input: InstructionsInput): Promise<void> {
  const { profiles, selected, names, hasServer, options, context } = input
  const shown: ShownCode[] = []
  if (options.symbols !== undefined) {
    const folders = symbolsInFolders(options.symbols)
    for (const { name } of functions)
      shown.push(...(await functionInstructions(profiles, selected.rows, name, folders)).slice(0, options.count))
  } else if (names.length === 1 && isSelector(names[0], hasServer)) {
    const client = await connect(options.server, '--server', options, context)
    const { from, to } = options.range ?? {}
    for (const { name } of functions) {
      const request = {
        selector: names[0],
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
      }
      const { functions: codes } = await client.query('disassembly', { ...request, function: name })
      for (const { instructions, machine, ...code } of codes) {
        const costed = instructions.map(each => ({ ...each, self: BigInt(each.self), total: BigInt(each.total) }))
        shown.push({ ...code, machine, instructions: costed })
      }
    }
  } else {
    throw new CliError(2, '--instructions requires the binaries', 'Add --symbols DIR, or use one selector of a server.')
  }
  if (shown.length === 0) {
    throw new CliError(
      1,
      `${functions[0].name} has no code of its own`,
      'It is not native code, or its binary has no symbols.',
    )
  }
  if (options.json === true) {
    await printJson(context.stdout, { type: selected.type, unit: selected.unit, functions: shown.map(codeJson) })
    return
  }
  await printLines(
    context.stdout,
    shown.flatMap((code, i) => [...(i === 0 ? [] : ['']), ...instructionLines(code, selected.unit, context.width)]),
  )
}

async function opened(places: readonly string[]): ReturnType<typeof openSources> {
  let current = ''
  try {
    return await openSources(places, place => (current = place))
  } catch (error) {
    throw aboutFile(error, current)
  }
}

/** Functions with exactly this name; otherwise those whose name contains it, in any case. */
function matching(
  wanted: string,
  find: (matches: (name: string) => boolean) => FunctionLines[],
): readonly FunctionLines[] {
  const exact = find(name => name === wanted)
  if (exact.length > 0) return exact
  const part = wanted.toLowerCase()
  return find(name => name.toLowerCase().includes(part))
}

function remarks(profiles: Profiles, { name, file, type, lines }: FunctionLines, isMissing: boolean): string[] {
  const known = lines.filter(({ line }) => line > 0)
  return [
    ...(isMissing && file !== '' ? [printable(`  ${file} is in no place of --source`)] : []),
    // V8 samples functions, not lines. Other code can have its whole body in its first line.
    ...(type === 'v8js' && known.length === 1 && isFirstLine(profiles, name, file, known[0].line)
      ? ['  Only the first line of the function is known: the profiler did not record the executing line.']
      : []),
  ]
}

function isFirstLine(
  { dictionary: { functions, strings } }: Profiles,
  name: string,
  file: string,
  line: number,
): boolean {
  for (let i = 1; i < functions.length; i++) {
    const row = i as Parameters<typeof functions.name>[0]
    if (strings.text(functions.name(row)) !== name || strings.text(functions.filename(row)) !== file) continue
    if (functions.startLine(row) === BigInt(line)) return true
  }
  return false
}

function functionJson({ name, file, lines }: FunctionLines, path: string | undefined): object {
  return {
    name,
    file,
    ...(path === undefined ? {} : { path }),
    lines: lines.map(({ line, self, total }) => ({ line, self: self.toString(), total: total.toString() })),
  }
}

function codeJson(code: ShownCode): object {
  const instructions = code.instructions.map(each => ({
    ...each,
    self: each.self.toString(),
    total: each.total.toString(),
  }))
  return { ...code, instructions }
}
