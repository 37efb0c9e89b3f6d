// All settings of the server: name, help text, parser and default. Flags, environment variables, the file and the table in
// docs/server.md are generated from this list.
import { oidcAccess } from './oidc-access.ts'
import { redaction } from './redaction.ts'
import { retention } from './retention.ts'
import { scrapeConfigs } from './scrape-configs.ts'
import {
  atLeast,
  atMost,
  count,
  duration,
  httpUrl,
  linkTemplate,
  list,
  oneOf,
  port,
  price,
  size,
  someText,
  urls,
  yesOrNo,
} from './setting-values.ts'
import { tenantLimits } from './tenant-limits.ts'

export interface Setting<Value> {
  readonly help: string
  /** A placeholder for the value, shown in help. */
  readonly placeholder: string
  readonly read: (text: string) => Value
  /** As text, so that it is parsed like any other value. */
  readonly byDefault: string | undefined
  /** Whether the value in a file is a list or a mapping of its own form, which `read` gets as JSON. */
  readonly isStructured?: boolean
}

function setting<Value>(
  placeholder: string,
  read: (text: string) => Value,
  byDefault: string,
  help: string,
): Setting<Value> {
  return { placeholder, read, byDefault, help }
}

function optional<Value>(placeholder: string, read: (text: string) => Value, help: string): Setting<Value | undefined> {
  return { placeholder, read, byDefault: undefined, help }
}

/** The eBPF profiler sends names without a folder, so that common libraries of distributions are listed. */
const PUBLIC_BINARIES =
  'ld-*.so*,libc.so*,libc-*.so,libm.so*,libpthread*.so*,libdl.so*,librt.so*,libstdc++.so*,libgcc_s.so*,libssl.so*,libcrypto.so*,' +
  'libz.so*,libzstd.so*,liblzma.so*,libcurl*.so*,libxml2.so*,libsqlite3.so*,libpython3*.so*,libjvm.so,libnss_*.so*,libsystemd*.so*,vmlinux'

const DEFAULT_RETENTION = 'profiles=30d traces=30d logs=30d metrics=30d'

export const settings = {
  host: setting(
    'address',
    someText,
    '127.0.0.1',
    'the address to listen on; any address but loopback requires a token, see `hearth admin token`',
  ),
  port: setting('port', port, '4040', "port of the UI, the API, health, metrics and Pyroscope's API"),
  'otlp-grpc-port': setting('port', port, '4317', 'port of OTLP over gRPC and of the Broker'),
  'otlp-http-port': setting('port', port, '4318', 'port of OTLP over HTTP and of pushes in other formats'),
  data: setting('dir', someText, './hearth-data', 'the data directory with the store, the journal and the tokens'),
  store: optional(
    'url',
    someText,
    'URL of a ClickHouse server for the data, e.g. clickhouse://user:password@host:8123/db?cluster=name; default: the embedded store',
  ),
  'signals-from': optional(
    'url',
    someText,
    "URL of the ClickHouse with the tables of the Collector's ClickHouse exporter, to show their traces, logs and metrics instead of own ones; also the store unless --store is given; see docs/store-cluster.md",
  ),
  'housekeeping-lease': setting(
    'duration',
    atLeast(1, duration),
    '15s',
    'with several servers over one store: how long a server that is gone delays retention, rules and alerts, until another one takes over',
  ),
  'commit-window': setting('duration', duration, '100ms', 'how long requests are collected into one commit'),
  durable: setting('yes/no', yesOrNo, 'no', 'acknowledge a request only after it would also survive a power loss'),
  'dedup-window': setting('duration', duration, '15m', 'how long duplicate requests are detected; 0s disables it'),
  retention: setting(
    'what',
    text => ({ ...retention(DEFAULT_RETENTION), ...retention(text) }),
    DEFAULT_RETENTION,
    "retention by age and size, e.g. '30d' for all signals or 'profiles=30d,50GiB traces=7d logs=forever'; signals that are not named have 30 days",
  ),
  'first-token': optional(
    'file',
    someText,
    'file with the first token of this server, for installations by script; it is added with all scopes unless the server ever had a token',
  ),
  'audit-retention': setting(
    'duration',
    atLeast(1, duration),
    '400d',
    'how long the audit log is kept; see `hearth admin audit`',
  ),
  redaction: {
    ...setting(
      'rules',
      redaction,
      '[]',
      `rules that remove or hash values before they are stored, as YAML or JSON, e.g. '[{action: hash, key: user.email}]'; see docs/security.md`,
    ),
    isStructured: true,
  },
  'redaction-key': optional(
    'file',
    someText,
    'file with the secret key of hashes, for servers that share a store; default: a random key in the data directory',
  ),
  'scrape-configs': {
    ...setting(
      'jobs',
      scrapeConfigs,
      '[]',
      `programs to fetch pprof profiles from, as YAML or JSON, e.g. '[{job_name: shop, static_configs: [{targets: [localhost:6060]}]}]'; see docs/scraping.md`,
    ),
    isStructured: true,
  },
  'max-body': setting('size', size, '64MiB', 'maximum size of a request after decompression'),
  'max-attributes': setting('count', count, '1024', 'maximum number of attributes per item'),
  'max-in-flight': setting(
    'size',
    size,
    '512MiB',
    'memory for requests that are not committed yet, decoded; when it is full, senders are told to retry later',
  ),
  'max-backlog': setting(
    'size',
    size,
    '1GiB',
    'maximum size of committed data that is not in the store yet; beyond it, senders are told to retry later',
  ),
  'engine-memory': optional(
    'size',
    size,
    "memory limit of the embedded store; default: 40 % of the machine's memory, at most 4GiB",
  ),
  'query-timeout': setting('duration', atLeast(1, duration), '30s', 'timeout of a query'),
  'query-memory': setting('size', atLeast(2 ** 20, size), '1GiB', 'memory limit of the store for one query'),
  'query-rows': setting(
    'count',
    atLeast(1, count),
    '2000000',
    'maximum number of stacks, points, profiles or events that a query may read',
  ),
  'query-nodes': setting('count', atLeast(1, count), '1000000', 'maximum number of nodes or rows in a response'),
  'query-slots': setting('count', atLeast(1, count), '8', 'maximum number of concurrent queries per tenant'),
  'query-queue': setting('count', count, '64', 'maximum number of waiting queries per tenant'),
  'query-slots-total': setting('count', atLeast(1, count), '12', 'maximum number of concurrent queries of all tenants'),
  'export-samples': setting(
    'count',
    atLeast(1, count),
    '5000000',
    'maximum number of samples in one exported file; streamed exports are not limited',
  ),
  'tenant-limits': setting(
    'what',
    tenantLimits,
    '',
    "query limits of single tenants, e.g. 'shop=timeout:60s,memory:2GiB,slots:16 lab=slots:2,queue:8'; also rows, nodes and export-samples",
  ),
  symbols: setting(
    'list',
    list,
    '',
    'folders with binaries and debug files, also in the layout of /usr/lib/debug, for the names of native frames; separated by commas',
  ),
  'symbols-quota': setting('size', size, '10GiB', 'maximum size of the debug files of one tenant'),
  'symbols-max-file': setting('size', atMost(2 ** 31 - 1, size), '1GiB', 'maximum size of one debug file, up to 2GiB'),
  'symbols-cache': setting(
    'size',
    size,
    '5GiB',
    'maximum size of debug files from folders and debuginfod servers; the least recently used are dropped',
  ),
  debuginfod: setting(
    'list',
    urls,
    '',
    'debuginfod servers to fetch debug files from, such as https://debuginfod.debian.net, separated by commas; they learn the build ids of binaries that run here',
  ),
  'debuginfod-binaries': setting(
    'list',
    list,
    PUBLIC_BINARIES,
    'names of public binaries, with * for any text, whose debug files may be requested from debuginfod servers, besides files in system folders such as /usr/lib; * allows all',
  ),
  broker: setting('yes/no', yesOrNo, 'yes', 'run the Broker on the port of OTLP over gRPC'),
  'broker-subscriptions': setting('count', atLeast(1, count), '4096', 'maximum number of components per tenant'),
  'broker-event-size': setting('size', atLeast(2 ** 10, size), '16MiB', 'maximum size of an event, up to max-body'),
  'broker-queue': setting('count', atLeast(1, count), '64', 'maximum number of events that wait for a slow component'),
  'broker-rate': setting(
    'count',
    atLeast(1, count),
    '10000',
    'maximum number of events per second from one component; it is throttled beyond',
  ),
  'broker-memory': setting('size', atLeast(2 ** 20, size), '128MiB', 'memory for waiting events of all components'),
  'broker-environments': optional(
    'file',
    someText,
    'YAML file with the variables of environments (tenant, environment, name), for rules and components',
  ),
  'broker-nats': optional(
    'url',
    someText,
    'NATS server that connects the Brokers of several servers, e.g. nats://host:4222',
  ),
  'broker-nats-credentials': optional('file', someText, '.creds file of this server for NATS'),
  'broker-nats-ca': optional('file', someText, 'CA certificates (PEM) of the NATS server'),
  'broker-nats-cert': optional('file', someText, 'client certificate (PEM) of this server for NATS'),
  'broker-nats-key': optional('file', someText, 'private key (PEM) of broker-nats-cert'),
  'trigger-budget': setting(
    'count',
    atLeast(1, count),
    '10',
    'maximum number of captures that the triggers of a tenant may start per minute',
  ),
  'capture-grace': setting(
    'duration',
    duration,
    '30s',
    'how long a component may take to respond to a capture after the recording',
  ),
  monitor: setting(
    'duration',
    duration,
    '20s',
    'how often services are compared for regressions and rules are evaluated; 0s disables both',
  ),
  rules: optional(
    'file',
    someText,
    'YAML file with recording rules, alert rules and receivers, read again when it changes; see docs/alerts.md',
  ),
  'rules-otlp': optional(
    'url',
    httpUrl,
    'OTLP/HTTP endpoint that also gets the points of recording rules, e.g. http://collector:4318',
  ),
  'core-hour-price': optional('number', price, 'price of a core for an hour, for reports, e.g. 0.04 or 0.04EUR'),
  'client-timeout': setting(
    'duration',
    atLeast(1000, duration),
    '60s',
    'requests that take longer to arrive are ended. Over HTTP, clients that read nothing of a response for this long are disconnected, too',
  ),
  'disk-reserve': setting('size', size, '256MiB', 'free disk space to keep; below it, requests are rejected'),
  'verify-period': setting(
    'duration',
    duration,
    '7d',
    'all stored data is checked for damage once in this time, except in a ClickHouse cluster; 0s disables it',
  ),
  'verify-rate': setting(
    'size',
    atLeast(2 ** 10, size),
    '16MiB',
    'maximum number of bytes per second that this check reads',
  ),
  source: setting(
    'list',
    list,
    '',
    'folders with source code, separated by commas, to show the text beside the lines of profiles; every tenant can read their visible files',
  ),
  'source-link': optional(
    'template',
    linkTemplate,
    'address of a source line, e.g. https://git.example/{repo}/blob/{revision}/{path}#L{line}; repo and revision come from the resource attributes vcs.repository.url.full and vcs.ref.head.revision',
  ),
  'self-profile': setting('yes/no', yesOrNo, 'yes', 'profile the server itself as the service hearth'),
  'tls-cert': optional('file', someText, 'certificate chain (PEM) for all ports'),
  'tls-key': optional('file', someText, 'private key (PEM) of tls-cert'),
  'tls-client-ca': optional(
    'file',
    someText,
    'CA certificates (PEM) of clients; if set, every client needs a certificate',
  ),
  'allowed-hosts': setting(
    'list',
    list,
    '',
    'names of this server that requests may use as their host, separated by commas; loopback names always may, and others may if the list is empty and the server requires a token',
  ),
  'cors-origins': setting('list', list, '', 'origins whose pages may send requests, separated by commas; * for all'),
  'public-url': optional(
    'url',
    httpUrl,
    'URL of the UI as browsers see it, e.g. https://hearth.example; default: the host of each request',
  ),
  'oidc-issuer': optional('url', httpUrl, 'URL of the OpenID Connect provider at which people sign in'),
  'oidc-client-id': setting('id', someText, 'hearth', 'the id of this server at the provider'),
  'oidc-client-secret': optional(
    'file',
    someText,
    'file with the secret of oidc-client-id; not needed for public clients',
  ),
  'oidc-scopes': setting(
    'text',
    someText,
    'openid profile email',
    'OpenID Connect scopes to request, separated by spaces',
  ),
  'oidc-access': setting(
    'rules',
    oidcAccess,
    '',
    "access of people by their claims, e.g. 'groups:shop-team=tenants:shop,scopes:read+capture hd:example.com=scopes:read *=tenants:demo'",
  ),
  'oidc-session': setting('duration', atLeast(60_000, duration), '12h', 'how long people stay signed in'),
  'log-level': setting('level', oneOf('debug', 'info', 'warn', 'error'), 'info', 'debug, info, warn or error'),
  'log-format': setting('format', oneOf('auto', 'json', 'text'), 'auto', 'json, text, or auto: text on a terminal'),
  'shutdown-timeout': setting('duration', duration, '20s', 'maximum duration of a graceful shutdown'),
} as const

export type SettingName = keyof typeof settings
type ValueOf<S> = S extends Setting<infer Value> ? Value : never

export type Config = { readonly [Name in SettingName]: ValueOf<(typeof settings)[Name]> }

export const SETTING_NAMES = Object.keys(settings) as SettingName[]

export function environmentName(name: SettingName): string {
  return `HEARTH_${name.toUpperCase().replaceAll('-', '_')}`
}
