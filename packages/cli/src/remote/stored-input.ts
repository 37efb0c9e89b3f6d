// Exports stored profiles, for commands that read a file or a selection.
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { readProfile } from '@hearth/profile'
import type { Context } from '../context.ts'
import { CliError } from '../errors.ts'
import type { StoredRange } from '../diff/stored-range.ts'
import { storedRange } from '../diff/stored-range.ts'
import type { Input, InputOptions } from '../files/input.ts'
import { readInput } from '../files/input.ts'
import { checkInputs } from '../files/open-input.ts'
import type { SymbolOptions } from '../files/symbols.ts'
import { withSymbols } from '../files/symbols.ts'
import { printDamage } from '../terminal/notes.ts'
import { nothingAdvice } from './nothing-found.ts'
import type { RemoteOptions } from './remote.ts'
import { MAIN_SERVER, aboutServer, addRemoteOptions, connect, isNotFound } from './remote.ts'

export interface StoredInputOptions extends RemoteOptions, SymbolOptions {
  readonly server: string
  readonly exact?: boolean
}

/** An existing file is a file, whatever it looks like. `hasServer` is true if --server was given. */
export function isSelector(text: string, hasServer: boolean): boolean {
  return text !== '-' && (hasServer || text.includes('{')) && !existsSync(text)
}

/** Reads files, and exports selections. Throws CliError if `range` would have no effect; `rangeOption` sets it. */
export async function readFilesOrStored(
  names: readonly string[],
  hasServer: boolean,
  options: StoredInputOptions & InputOptions & { readonly range?: StoredRange },
  context: Context,
  rangeOption = '--range',
): Promise<readonly Input[]> {
  const isStored = names.map(name => isSelector(name, hasServer))
  if (options.range !== undefined && !isStored.includes(true)) {
    const advice = `Use a selector in braces, such as 'cpu {service.name="checkout"}', or add --server.`
    throw new CliError(2, `${rangeOption} applies to selectors, and all inputs are files`, advice)
  }
  checkInputs(names.filter((_, i) => !isStored[i]))
  const inputs: Input[] = []
  for (const [i, name] of names.entries()) {
    const input = isStored[i]
      ? await storedInput(name, options.range, rangeOption, options, context)
      : await readInput(name, options, context)
    await printDamage(context, options, input)
    inputs.push(input)
  }
  return inputs
}

/** Options of commands that read files or selections. */
export function addStoredOptions(command: Command): Command {
  return addServerOption(command).option('--range <from..to>', 'range of selectors; default: now-1h..now', storedRange)
}

/** The server of selectors, for commands that have ranges of their own. */
export function addServerOption(command: Command): Command {
  return addRemoteOptions(
    command.option(
      '--server <url>',
      "the server's main address; if given, an argument that is not a file is a selector",
      MAIN_SERVER,
    ),
  )
}

/** `rangeOption` is the option that sets the range, for errors. */
export async function storedInput(
  selector: string,
  range: StoredRange | undefined,
  rangeOption: string,
  options: StoredInputOptions,
  context: Context,
): Promise<Input> {
  const client = await connect(options.server, '--server', options, context)
  const request = {
    selector,
    // Native frames get the names that the server knows.
    symbols: true,
    ...(range === undefined ? {} : { from: range.from }),
    ...(range?.to === undefined ? {} : { to: range.to }),
    ...(options.exact === true ? { exact: true } : {}),
  }
  try {
    const { bytes } = await context.progress.during(`exporting from ${client.server}`, client.export(request))
    const { format, confidence, generation, profiles, notes } = readProfile(bytes, { format: 'otlp' })
    return {
      file: selector,
      size: bytes.length,
      compression: 'none',
      contentSize: bytes.length,
      format: format.name,
      confidence,
      generation,
      profiles: withSymbols(profiles, options),
      notes,
    }
  } catch (error) {
    if (isNotFound(error)) {
      const advice = await nothingAdvice(client, range ?? {}, rangeOption)
      throw new CliError(1, `${selector}: no profiles match`, advice, { cause: error })
    }
    throw aboutServer(error, { option: '--server', selector })
  }
}
