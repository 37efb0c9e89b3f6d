// Runs the server until a signal ends the process, for `hearth serve` and `hearth demo`.
import type { HearthServer } from '@hearth/server'
import type { SettingName } from '@hearth/server/administration'
import { loadConfig } from '@hearth/server/administration'
import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { print } from '../../terminal/output.ts'

export interface ServerRun {
  readonly flags: Partial<Record<SettingName, string>>
  /** A YAML file with settings. */
  readonly file?: string | undefined
  readonly context: Context
  readonly version: string
  /** Whether the server's own process can be captured over the Broker. */
  readonly isCapturable?: boolean
  /** Called when the server is ready, with the address of the UI. */
  readonly onReady?: (server: HearthServer, address: string) => Promise<void>
}

export async function runServer({ flags, file, context, version, isCapturable, onReady }: ServerRun): Promise<void> {
  try {
    const config = loadConfig({ flags, env: context.env ?? {}, file })
    // Loaded only here: other commands need no store.
    const { HearthServer, openLog, profileItself } = await import('@hearth/server')
    const text = config['log-format'] === 'text' || (config['log-format'] === 'auto' && context.stderr.isTTY === true)
    const log = openLog({
      level: config['log-level'],
      format: text ? 'text' : 'json',
      write: line => void context.stderr.write(line, () => undefined),
    })
    const server = await HearthServer.start({ config, log, version })
    const { ports } = server
    const brokerEndpoint = isCapturable === true ? `127.0.0.1:${ports.otlpGrpc}` : undefined
    const agent = config['self-profile']
      ? profileItself({ receiver: server.receiver, log, version, brokerEndpoint })
      : undefined
    // Before the addresses are printed: whoever reads them may send a signal at once.
    const stopped = stopSignal()
    const scheme = config['tls-cert'] === undefined ? 'http' : 'https'
    const host = config.host.includes(':') ? `[${config.host}]` : config.host
    await print(
      context.stdout,
      `Hearth ${version} is ready. Data directory: ${config.data}${config.store === undefined ? '' : ' (store: ClickHouse)'}\n` +
        `  OTLP over gRPC     ${host}:${ports.otlpGrpc}\n` +
        `  OTLP over HTTP     ${scheme}://${host}:${ports.otlpHttp}\n` +
        `  API, health        ${scheme}://${host}:${ports.http}/api/v1/, /readyz, /metrics\n` +
        `  UI                 ${scheme}://${host}:${ports.http}/\n`,
    )
    await onReady?.(server, `${scheme}://${host}:${ports.http}/`)
    const signal = await stopped
    log.info({ signal }, 'ending')
    endAfter(PATIENCE * config['shutdown-timeout'], () => log.error({}, 'the shutdown takes too long; ending now'))
    await agent?.stop()
    await server.close()
    log.info({}, 'ended')
  } catch (error) {
    throw serveError(error)
  }
}

/** The parts of the server stop one after the other, most of them within the timeout or half of it. */
const PATIENCE = 3

/** Ends the process after this time, whatever it waits for. Everything acknowledged is in the journal, so that nothing is lost. */
function endAfter(milliseconds: number, onTimeout: () => void): void {
  const end = (): void => {
    onTimeout()
    endNow()
  }
  setTimeout(end, milliseconds).unref()
}

/** `process.exit` would destroy the engine's objects while its threads use them, and crash or never end. */
function endNow(): void {
  process.kill(process.pid, 'SIGKILL')
}

/** Resolves at the first SIGINT or SIGTERM. A second one ends the process at once. */
function stopSignal(): Promise<string> {
  return new Promise(resolve => {
    let isStopping = false
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (isStopping) endNow()
        isStopping = true
        resolve(signal)
      })
    }
  })
}

/** Explains errors that the person who starts the server can fix. Returns others unchanged. */
function serveError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const cause = { cause: error }
  switch (error.name) {
    case 'ConfigError':
      return new CliError(2, error.message, '`hearth serve --help` lists the settings.', cause)
    case 'AccessFileError':
    case 'ClickHouseUrlError':
    case 'SchemaTooNewError':
    case 'EngineError':
    case 'DirectoryInUseError':
      return new CliError(1, error.message, '', cause)
  }
  const code = 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE' || error.message.includes('EADDRINUSE'))
    return new CliError(
      1,
      error.message,
      'The port is in use. Choose others with --port, --otlp-grpc-port and --otlp-http-port.',
      cause,
    )
  if (code === 'EACCES' || code === 'ENOENT') return new CliError(1, error.message, '', cause)
  return error
}
