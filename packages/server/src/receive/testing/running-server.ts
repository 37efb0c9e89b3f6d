// A complete server on free ports, with the embedded engine in the test's directory.
import type { Config, SettingName } from '../../config/settings.ts'
import { loadConfig } from '../../config/load-config.ts'
import { openLog } from '../../observe/log.ts'
import { HearthServer } from '../../server.ts'
import type { Signal } from '../../store/keeper.ts'
import { requestId } from '../request-id.ts'

export interface RunningServer {
  readonly server: HearthServer
  readonly otlp: string
  readonly main: string
  /** Log lines from `debug` up. */
  readonly log: string[]
}

export function configFor(data: string, flags: Readonly<Partial<Record<SettingName, string>>> = {}): Config {
  const ports = { port: '0', 'otlp-grpc-port': '0', 'otlp-http-port': '0' }
  return loadConfig({ flags: { data, 'commit-window': '10ms', ...ports, ...flags }, env: {} })
}

export async function startServer(
  data: string,
  flags: Readonly<Partial<Record<SettingName, string>>> = {},
): Promise<RunningServer> {
  const log: string[] = []
  const server = await HearthServer.start({
    config: configFor(data, flags),
    log: openLog({ level: 'debug', format: 'json', write: line => log.push(line) }),
    version: 'test',
  })
  const scheme = flags['tls-cert'] === undefined ? 'http' : 'https'
  return {
    server,
    otlp: `${scheme}://127.0.0.1:${server.ports.otlpHttp}`,
    main: `${scheme}://127.0.0.1:${server.ports.http}`,
    log,
  }
}

/** The id of the stored request with this body. */
export function idOf(signal: Signal, body: Uint8Array): Uint8Array {
  return requestId(signal, body)
}
