// Connects commands to servers: the options, and readable errors.
import type { ApiError, HearthClient, UnreachableError } from '@hearth/client'
import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { CliError } from '../errors.ts'
import { print } from '../terminal/output.ts'

/** The default address of `hearth serve`. */
export const MAIN_SERVER = 'http://127.0.0.1:4040'

export interface RemoteOptions {
  readonly token?: string
  readonly tenant?: string
}

export function addRemoteOptions(command: Command): Command {
  return command
    .option('--token <token>', 'access token; prefer HEARTH_TOKEN, which other users of this machine cannot see')
    .option('--tenant <name>', 'tenant; default: the first tenant of the token')
}

/** Throws a usage error for an invalid address. `option` is the option that has it. */
export async function connect(
  server: string,
  option: string,
  { token, tenant }: RemoteOptions,
  context: Context,
): Promise<HearthClient> {
  checkAddress(server, option)
  const { HearthClient: Client } = await import('@hearth/client')
  const secret = token ?? context.env?.['HEARTH_TOKEN'] ?? ''
  let shown: string | undefined
  return new Client({
    server,
    onMissingData: message => {
      if (message !== undefined && message !== shown) void print(context.stderr, `warning: ${message}\n`)
      shown = message ?? shown
    },
    ...(secret === '' ? {} : { token: secret }),
    ...(tenant === undefined ? {} : { tenant }),
  })
}

/** Throws a usage error for an invalid address. */
export function checkAddress(server: string, option: string): void {
  if (!/^https?:$/.test(protocolOf(server))) {
    const plain = /^[\w.-]+(?::\d+)?$/.test(server) ? server : '127.0.0.1:4040'
    throw new CliError(2, `${option}: ${JSON.stringify(server)} is not a valid address`, `Use http://${plain}.`)
  }
}

function protocolOf(text: string): string {
  return URL.canParse(text) ? new URL(text).protocol : ''
}

export interface RemoteCall {
  /** The option with the address. */
  readonly option: string
  /** The selector that an error position refers to. */
  readonly selector?: string
  /** Advice by error code. */
  readonly advice?: Readonly<Record<string, string>>
  /** The file of a push. */
  readonly file?: string
}

/** Converts an error of a server to a readable one. Returns other errors unchanged. */
export function aboutServer(error: unknown, call: RemoteCall): unknown {
  const { option, file } = call
  if (!(error instanceof Error)) return error
  const cause = { cause: error }
  const about = file === undefined ? '' : `${file}: `
  if (isUnreachable(error)) {
    return new CliError(
      1,
      `${about}${error.message}`,
      `Is \`hearth serve\` running there? Use ${option} for another address.`,
      cause,
    )
  }
  if (!isRefusal(error)) return error
  return new CliError(1, `${about}${error.message}`, adviceFor(error, call), cause)
}

// By name, so that the client is loaded only by commands that need a server.
function isUnreachable(error: Error): error is UnreachableError {
  return error.name === 'UnreachableError'
}

function isRefusal(error: Error): error is ApiError {
  return error.name === 'ApiError'
}

/** Hearth listens on several ports, and the wrong one does not know what was meant. */
const WRONG_PORT: Readonly<Record<string, string>> = {
  '--server': '--server is the main address of `hearth serve`: its --port, by default 4040.',
  '--to': '--to is the address of `hearth serve` for OTLP over HTTP: its --otlp-http-port, by default 4318.',
}

/** True if the selection is empty. */
export function isNotFound(error: unknown): error is ApiError {
  return error instanceof Error && isRefusal(error) && error.code === 'not-found'
}

function adviceFor(
  { status, code, message, position, retryAfterSeconds }: ApiError,
  { option, selector = '', advice = {}, file }: RemoteCall,
): string {
  if (position !== undefined && selector !== '') return pointed(selector, position)
  if (status === 401 || status === 403)
    return 'Set --token or HEARTH_TOKEN; `hearth admin token create` creates a token.'
  if (status === 404 && code === 'refused') return WRONG_PORT[option] ?? ''
  if (file !== undefined && status === 400 && message.includes('?service=')) return 'Add --service NAME.'
  if (retryAfterSeconds !== undefined) return `Retry in ${retryAfterSeconds} s.`
  return advice[code] ?? ''
}

/** Characters on each side of the position: a selector may have thousands. */
const CONTEXT_CHARACTERS = 50

/** The selector on one line, with a caret below the position. */
function pointed(selector: string, position: number): string {
  const text = selector.replaceAll(/\s/g, ' ')
  const from = Math.max(0, position - CONTEXT_CHARACTERS)
  const before = `${from > 0 ? '…' : ''}${text.slice(from, position)}`
  const after = text.slice(position, position + CONTEXT_CHARACTERS)
  return `${before}${after}${position + CONTEXT_CHARACTERS < text.length ? '…' : ''}\n${' '.repeat(before.length)}^`
}
