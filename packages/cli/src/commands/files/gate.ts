// `hearth gate --base A… --new B…`: exits with 1 if functions cost significantly more than before.
import type { Command } from 'commander'
import { InvalidArgumentError, Option } from 'commander'
import type { Context } from '../../context.ts'
import type { StoredRange } from '../../diff/stored-range.ts'
import { storedRange } from '../../diff/stored-range.ts'
import { shownInput } from '../../files/input.ts'
import type { GateOptions } from '../../gate/find-increases.ts'
import { findIncreases } from '../../gate/find-increases.ts'
import type { GateFormat } from '../../gate/gate-report.ts'
import { GATE_FORMATS, gateReport } from '../../gate/gate-report.ts'
import type { FrameOptions, ReadingOptions } from '../../options.ts'
import { addFrameOptions, addReadingOptions, addSnapshotsOption, addTypeOption, examples } from '../../options.ts'
import type { RemoteOptions } from '../../remote/remote.ts'
import { addServerOption, readFilesOrStored } from '../../remote/stored-input.ts'
import { printLines } from '../../terminal/output.ts'

interface GateCommandOptions extends GateOptions, ReadingOptions, FrameOptions, RemoteOptions {
  readonly base: readonly string[]
  readonly new: readonly string[]
  readonly baseRange?: StoredRange
  readonly newRange?: StoredRange
  readonly server: string
  readonly format: GateFormat
}

export function addGate(program: Command, context: Context, setStatus: (status: number) => void): void {
  const command = program
    .command('gate')
    .summary('fail if functions cost more than before')
    .description(
      'Compares new runs with base runs, and exits with 1 if a function costs significantly more. A run is a file, or a ' +
        'selector in braces for profiles on a server. If a side is a single input, each of its profiles is a run.\n\n' +
        'Shares of the total are compared, so that runs may differ in length. With several runs on a side, differences between ' +
        'runs do not count as increases. At most 1 % of the reported increases are expected to be chance.\n\n' +
        'Exit status: 0 without a significant increase, 1 with one or if an input cannot be read, 2 for wrong usage.',
    )
    .requiredOption('--base <input...>', 'files or selectors of the version before')
    .requiredOption('--new <input...>', 'files or selectors of the new version')
    .option('--max-increase <percent>', 'tolerated increase of a function, relative to its base value', percentage, 5)
    .option('--min-share <percent>', 'ignore functions with a smaller share of the new runs', percentage, 0.5)
    .option('--function <regex>', 'compare only functions whose name matches', expression)
    .option('--absolute', 'compare values per run instead of shares; requires at least two runs on each side')
    .option('--base-range <from..to>', 'range of --base if it is a selector; default: now-1h..now', storedRange)
    .option('--new-range <from..to>', 'range of --new if it is a selector; default: now-1h..now', storedRange)
    .addOption(new Option('--format <format>', 'output format').choices(GATE_FORMATS).default('table'))
  addServerOption(addFrameOptions(addSnapshotsOption(addTypeOption(addReadingOptions(command)))))
    .addHelpText(
      'after',
      examples(
        ['hearth gate --base main-*.otlp --new branch-*.otlp', 'several runs of two versions'],
        ['hearth gate --base old.pb.gz --new new.pb.gz --format github', 'annotations in GitHub Actions'],
        [
          `hearth gate --base 'cpu {service.version="1.4.1"}' --new 'cpu {service.version="1.4.2"}'`,
          'two versions on a server',
        ],
        [
          'hearth gate --base a.otlp --new b.otlp --max-increase 20 --function "^shop\\."',
          'only functions of one package',
        ],
      ),
    )
    .action(async (options: GateCommandOptions, self: Command) => {
      const hasServer = self.getOptionValueSource('server') === 'cli'
      const read = async (names: readonly string[], range: StoredRange | undefined, option: string) =>
        (await readFilesOrStored(names, hasServer, { ...options, ...(range && { range }) }, context, option)).map(
          input => shownInput(input, options),
        )
      const base = await read(options.base, options.baseRange, '--base-range')
      const fresh = await read(options.new, options.newRange, '--new-range')
      context.progress.say('comparing')
      const result = findIncreases(base, fresh, options)
      context.progress.done()
      await printLines(context.stdout, gateReport(options.format, result, options, context.width))
      if (result.increases.length > 0) setStatus(1)
    })
}

function percentage(text: string): number {
  const value = Number(text.replace(/\s*%$/, ''))
  if (!/^\d/.test(text) || !Number.isFinite(value))
    throw new InvalidArgumentError('It must be a percentage, such as 5 or 0.5%.')
  return value
}

function expression(text: string): RegExp {
  try {
    return new RegExp(text, 'u')
  } catch (error) {
    throw new InvalidArgumentError(`It must be a regular expression: ${(error as Error).message}.`)
  }
}
