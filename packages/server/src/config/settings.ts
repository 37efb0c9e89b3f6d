// Every setting of the server, once: its name as a flag and in the file, what it means, how it is read, and what holds when
// nobody says otherwise. Flags, environment variables, the file and the table in docs/server.md all come from this list.
import { retention } from './retention.ts'
import { atLeast, count, duration, list, oneOf, port, size, someText, yesOrNo } from './setting-values.ts'
import { tenantLimits } from './tenant-limits.ts'

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
  port: setting('port', port, '4040', "the page, the API, health, metrics, and what Pyroscope's clients send and ask"),
  'otlp-grpc-port': setting('port', port, '4317', 'OTLP over gRPC, and the Broker'),
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
  'query-timeout': setting('duration', atLeast(1, duration), '30s', 'how long one question may take'),
  'query-memory': setting('size', atLeast(2 ** 20, size), '1GiB', 'memory that the store may take for one question'),
  'query-rows': setting(
    'count',
    atLeast(1, count),
    '2000000',
    'the most stacks, points, profiles or events that one question may find',
  ),
  'query-nodes': setting('count', atLeast(1, count), '1000000', 'the most nodes or rows that may be asked for'),
  'query-slots': setting(
    'count',
    atLeast(1, count),
    '8',
    'how many questions of a tenant are answered at the same time',
  ),
  'query-queue': setting('count', count, '64', 'how many more of a tenant may wait for their turn'),
  'query-slots-total': setting(
    'count',
    atLeast(1, count),
    '12',
    'how many questions of all tenants are answered at the same time',
  ),
  'export-samples': setting(
    'count',
    atLeast(1, count),
    '5000000',
    'the most samples in one exported file; exports that are sent as they are read have no such limit',
  ),
  'tenant-limits': setting(
    'what',
    tenantLimits,
    '',
    "tenants that have other limits on questions, as 'shop=timeout:60s,memory:2GiB,slots:16 lab=slots:2,queue:8'; also rows, nodes and export-samples",
  ),
  broker: setting('yes/no', yesOrNo, 'yes', 'take part as a Broker, on the port of OTLP over gRPC'),
  'broker-subscriptions': setting('count', atLeast(1, count), '4096', 'the most components of a tenant at the Broker'),
  'broker-event-size': setting('size', atLeast(2 ** 10, size), '16MiB', 'the largest event; at the most max-body'),
  'broker-queue': setting(
    'count',
    atLeast(1, count),
    '64',
    'how many events may wait for a component that reads slowly',
  ),
  'broker-rate': setting(
    'count',
    atLeast(1, count),
    '10000',
    'events a second that are taken from one component; it waits with the rest',
  ),
  'broker-memory': setting('size', atLeast(2 ** 20, size), '128MiB', 'memory for events that wait, of all components'),
  'broker-environments': optional(
    'file',
    someText,
    'variables of environments (YAML: tenant, environment, name), for rules and components',
  ),
  'broker-nats': optional(
    'url',
    someText,
    'a NATS server over which the Brokers of several servers find each other, as nats://host:4222',
  ),
  'broker-nats-credentials': optional('file', someText, 'who this server is to NATS, a .creds file'),
  'broker-nats-ca': optional('file', someText, 'certificates (PEM) of those who sign that NATS server'),
  'broker-nats-cert': optional('file', someText, 'certificate (PEM) that this server shows to NATS'),
  'broker-nats-key': optional('file', someText, 'its private key (PEM)'),
  'trigger-budget': setting(
    'count',
    atLeast(1, count),
    '10',
    'captures that the triggers of a tenant may start in a minute',
  ),
  'disk-reserve': setting('size', size, '256MiB', 'disk space that is left free: below it nothing is accepted'),
  'self-profile': setting('yes/no', yesOrNo, 'yes', 'profile the server itself, as service hearth'),
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
