// `hearth serve`: runs the server. Settings are flags, environment variables or lines of a file. One list defines them all.
import { Option } from 'commander'
import type { Command } from 'commander'
import type { SettingName } from '@hearth/server/administration'
import { SETTING_NAMES, loadConfig, settings } from '@hearth/server/administration'
import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { examples } from '../../options.ts'
import { print } from '../../terminal/output.ts'

export function addServe(program: Command, context: Context, version: string): void {
  const command = program
    .command('serve')
    .summary('run the server')
    .description(
      'Runs the server: receives profiles, traces, logs and metrics over OTLP, stores them, and serves the API and the UI. ' +
        'Every option has an environment variable, such as HEARTH_OTLP_GRPC_PORT for --otlp-grpc-port, and can be set in the ' +
        '--config file. Options override variables, and variables override the file. See docs/server.md.',
    )
    .option('--config <file>', 'YAML file with settings, such as `port: 4040`')
  for (const name of SETTING_NAMES) command.addOption(settingOption(name))
  command
    .addHelpText(
      'after',
      examples(
        ['hearth serve', 'for this machine only, data in ./hearth-data'],
        ["hearth serve --retention '30d profiles=7d,50GiB'", 'shorter retention for profiles'],
        ['hearth serve --config hearth.yaml', 'settings from a file'],
      ),
    )
    .action(async (options: Readonly<Record<string, string | true | undefined>>) => serve(options, context, version))
}

function settingOption(name: SettingName): Option {
  const { placeholder, help, byDefault } = settings[name]
  const note = byDefault === undefined || byDefault === '' ? '' : ` (${byDefault})`
  // A boolean option without a value means yes.
  const value = placeholder === 'yes/no' ? '[yes/no]' : `<${placeholder}>`
  return new Option(`--${name} ${value}`, `${help}${note}`)
}

async function serve(
  options: Readonly<Record<string, string | true | undefined>>,
  context: Context,
  version: string,
): Promise<void> {
  const flags: Partial<Record<SettingName, string>> = {}
  for (const name of SETTING_NAMES) {
    const value = options[camelCase(name)]
    if (value !== undefined) flags[name] = String(value)
  }
  const file = options['config'] === undefined ? undefined : String(options['config'])
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
    const agent = config['self-profile'] ? profileItself({ receiver: server.receiver, log, version }) : undefined
    // Before the addresses are printed: whoever reads them may send a signal at once.
    const stopped = stopSignal()
    const { ports } = server
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
    return new CliError(1, error.message, `The port is in use. Choose another one, such as --port 4041.`, cause)
  if (code === 'EACCES' || code === 'ENOENT') return new CliError(1, error.message, '', cause)
  return error
}

function camelCase(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
