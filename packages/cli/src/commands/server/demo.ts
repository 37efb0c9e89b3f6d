// `hearth demo`: a server with the data of an imaginary shop, to try Hearth without a service of one's own.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { SettingName } from '@hearth/server/administration'
import { isLoopback } from '@hearth/server/administration'
import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { examples } from '../../options.ts'
import { print } from '../../terminal/output.ts'
import { runServer } from './run-server.ts'

interface DemoOptions {
  readonly data?: string
  readonly host?: string
  readonly port?: string
  readonly otlpGrpcPort?: string
  readonly otlpHttpPort?: string
}

const TENANT = 'default'
/** The server's own process is captured once, so that the Captures screen has something to show. */
const CAPTURED = { service: 'hearth', type: 'cpu', durationMs: 3000 } as const
const CAPTURE_ATTEMPTS = 20
const CAPTURE_RETRY_MS = 500

export function addDemo(program: Command, context: Context, version: string): void {
  program
    .command('demo')
    .summary('run a server with the data of an imaginary shop')
    .description(
      'Runs a server with the data of an imaginary shop: four services with profiles, traces, logs and metrics of the last hour and from now on. ' +
        'One deployment made a service slower, searches delay other requests, and a lock is held for too long. ' +
        'Everything is deleted at the end unless --data is given.',
    )
    .option('--data <dir>', 'data directory, which is kept; default: a temporary one')
    .option('--host <host>', 'address to listen on')
    .option('--port <port>', 'port of the UI and the API (4040)')
    .option('--otlp-grpc-port <port>', 'port of OTLP over gRPC (4317)')
    .option('--otlp-http-port <port>', 'port of OTLP over HTTP (4318)')
    .addHelpText(
      'after',
      examples(['hearth demo', 'then open http://127.0.0.1:4040'], ['hearth demo --port 4141', 'on another port']),
    )
    .action(async (options: DemoOptions) => demo(options, context, version))
}

async function demo(options: DemoOptions, context: Context, version: string): Promise<void> {
  const { data, host, port, otlpGrpcPort, otlpHttpPort } = options
  // A token would have to be in the temporary directory, which is new each time.
  if (host !== undefined && data === undefined && !isLoopback(host))
    throw new CliError(
      2,
      `host ${host} is reachable from other machines and requires a token, so the demo needs --data`,
      '`hearth admin token create --data demo-data --scope read`, then `hearth demo --data demo-data` with the same host.',
    )
  const directory = data ?? mkdtempSync(join(tmpdir(), 'hearth-demo-'))
  const given: Partial<Record<SettingName, string | undefined>> = {
    host,
    port,
    'otlp-grpc-port': otlpGrpcPort,
    'otlp-http-port': otlpHttpPort,
  }
  const flags = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  try {
    await runServer({
      // Regressions are found within seconds.
      flags: { monitor: '5s', ...flags, data: directory },
      context,
      version,
      isCapturable: true,
      onReady: async (server, address) => {
        const started = Date.now()
        server.demo.load(TENANT)
        await server.demo.loaded(TENANT)
        await server.store.visible()
        const seconds = ((Date.now() - started) / 1000).toFixed(1)
        await print(context.stdout, `The demo has its data after ${seconds} s. Open ${address}\n`)
        await captureItself(address)
      },
    })
  } finally {
    if (data === undefined && existsSync(directory)) rmSync(directory, { recursive: true, force: true })
  }
}

/** Waits until the server's process is known to the Broker. A server with tokens rejects the request, and has no capture then. */
async function captureItself(address: string): Promise<void> {
  const { HearthClient } = await import('@hearth/client')
  const client = new HearthClient({ server: address.replace(/\/$/, '') })
  for (let i = 0; i < CAPTURE_ATTEMPTS; i++)
    try {
      await client.act('startCapture', CAPTURED)
      return
    } catch {
      await sleep(CAPTURE_RETRY_MS)
    }
}
