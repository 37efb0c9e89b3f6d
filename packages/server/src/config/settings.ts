// Every setting of the server, once: its name as a flag and in the file, what it means, how it is read, and what holds when
// nobody says otherwise. Flags, environment variables, the file and the table in docs/server.md all come from this list.
import { retention } from './retention.ts'
import { count, duration, list, oneOf, port, size, someText, yesOrNo } from './setting-values.ts'

export interface Setting<Value> {
  readonly help: string
  /** What the value looks like, in help. */
  readonly shows: string
  readonly read: (text: string) => Value
  /** As text, so that it is read like any other. */
  readonly byDefault: string | undefined
}

function setting<Value>(shows: string, read: (text: string) => Value, byDefault: string, help: string): Setting<Value> {
  return { shows, read, byDefault, help }
}

function optional<Value>(shows: string, read: (text: string) => Value, help: string): Setting<Value | undefined> {
  return { shows, read, byDefault: undefined, help }
}

/** Of what nobody says otherwise. */
const KEPT = 'profiles=30d traces=30d logs=30d metrics=30d'

export const settings = {
  host: setting(
    'address',
    someText,
    '127.0.0.1',
    'the address to listen on; any but loopback needs a token, see `hearth admin token`',
  ),
  port: setting('port', port, '4040', "the API, health, metrics, and what Pyroscope's clients send"),
  'otlp-grpc-port': setting('port', port, '4317', 'OTLP over gRPC'),
  'otlp-http-port': setting('port', port, '4318', 'OTLP over HTTP, and pushes of other formats'),
  data: setting('dir', someText, './hearth-data', 'where everything is kept: the store, the journal, the tokens'),
  store: optional(
    'url',
    someText,
    'a ClickHouse to keep data in, as clickhouse://user:password@host:8123/db?cluster=name; the embedded store unless given',
  ),
  'commit-window': setting('duration', duration, '100ms', 'how long requests are gathered into one commit'),
  durable: setting('yes/no', yesOrNo, 'no', 'acknowledge a request only when it would survive a power loss, too'),
  'dedup-window': setting(
    'duration',
    duration,
    '15m',
    'how long a request that is sent again is recognised; 0s turns it off',
  ),
  retention: setting(
    'what',
    text => ({ ...retention(KEPT), ...retention(text) }),
    KEPT,
    "how long and how much to keep, as '30d' for everything or 'profiles=30d,50GiB traces=7d logs=forever'; a signal that is not named is kept for 30 days",
  ),
  'max-body': setting('size', size, '64MiB', 'the largest request, after decompression'),
  'max-attributes': setting('count', count, '1024', 'the most attributes that one item may have'),
  'max-in-flight': setting(
    'size',
    size,
    '256MiB',
    'memory for requests that are not committed yet; beyond it senders are told to wait',
  ),
  'max-backlog': setting(
    'size',
    size,
    '1GiB',
    'committed data that the store has not taken yet; beyond it senders are told to wait',
  ),
  'engine-memory': optional(
    'size',
    size,
    "memory that the embedded store may take; unless given 40 % of the machine's, 4GiB at the most",
  ),
  'disk-reserve': setting('size', size, '256MiB', 'disk space that is left free: below it nothing is accepted'),
  'tls-cert': optional('file', someText, 'certificate chain (PEM) for all ports'),
  'tls-key': optional('file', someText, 'its private key (PEM)'),
  'tls-client-ca': optional(
    'file',
    someText,
    'certificates (PEM) of those who sign clients; then each client must have one',
  ),
  'cors-origins': setting('list', list, '', 'origins whose pages may send and ask, separated by commas; * for all'),
  'log-level': setting('level', oneOf('debug', 'info', 'warn', 'error'), 'info', 'debug, info, warn or error'),
  'log-format': setting('format', oneOf('auto', 'json', 'text'), 'auto', 'json, text, or auto: text on a terminal'),
  'shutdown-timeout': setting('duration', duration, '20s', 'how long an orderly end may take'),
} as const

export type SettingName = keyof typeof settings
type ValueOf<S> = S extends Setting<infer Value> ? Value : never

/** All settings, read. */
export type Config = { readonly [Name in SettingName]: ValueOf<(typeof settings)[Name]> }

export const SETTING_NAMES = Object.keys(settings) as SettingName[]

export function environmentName(name: SettingName): string {
  return `HEARTH_${name.toUpperCase().replaceAll('-', '_')}`
}
