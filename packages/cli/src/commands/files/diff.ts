// `hearth diff BEFORE AFTER`: the difference of two profiles, frame by frame. Each is a file or a selection of stored profiles.
import type { Command } from 'commander'
import { Option } from 'commander'
import type { ChangedFrames } from '../../diff/changed-frames.ts'
import { CHANGED_ROWS, changeLines, changesJson } from '../../diff/changed-frames.ts'
import type { Context } from '../../context.ts'
import { CliError, shownName } from '../../errors.ts'
import { fileChanges } from '../../diff/file-changes.ts'
import type { Input } from '../../files/input.ts'
import { readInputs, readShown, shownInput } from '../../files/input.ts'
import { printDamage } from '../../terminal/notes.ts'
import type { FrameOptions, ReadingOptions, SnapshotsOption, TypeOption } from '../../options.ts'
import {
  EXACT,
  addFrameOptions,
  addReadingOptions,
  addSnapshotsOption,
  addTypeOption,
  examples,
  wholeNumber,
} from '../../options.ts'
import { printJson, printLines } from '../../terminal/output.ts'
import type { RemoteOptions } from '../../remote/remote.ts'
import { MAIN_SERVER, addRemoteOptions } from '../../remote/remote.ts'
import { isSelector, storedInput } from '../../remote/stored-input.ts'
import { selectProfiles } from '../../files/select-profiles.ts'
import { storedChanges } from '../../diff/stored-changes.ts'
import type { StoredRange } from '../../diff/stored-range.ts'
import { storedRange } from '../../diff/stored-range.ts'

interface DiffOptions extends ReadingOptions, TypeOption, SnapshotsOption, FrameOptions, RemoteOptions {
  readonly server: string
  readonly beforeRange?: StoredRange
  readonly afterRange?: StoredRange
  readonly exact?: boolean
  readonly normalise?: boolean
  readonly count?: number
  readonly sort: 'self' | 'total'
  readonly json?: boolean
}

export function addDiff(program: Command, context: Context): void {
  const command = program
    .command('diff')
    .summary('compare two profiles')
    .description(
      'Compares two profiles frame by frame: before, after, the difference, and new or removed frames. ' +
        'Frames are equal if their name and file are equal (with --by line, also their line).\n\n' +
        'Each is a file, or a selector in braces for profiles on a server, as for `hearth query`. A single selector is ' +
        'compared with itself: the last hour with the hour before, or --after-range with --before-range.',
    )
    .argument('<before>', `a file in any format, \`-\` for standard input, or a selector: 'cpu {service.name="web"}'`)
    .argument('[after]', 'a file in any format, or a selector')
  addFrameOptions(addSnapshotsOption(addTypeOption(addReadingOptions(command))))
    .option(
      '--server <url>',
      "the server's main address; if given, an argument that is not a file is a selector",
      MAIN_SERVER,
    )
    .option(
      '--before-range <from..to>',
      'range of <before> if it is a selector, such as now-2h..now-1h; default: the range of the other selector, or for a single selector the time right before it',
      storedRange,
    )
    .option(
      '--after-range <from..to>',
      'range of <after> if it is a selector, or of a single selector; default: now-1h..now',
      storedRange,
    )
    .option('--exact', `with selectors: ${EXACT}`)
  addRemoteOptions(command)
    .option('--normalise', 'scale the first to the total of the second, to compare recordings of different length')
    .option('-n, --count <n>', `number of rows; default: ${CHANGED_ROWS}, with --json all`, wholeNumber)
    .addOption(new Option('--sort <column>', 'the value to compare').choices(['self', 'total']).default('self'))
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        ['hearth diff before.otlp after.otlp', 'functions that cost more or less'],
        ['hearth diff --normalise monday.otlp tuesday.pb.gz', 'shares, if length and format differ'],
        [`hearth diff 'cpu {service.name="web"}'`, 'the last hour vs. the hour before'],
        [`hearth diff 'cpu {service.name="web"}' --before-range now-25h..now-24h`, 'vs. the same hour of yesterday'],
        [`hearth diff 'cpu {version="1"}' 'cpu {version="2"}' --normalise`, 'one release vs. another'],
        [`hearth diff release.pb.gz 'cpu {service.name="web"}' --normalise`, 'a file vs. stored profiles'],
      ),
    )
    .action(async (before: string, after: string | undefined, options: DiffOptions, self: Command) => {
      const hasServer = self.getOptionValueSource('server') === 'cli'
      const changes = await compare(before, after, hasServer, options, context)
      context.progress.done()
      if (options.json === true) await printJson(context.stdout, changesJson(changes, { count: undefined, ...options }))
      else await printLines(context.stdout, changeLines(changes, { count: undefined, ...options }, context.width))
    })
}

async function compare(
  before: string,
  after: string | undefined,
  hasServer: boolean,
  options: DiffOptions,
  context: Context,
): Promise<ChangedFrames> {
  const stored = [before, after ?? before].map(text => isSelector(text, hasServer))
  checkOptions(stored, options)
  if (after === undefined) {
    if (!stored[0]) {
      const advice = `Add a second file, or use a selector in braces: 'cpu {service.name="checkout"}'.`
      throw new CliError(2, `${shownName(before)}: the second profile is missing`, advice)
    }
    return await storedChanges({ before: undefined, after: before }, options, context)
  }
  if (stored[0] && stored[1]) return await storedChanges({ before, after }, options, context)
  const [a, b] = await inputs(before, after, stored, options, context)
  for (const input of [a, b]) await printDamage(context, options, input)
  const wasSelected = selectProfiles(a.profiles, options.type, before, options.snapshots)
  const isSelected = selectProfiles(
    b.profiles,
    options.type ?? `${wasSelected.type}:${wasSelected.unit}`,
    after,
    options.snapshots,
  )
  context.progress.say('comparing')
  return fileChanges(
    { profiles: a.profiles, selected: wasSelected },
    { profiles: b.profiles, selected: isSelected },
    options,
  )
}

async function inputs(
  before: string,
  after: string,
  stored: readonly boolean[],
  options: DiffOptions,
  context: Context,
): Promise<readonly Input[]> {
  if (stored[0]) {
    const selected = await storedInput(before, options.beforeRange, '--before-range', options, context)
    return [selected, await readShown(after, options, context)]
  }
  if (!stored[1]) {
    const both = await readInputs([before, after], options, context)
    return both.map(input => shownInput(input, options))
  }
  return [
    await readShown(before, options, context),
    await storedInput(after, options.afterRange, '--after-range', options, context),
  ]
}

/** Options that would have no effect are errors. */
function checkOptions([before, after]: readonly boolean[], options: DiffOptions): void {
  const ranges = [
    ['--before-range', options.beforeRange, before],
    ['--after-range', options.afterRange, after],
  ] as const
  for (const [name, range, isStored] of ranges) {
    if (range === undefined || isStored) continue
    const advice = `Use a selector in braces, such as 'cpu {service.name="checkout"}', or add --server.`
    throw new CliError(2, `${name} applies to selectors, and both arguments are files`, advice)
  }
  if (!before || !after) return
  const { from, type } = options
  if (from !== undefined) {
    const advice = '--before-range and --after-range set the time, such as now-2h..now-1h.'
    throw new CliError(2, `--from is the format of a file, but no argument is a file`, advice)
  }
  if (type !== undefined) {
    throw new CliError(2, '--type applies to files', `Put the type into the selector: '${type} {…}'.`)
  }
}
