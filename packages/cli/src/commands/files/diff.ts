// `hearth diff BEFORE AFTER`: what changed from one profile to another, frame by frame. Either may be a file, or a selection of
// what a server keeps.
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { Option } from 'commander'
import type { ChangedFrames } from '../../diff/changed-frames.ts'
import { CHANGED_ROWS, changeLines, changesJson } from '../../diff/changed-frames.ts'
import type { Context } from '../../context.ts'
import { CliError, shownName } from '../../errors.ts'
import { fileChanges } from '../../diff/file-changes.ts'
import type { Input } from '../../files/input.ts'
import { readInput, readInputs } from '../../files/input.ts'
import { printLenientNotes } from '../../terminal/notes.ts'
import type { FrameOptions, ReadingOptions, TypeOption } from '../../options.ts'
import { EXACT, addFrameOptions, addReadingOptions, addTypeOption, examples, wholeNumber } from '../../options.ts'
import { printJson, printLines } from '../../terminal/output.ts'
import type { RemoteOptions } from '../../remote/remote.ts'
import { MAIN_SERVER, addRemoteOptions } from '../../remote/remote.ts'
import { selectProfiles } from '../../files/select-profiles.ts'
import { storedChanges, storedInput } from '../../diff/stored-changes.ts'
import type { StoredRange } from '../../diff/stored-range.ts'
import { storedRange } from '../../diff/stored-range.ts'

export interface DiffOptions extends ReadingOptions, TypeOption, FrameOptions, RemoteOptions {
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
    .summary('what changed from one profile to another')
    .description(
      'Compares two profiles frame by frame: before, after, the difference, and what is new or gone. ' +
        'Frames are the same when their name and file are (and their line, with --by line).\n\n' +
        'Each is a file, or a selector of profiles that a server keeps, with braces, as for `hearth query`. A selector alone is ' +
        'compared with itself: the last hour with the one before, unless --before-range and --after-range say otherwise.',
    )
    .argument('<before>', `a file in any format, \`-\` for standard input, or a selector: 'cpu {service.name="web"}'`)
    .argument('[after]', 'the other one; formats may differ')
  addFrameOptions(addTypeOption(addReadingOptions(command)))
    .option(
      '--server <url>',
      'the main address of the server; if given, any argument that is no file is a selector',
      MAIN_SERVER,
    )
    .option(
      '--before-range <from..to>',
      'when, if <before> is a selector, as now-2h..now-1h; unless given the range of the other selector, or for one alone the time right before it',
      storedRange,
    )
    .option(
      '--after-range <from..to>',
      'when, if <after> is a selector or there is one alone; now-1h..now unless given',
      storedRange,
    )
    .option('--exact', `with selectors: ${EXACT}`)
  addRemoteOptions(command)
    .option(
      '--normalise',
      'scale the first to the total of the second, to compare shares of recordings of different length',
    )
    .option('-n, --count <n>', `how many rows (${CHANGED_ROWS} unless given; with --json all)`, wholeNumber)
    .addOption(new Option('--sort <column>', 'which value is compared').choices(['self', 'total']).default('self'))
    .option('--json', 'for scripts')
    .addHelpText(
      'after',
      examples(
        ['hearth diff before.otlp after.otlp', 'what costs more, and what less'],
        ['hearth diff --normalise monday.otlp tuesday.pb.gz', 'shares, whatever the length and the format'],
        [`hearth diff 'cpu {service.name="web"}'`, 'the last hour with the hour before'],
        [`hearth diff 'cpu {service.name="web"}' --before-range now-25h..now-24h`, 'with the same hour of yesterday'],
        [`hearth diff 'cpu {version="1"}' 'cpu {version="2"}' --normalise`, 'one release with another'],
        [`hearth diff release.pb.gz 'cpu {service.name="web"}' --normalise`, 'a file with what is stored'],
      ),
    )
    .action(async (before: string, after: string | undefined, options: DiffOptions, self: Command) => {
      const asked = self.getOptionValueSource('server') === 'cli'
      const changes = await compare(before, after, asked, options, context)
      context.progress.done()
      if (options.json === true) await printJson(context.stdout, changesJson(changes, { count: undefined, ...options }))
      else await printLines(context.stdout, changeLines(changes, { count: undefined, ...options }, context.width))
    })
}

/** `asked` is whether a server was named. */
async function compare(
  before: string,
  after: string | undefined,
  asked: boolean,
  options: DiffOptions,
  context: Context,
): Promise<ChangedFrames> {
  const stored = [before, after ?? before].map(text => isSelector(text, asked))
  checkOptions(stored, options)
  if (after === undefined) {
    if (!stored[0]) {
      const advice = `Name a second file, or a selector in braces: 'cpu {service.name="checkout"}'.`
      throw new CliError(2, `${shownName(before)}: what is it compared with?`, advice)
    }
    return await storedChanges({ before: undefined, after: before }, options, context)
  }
  if (stored[0] && stored[1]) return await storedChanges({ before, after }, options, context)
  const [a, b] = await inputs(before, after, stored, options, context)
  for (const input of [a, b]) await printLenientNotes(context, options, input)
  const wasSelected = selectProfiles(a.profiles, options.type, before)
  const isSelected = selectProfiles(b.profiles, options.type ?? `${wasSelected.type}:${wasSelected.unit}`, after)
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
    const selected = await storedInput(before, 'before', options, context)
    return [selected, await readInput(after, options, context)]
  }
  if (!stored[1]) return await readInputs([before, after], options, context)
  return [await readInput(before, options, context), await storedInput(after, 'after', options, context)]
}

/** What names a file is one, whatever it looks like. */
function isSelector(text: string, asked: boolean): boolean {
  return text !== '-' && (asked || text.includes('{')) && !existsSync(text)
}

/** Options that would silently do nothing are mistakes. */
function checkOptions([before, after]: readonly boolean[], options: DiffOptions): void {
  const ranges = [
    ['--before-range', options.beforeRange, before],
    ['--after-range', options.afterRange, after],
  ] as const
  for (const [name, range, isStored] of ranges) {
    if (range === undefined || isStored) continue
    const advice = `Write a selector in braces, as 'cpu {service.name="checkout"}', or name the server with --server.`
    throw new CliError(2, `${name} is for what a server keeps, not for files`, advice)
  }
  if (!before || !after) return
  const { from, type } = options
  if (from !== undefined) {
    const advice = '--before-range and --after-range say when, as now-2h..now-1h.'
    throw new CliError(2, `--from is the format of a file, and there is none`, advice)
  }
  if (type !== undefined) {
    throw new CliError(2, '--type is for files', `A selector begins with the type: '${type} {…}'.`)
  }
}
