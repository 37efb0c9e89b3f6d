// Options that several commands share, so that they are spelled, checked and explained the same everywhere.
import type { GroupBy } from '@hearth/profile'
import { parseDurationMs } from '@hearth/profile'
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
    .option('--generation <generation>', 'read as this generation of the format, as v1.8 for otlp')
    .option('--lenient', 'read a damaged or cut-off file as far as it goes; a note says what is missing')
    .option('--labels <file>', "for one jfr file: the labels that Pyroscope's agent wrote beside it")
}

export interface TypeOption {
  readonly type?: string
}

export function addTypeOption(command: Command): Command {
  return command.option(
    '--type <type>',
    "profiles of this type, as cpu or cpu:ns; the first one's unless given. All profiles of the type are added up",
  )
}

/** Of `--exact`. */
export const EXACT =
  'take the range as one of observations: samples count by those of their times that are in it, intervals by what of them is in it, and what has no times not at all'

export const GROUPINGS: readonly GroupBy[] = ['function', 'line', 'address', 'file', 'mapping', 'frame-type']

export interface FrameOptions extends SymbolOptions {
  readonly by: GroupBy
  /** False after --no-inlined. */
  readonly inlined: boolean
}

export function addSourceMapOption(command: Command): Command {
  return command.option(
    '--source-maps <dir>',
    'a folder with source maps, as bundle.js.map; applied to scripts of that name',
  )
}

/** For commands that show frames to people: mangled names are demangled unless told otherwise. */
export function addFrameOptions(command: Command): Command {
  return addSourceMapOption(command)
    .option('--no-demangle', 'show C++ and Rust names as the linker has them')
    .addOption(new Option('--by <grouping>', 'what counts as one frame').choices(GROUPINGS).default('function'))
    .option('--no-inlined', 'take inlined calls as part of the function that they were inlined into')
}

export interface RootOption {
  readonly root?: readonly string[]
}

/** For commands that show or write stacks. */
export function addRootOption(command: Command): Command {
  return command.option(
    '--root <attribute>',
    'put the values of an attribute at the root of the stacks, as thread.name; given again, below those before',
    oneMore,
  )
}

/** For what may be given several times. */
function oneMore(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text]
}

/** For `-n N` and the like. */
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

/** `5s`, `500ms`, `1m`, or a number of seconds, in milliseconds. */
export function durationMs(text: string): number {
  const ms = parseDurationMs(text, 's') ?? 0
  if (ms < 1 || ms > DAY_MS) throw new InvalidArgumentError('It must be a duration of up to a day, as 5s, 500ms or 1m.')
  return ms
}

/** `key=value`, given several times. */
export function namedValues(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const equals = text.indexOf('=')
  if (equals < 1) throw new InvalidArgumentError('It must be key=value.')
  return { ...before, [text.slice(0, equals)]: text.slice(equals + 1) }
}

/** The same, where a value that is JSON is what it says: `n=7`, `tags=["a"]`. */
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
