// Options that several commands share, so that they are spelled, checked and explained the same way.
import type { GroupBy, SnapshotMode } from '@hearth/profile'
import { SNAPSHOT_MODES, parseDurationMs } from '@hearth/profile'
import type { Command } from 'commander'
import type { SymbolOptions } from './files/symbols.ts'
import { InvalidArgumentError, Option } from 'commander'

export interface ReadingOptions {
  readonly from?: string
  readonly generation?: string
  readonly lenient?: boolean
  readonly labels?: string
}

export function addReadingOptions(command: Command): Command {
  return command
    .option('--from <format>', 'read as this format instead of recognising it (see `hearth formats`)')
    .option('--generation <generation>', 'read as this generation of the format, such as v1.8 for otlp')
    .option('--lenient', 'read a damaged or truncated file as far as possible; a note says what is missing')
    .option('--labels <file>', "for one jfr file: the labels file of Pyroscope's agent")
}

export interface TypeOption {
  readonly type?: string
}

export function addTypeOption(command: Command): Command {
  return command.option(
    '--type <type>',
    'sum all profiles of this type, such as cpu or cpu:ns; default: the default type of the file',
  )
}

export interface SnapshotsOption {
  readonly snapshots?: SnapshotMode
}

/** For commands that sum profiles of several times. */
export function addSnapshotsOption(command: Command): Command {
  return command.addOption(snapshotsOption('average'))
}

export function snapshotsOption(fallback: string): Option {
  const description =
    'for live heap, goroutines and other snapshots of a state: how those of one instance at several times are combined; ' +
    `default: ${fallback}`
  return new Option('--snapshots <mode>', description).choices(SNAPSHOT_MODES)
}

/** The option for functions of the library, which have a default. */
export function snapshotsOf({ snapshots }: SnapshotsOption): SnapshotsOption {
  return snapshots === undefined ? {} : { snapshots }
}

/** The description of `--exact`. */
export const EXACT =
  'select samples by their timestamps: count the timestamps in the range, the part of each interval in the range, and no samples without timestamps'

/** The description of `--addresses`. */
export const ADDRESSES =
  'show frames without a name by address, such as libc.so.6+0x1a2b, instead of one frame per library'

export const GROUPINGS: readonly GroupBy[] = ['function', 'line', 'address', 'file', 'mapping', 'frame-type']

export interface FrameOptions extends SymbolOptions {
  readonly by: GroupBy
  /** False with --no-inlined. */
  readonly inlined: boolean
  /** Whether frames without a name are distinguished by address. */
  readonly addresses?: boolean
  readonly allFrames?: boolean
}

export function addSymbolOptions(command: Command): Command {
  return command
    .option(
      '--symbols <path>',
      'a binary, a debug file or a folder of them, to name native frames; repeatable',
      oneMore,
    )
    .option('--source-maps <dir>', 'a folder with source maps, such as bundle.js.map for the script bundle.js')
}

/** For commands that show frames to people. Names are demangled by default. */
export function addFrameOptions(command: Command): Command {
  return addSymbolOptions(command)
    .option('--no-demangle', 'show mangled C++ and Rust names')
    .addOption(new Option('--by <grouping>', 'what counts as one frame').choices(GROUPINGS).default('function'))
    .option('--no-inlined', 'count inlined calls as part of the function that contains them')
    .option('--addresses', ADDRESSES)
    .option('--all-frames', "show the frames that the file's drop_frames expression hides")
}

export interface RootOption {
  readonly root?: readonly string[]
}

/** For commands that show or write stacks. */
export function addRootOption(command: Command): Command {
  return command.option(
    '--root <attribute>',
    'put the values of an attribute, such as thread.name, at the root of the stacks; repeatable, for several levels',
    oneMore,
  )
}

/** Collects a repeatable option. */
export function oneMore(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text]
}

/** Parses `-n N` and the like. */
export function wholeNumber(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < 1) {
    throw new InvalidArgumentError('It must be a whole number above zero.')
  }
  return value
}

export function percent(text: string): number {
  const value = Number(text)
  if (!/^\d+(?:\.\d+)?%?$/.test(text) || !(Number.parseFloat(text) <= 100)) {
    throw new InvalidArgumentError('It must be a number from 0 to 100.')
  }
  return Number.isNaN(value) ? Number.parseFloat(text) : value
}

const DAY_MS = 86_400_000

/** Parses `5s`, `500ms`, `1m` or a number of seconds into milliseconds. */
export function durationMs(text: string): number {
  const ms = parseDurationMs(text, 's') ?? 0
  if (ms < 1 || ms > DAY_MS)
    throw new InvalidArgumentError('It must be a duration of up to a day, such as 5s, 500ms or 1m.')
  return ms
}

/** Collects a repeatable `key=value`. */
export function namedValues(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const equals = text.indexOf('=')
  if (equals < 1) throw new InvalidArgumentError('It must be key=value.')
  return { ...before, [text.slice(0, equals)]: text.slice(equals + 1) }
}

/** Collects a repeatable `key=value` whose value is JSON or text: `n=7`, `tags=["a"]`. */
export function jsonValues(text: string, before: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const [[name, value]] = Object.entries(namedValues(text))
  return { ...before, [name]: parsed(value) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Examples at the end of a command's help. */
export function examples(...lines: readonly (readonly [command: string, does: string])[]): string {
  const width = Math.max(...lines.map(([command]) => command.length))
  const text = lines.map(([command, does]) => `  ${command.padEnd(width)}   ${does}`)
  return `\nExamples:\n${text.join('\n')}`
}
