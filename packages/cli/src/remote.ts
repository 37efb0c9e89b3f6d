// Servers as commands speak with them: the options that say which, and their errors in words.
import type { ApiError, HearthClient, UnreachableError } from '@hearth/client'
import type { Command } from 'commander'
import type { Context } from './context.ts'
import { CliError } from './errors.ts'

export interface RemoteOptions {
  readonly token?: string
  readonly tenant?: string
}

export function addRemoteOptions(command: Command): Command {
  return command
    .option('--token <token>', 'who asks; HEARTH_TOKEN unless given, which others on the machine do not see')
    .option('--tenant <name>', "whose data; the token's first tenant unless given")
}

/** Throws a usage error for what is no address. `option` is the one that has it. */
export async function connect(
  server: string,
  option: string,
  { token, tenant }: RemoteOptions,
  context: Context,
): Promise<HearthClient> {
  if (!/^https?:$/.test(protocolOf(server))) {
    throw new CliError(2, `${option}: ${JSON.stringify(server)} is no address`, 'Write it as http://127.0.0.1:4040.')
  }
  const { HearthClient: Client } = await import('@hearth/client')
  const secret = token ?? context.env?.['HEARTH_TOKEN'] ?? ''
  return new Client({
    server,
    ...(secret === '' ? {} : { token: secret }),
    ...(tenant === undefined ? {} : { tenant }),
  })
}

function protocolOf(text: string): string {
  return URL.canParse(text) ? new URL(text).protocol : ''
}

export interface Asked {
  /** The option with the address. */
  readonly option: string
  /** What the error is about: a selector to point into. */
  readonly selector?: string
  /** A file, for pushes. */
  readonly file?: string
}

/** What went wrong with a server, for people. Passes on what is not about one. */
export function aboutServer(error: unknown, { option, selector = '', file }: Asked): unknown {
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
  return new CliError(1, `${about}${error.message}`, adviceFor(error, selector), cause)
}

// By name, so that the client is loaded only by commands that ask a server.
function isUnreachable(error: Error): error is UnreachableError {
  return error.name === 'UnreachableError'
}

function isRefusal(error: Error): error is ApiError {
  return error.name === 'ApiError'
}

function adviceFor({ status, position, retryAfterSeconds }: ApiError, selector: string): string {
  if (position !== undefined && selector !== '') return pointed(selector, position)
  if (status === 401 || status === 403)
    return '--token or HEARTH_TOKEN says who asks; `hearth admin token` makes tokens.'
  if (retryAfterSeconds !== undefined) return `Try again in ${retryAfterSeconds} s.`
  return ''
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
