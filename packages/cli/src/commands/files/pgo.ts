// `hearth pgo INPUT… -o FILE`: writes a profile with which a compiler optimises a program.
import type { Command } from 'commander'
import { Option } from 'commander'
import type { FunctionIndex, Profiles } from '@hearth/profile'
import { PGO_CALLS, concat, innermostCalls, writeProfile } from '@hearth/profile'
import type { Context } from '../../context.ts'
import { CliError, shownName } from '../../errors.ts'
import type { StoredRange } from '../../diff/stored-range.ts'
import type { InputOptions } from '../../files/input.ts'
import { selectProfiles } from '../../files/select-profiles.ts'
import type { TypeOption } from '../../options.ts'
import { addReadingOptions, addSymbolOptions, addTypeOption, examples, wholeNumber } from '../../options.ts'
import type { RemoteOptions } from '../../remote/remote.ts'
import { addStoredOptions, isSelector, readFilesOrStored } from '../../remote/stored-input.ts'
import { printNotes } from '../../terminal/notes.ts'
import { checkOutput, checkTerminal, compressedFor, writeOutput, writing } from '../../terminal/output.ts'

interface PgoOptions extends InputOptions, TypeOption, RemoteOptions {
  readonly output: string
  readonly for: 'go' | 'llvm'
  readonly calls: number
  readonly server: string
  readonly range?: StoredRange
}

export function addPgo(program: Command, context: Context): void {
  const command = program
    .command('pgo')
    .summary('write a profile for a compiler')
    .description(
      'Writes a profile for profile-guided optimisation: pprof for `go build -pgo`, or the text of an LLVM sample ' +
        'profile for `clang -fprofile-sample-use`. It sums all inputs.\n\n' +
        'An input is a file, or a selector in braces for profiles on a server, as for `hearth query`.',
    )
    .argument('<input...>', `files in any formats, or selectors: 'cpu {service.name="web"}'`)
    .requiredOption('-o, --output <file>', 'output file, such as default.pgo (`-` is standard output)')
    .addOption(new Option('--for <compiler>', 'the compiler').choices(['go', 'llvm']).default('go'))
    .option(
      '--calls <n>',
      'for Go: the number of innermost calls to keep of each stack; 0 keeps all',
      wholeNumber,
      PGO_CALLS,
    )
  addSymbolOptions(addTypeOption(addReadingOptions(command)))
  addStoredOptions(command)
    .addHelpText(
      'after',
      examples(
        [
          `hearth pgo 'cpu {service.name="checkout"}' --range now-1d.. -o default.pgo`,
          'then: go build -pgo=default.pgo',
        ],
        ['hearth pgo cpu-*.pb.gz -o default.pgo', 'from files'],
        ['hearth pgo perf.data --symbols ./build --for llvm -o app.afdo', 'then: clang -fprofile-sample-use=app.afdo'],
      ),
    )
    .action(async (inputs: readonly string[], options: PgoOptions, self: Command) => {
      const hasServer = self.getOptionValueSource('server') === 'cli'
      await pgo(inputs, hasServer, options, context)
    })
}

async function pgo(files: readonly string[], hasServer: boolean, options: PgoOptions, context: Context): Promise<void> {
  const { output } = options
  checkOutput(
    output,
    files.filter(file => !isSelector(file, hasServer)),
  )
  const inputs = await readFilesOrStored(files, hasServer, options, context)
  const profiles = inputs.length === 1 ? inputs[0].profiles : concat(inputs.map(input => input.profiles))
  context.progress.say(`writing ${output}`)
  const name = files.map(file => shownName(file)).join(', ')
  const { bytes, notes } = writing(output, () => compilerProfile(profiles, name, options))
  context.progress.done()
  await printNotes(context, shownName(output, 'standard output'), notes)
  const stored = compressedFor(output, bytes)
  checkTerminal(output, stored, context.stdout)
  await writeOutput(output, stored, context.stdout)
}

function compilerProfile(profiles: Profiles, name: string, options: PgoOptions): ReturnType<typeof writeProfile> {
  const { rows } = selectProfiles(profiles, options.type, name)
  if (options.for === 'llvm') {
    const written = writeProfile(innermostCalls(profiles, rows, { calls: 1, sumLeafLines: false }), 'llvm-sample')
    if (written.bytes.length > 0) return written
    throw new CliError(
      1,
      `${name}: no function has a name, a line and a first line`,
      'Add debug files with --symbols. `hearth symbols list FILE` shows what a file contains.',
    )
  }
  const reduced = innermostCalls(profiles, rows, { calls: options.calls, sumLeafLines: true })
  const { functions } = reduced.dictionary
  // The compiler finds a call by its distance from the first line of the caller, and rejects profiles without these lines.
  if (!Array.from({ length: functions.length }, (_, i) => i).some(i => functions.startLine(i as FunctionIndex) > 0n)) {
    throw new CliError(
      1,
      `${name}: no function has a first line, which the Go compiler requires`,
      'Use CPU profiles of Go 1.20 or newer, or add the binary with --symbols.',
    )
  }
  return writeProfile(reduced, 'pprof')
}
