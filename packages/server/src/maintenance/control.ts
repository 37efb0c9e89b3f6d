// The way of `hearth admin` to a running server: a Unix socket that only the owner of the data directory can use.
//   control.json    the path of the socket, and the server's process
// A request is a POST of JSON arguments to /COMMAND. The response is one JSON object per line: {"progress": TEXT} any number of
// times, then {"result": …} or {"error": TEXT}.
import { createHash } from 'node:crypto'
import { chmod, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { StateFile } from '../files/state-file.ts'
import { errorCode, messageOf } from '../files/file-disk.ts'

export type ControlHandler = (
  argument: unknown,
  progress: (message: string) => void,
  signal: AbortSignal,
) => Promise<unknown>

interface ControlFile {
  readonly socket: string
  readonly pid: number
}

/** The system's limit for the path of a socket is 108 bytes. */
const MAX_SOCKET_PATH = 100
const MAX_ARGUMENT = 65_536

/** The server reports why a command failed. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
}

function controlFile(dataDirectory: string): StateFile<ControlFile> {
  return new StateFile(join(dataDirectory, 'control.json'), {
    parse: json => {
      const { socket, pid } = json as Partial<ControlFile>
      if (typeof socket !== 'string' || typeof pid !== 'number') throw new Error('not the address of a server')
      return { socket, pid }
    },
    optional: true,
    durable: false,
    shortLived: true,
  })
}

/** Returns the function that closes the socket. */
export async function openControl(
  dataDirectory: string,
  handlers: Readonly<Record<string, ControlHandler>>,
): Promise<() => Promise<void>> {
  const socket = socketPath(dataDirectory)
  await rm(socket, { force: true })
  const stopping = new AbortController()
  const server = createServer((incoming, response) => void handle(handlers, incoming, response, stopping.signal))
  await new Promise<void>((done, failed) => server.once('error', failed).listen(socket, done))
  await chmod(socket, 0o600)
  const file = controlFile(dataDirectory)
  await file.write({ socket, pid: process.pid })
  return async () => {
    stopping.abort()
    await file.remove()
    server.closeIdleConnections()
    await new Promise(done => server.close(done))
    await rm(socket, { force: true })
  }
}

function socketPath(dataDirectory: string): string {
  const path = resolve(dataDirectory, 'control.sock')
  if (path.length <= MAX_SOCKET_PATH) return path
  const name = createHash('sha256').update(path).digest('hex').slice(0, 16)
  return join(tmpdir(), `hearth-${process.pid}-${name}.sock`)
}

async function handle(
  handlers: Readonly<Record<string, ControlHandler>>,
  incoming: IncomingMessage,
  response: ServerResponse,
  stopping: AbortSignal,
): Promise<void> {
  const line = (content: object): void => void response.write(`${JSON.stringify(content)}\n`)
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  try {
    let text = ''
    for await (const piece of incoming) {
      text += String(piece)
      if (text.length > MAX_ARGUMENT) throw new Error('the arguments are too long')
    }
    const handler = handlers[(incoming.url ?? '').slice(1)]
    if (incoming.method !== 'POST' || handler === undefined)
      throw new Error('the running server does not know this command')
    const signal = AbortSignal.any([gone.signal, stopping])
    line({ result: (await handler(JSON.parse(text), message => line({ progress: message }), signal)) ?? {} })
  } catch (error) {
    line({ error: messageOf(error) })
  }
  response.end()
}

/** Runs a command in the server. Returns undefined if none has the directory open. */
export async function callServer(
  dataDirectory: string,
  command: string,
  argument: object,
  progress: (message: string) => void,
): Promise<{ readonly result: unknown } | undefined> {
  const response = await openRequest(dataDirectory, command, argument)
  if (response === undefined) return undefined
  for await (const text of createInterface({ input: response })) {
    const line = JSON.parse(text) as { progress?: string; error?: string; result?: unknown }
    if (line.progress !== undefined) progress(line.progress)
    else if (line.error !== undefined) throw new ControlError(line.error)
    else return { result: line.result }
  }
  throw new ControlError('the server ended before the command was complete')
}

async function openRequest(
  dataDirectory: string,
  command: string,
  argument: object,
): Promise<IncomingMessage | undefined> {
  const address = controlFile(dataDirectory).read().content
  if (address === undefined) return undefined
  return new Promise((found, failed) => {
    const sent = request({ socketPath: address.socket, method: 'POST', path: `/${command}` }, found)
    sent.once('error', error => {
      // The file is left from a server that was killed.
      if (['ENOENT', 'ECONNREFUSED'].includes(errorCode(error))) found(undefined)
      else failed(error)
    })
    sent.end(JSON.stringify(argument))
  })
}
