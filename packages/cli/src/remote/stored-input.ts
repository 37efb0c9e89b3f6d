// Exports stored profiles, for commands that read a file or a selection.
import { existsSync } from 'node:fs'
import { readProfile } from '@hearth/profile'
import type { Context } from '../context.ts'
import { CliError } from '../errors.ts'
import type { StoredRange } from '../diff/stored-range.ts'
import type { Input } from '../files/input.ts'
import type { SymbolOptions } from '../files/symbols.ts'
import { withSymbols } from '../files/symbols.ts'
import { nothingAdvice } from './nothing-found.ts'
import type { RemoteOptions } from './remote.ts'
import { aboutServer, connect, isNotFound } from './remote.ts'

export interface StoredInputOptions extends RemoteOptions, SymbolOptions {
  readonly server: string
  readonly exact?: boolean
}

/** An existing file is a file, whatever it looks like. `hasServer` is true if --server was given. */
export function isSelector(text: string, hasServer: boolean): boolean {
  return text !== '-' && (hasServer || text.includes('{')) && !existsSync(text)
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
