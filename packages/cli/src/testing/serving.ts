// A server in a separate process on free ports: the embedded engine would keep a test's thread from ending.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { BUILT_HEARTH } from './built-command.ts'

export interface Serving {
  /** The main address. */
  readonly main: string
  /** The address for OTLP over HTTP. */
  readonly otlp: string
  /** `host:port` of OTLP over gRPC and of the Broker. */
  readonly grpc: string
  stop(): Promise<void>
}

export async function startServing(data: string): Promise<Serving> {
  const ports = [
    '--port',
    '0',
    '--otlp-grpc-port',
    '0',
    '--otlp-http-port',
    '0',
    '--commit-window',
    '10ms',
    '--self-profile',
    'no',
  ]
  const node = [BUILT_HEARTH, 'serve', ...ports, '--data', data]
  const child = spawn(process.execPath, node, { env: { PATH: process.env['PATH'] } })
  const ended = once(child, 'close')
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  while (!stdout.includes('/metrics\n')) {
    await Promise.race([once(child.stdout, 'data'), ended])
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}:\n${stderr}`)
  }
  const found = /gRPC +(\S+)\n.*HTTP +(\S+)\n.*health +(\S+)\/api\/v1\//.exec(stdout)
  if (found === null) throw new Error(stdout)
  return {
    main: found[3],
    otlp: found[2],
    grpc: found[1],
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
