// Servers as commands speak with them: the options that say which, and their errors in words.
import type { ApiError, HearthClient, UnreachableError } from '@hearth/client'
import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { CliError } from '../errors.ts'

/** Where `hearth serve` answers unless told otherwise. */
export const MAIN_SERVER = 'http://127.0.0.1:4040'

export interface RemoteOptions {
  readonly token?: string
  readonly tenant?: string
}

export function addRemoteOptions(command: Command): Command {
  return command
    .option('--token <token>', 'says who you are; better in HEARTH_TOKEN, where others on the machine do not see it')
    .option('--tenant <name>', "whose data; the token's first tenant unless given")
}

/** Throws a usage error for what is no address. `option` is the one that has it. */
export async function connect(
  server: string,
  option: string,
  { token, tenant }: RemoteOptions,
  context: Context,
): Promise<HearthClient> {
  checkAddress(server, option)
  const { HearthClient: Client } = await import('@hearth/client')
  const secret = token ?? context.env?.['HEARTH_TOKEN'] ?? ''
  return new Client({
    server,
    ...(secret === '' ? {} : { token: secret }),
    ...(tenant === undefined ? {} : { tenant }),
  })
}

/** Throws a usage error for what is no address. */
export function checkAddress(server: string, option: string): void {
  if (!/^https?:$/.test(protocolOf(server))) {
    const plain = /^[\w.-]+(?::\d+)?$/.test(server) ? server : '127.0.0.1:4040'
    throw new CliError(2, `${option}: ${JSON.stringify(server)} is no address`, `Write it as http://${plain}.`)
  }
}

function protocolOf(text: string): string {
  return URL.canParse(text) ? new URL(text).protocol : ''
}

export interface Asked {
  /** The option with the address. */
  readonly option: string
  /** What the error is about: a selector to point into. */
  readonly selector?: string
  /** What to do about errors of these codes. */
  readonly advice?: Readonly<Record<string, string>>
  /** A file, for pushes. */
  readonly file?: string
}

/** What went wrong with a server, for people. Passes on what is not about one. */
export function aboutServer(error: unknown, asked: Asked): unknown {
  const { option, file } = asked
  if (!(error instanceof Error)) return error
  const cause = { cause: error }
  const about = file === undefined ? '' : `${file}: `
  if (isUnreachable(error)) {
    return new CliError(
      1,
      `${about}${error.message}`,
      `Is \`hearth serve\` running there? ${option} names another address.`,
      cause,
    )
  }
  if (!isRefusal(error)) return error
  return new CliError(1, `${about}${error.message}`, adviceFor(error, asked), cause)
}

// By name, so that the client is loaded only by commands that ask a server.
function isUnreachable(error: Error): error is UnreachableError {
  return error.name === 'UnreachableError'
}

function isRefusal(error: Error): error is ApiError {
  return error.name === 'ApiError'
}

/** Hearth listens on several ports, and those who answer on one do not know what was meant. */
const WRONG_PORT: Readonly<Record<string, string>> = {
  '--server': '--server is the main address of `hearth serve`: port 4040, unless its --port says otherwise.',
  '--to':
    '--to is the address for OTLP over HTTP of `hearth serve`: port 4318, unless its --otlp-http-port says otherwise.',
}

/** Nothing is selected. */
export function isNotFound(error: unknown): error is ApiError {
  return error instanceof Error && isRefusal(error) && error.code === 'not-found'
}

function adviceFor(
  { status, code, message, position, retryAfterSeconds }: ApiError,
  { option, selector = '', advice = {}, file }: Asked,
): string {
  if (position !== undefined && selector !== '') return pointed(selector, position)
  if (status === 401 || status === 403)
    return '--token or HEARTH_TOKEN says who asks; `hearth admin token` makes tokens.'
  if (status === 404 && code === 'refused') return WRONG_PORT[option] ?? ''
  if (file !== undefined && status === 400 && message.includes('?service=')) return 'Here it is --service NAME.'
  if (retryAfterSeconds !== undefined) return `Try again in ${retryAfterSeconds} s.`
  return advice[code] ?? ''
}

/** Characters on each side of the place; a selector may be of thousands. */
const SHOWN = 50

/** The selector on one line, and a caret below the place. */
function pointed(selector: string, position: number): string {
  const text = selector.replaceAll(/\s/g, ' ')
  const from = Math.max(0, position - SHOWN)
  const before = `${from > 0 ? '…' : ''}${text.slice(from, position)}`
  const after = text.slice(position, position + SHOWN)
  return `${before}${after}${position + SHOWN < text.length ? '…' : ''}\n${' '.repeat(before.length)}^`
}
