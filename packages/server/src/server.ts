// The complete server: the store, the receivers on their ports, health and metrics. Parts start in dependency order and stop
// in reverse order.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_TENANT, LiveAccess, accessFileIn } from './access/access-file.ts'
import type { AuditEvent } from './access/audit-log.ts'
import { AuditLog } from './access/audit-log.ts'
import { FirstTokenError, addFirstToken } from './access/first-token.ts'
import { Gatekeeper, isLoopback } from './access/gatekeeper.ts'
import { OidcSignIn } from './access/oidc.ts'
import { Sessions } from './access/sessions.ts'
import { StateFileWatch } from './files/state-watch.ts'
import { redactionKey } from './redact/redaction-key.ts'
import type { RedactionSettings } from './receive/threads/write-thread.ts'
import type { Readiness } from './api/http-server.ts'
import { HttpServer } from './api/http-server.ts'
import { addApiV1 } from './api/v1/add-api-v1.ts'
import { addMcp } from './api/mcp.ts'
import { addRuleMetrics } from './api/rule-metrics.ts'
import { addSignIn } from './api/sign-in.ts'
import { Horizons } from './api/v1/request/horizons.ts'
import type { SourceSettings } from './api/v1/request/request-context.ts'
import { addWebApp } from './api/web-app.ts'
import { QueryGate } from './api/v1/limits/query-gate.ts'
import type { ReceiverAddress, StatusSource } from './api/v1/status/status-source.ts'
import { BrokerControl } from './broker/control.ts'
import { brokerService } from './broker/grpc-broker.ts'
import { openBroker } from './broker/open-broker.ts'
import type { ArmedTriggers, WatchedMatch } from './broker/triggers/trigger-watch.ts'
import type { Config } from './config/settings.ts'
import { ConfigError } from './config/load-config.ts'
import type { Log } from './observe/log.ts'
import { Metrics } from './observe/metrics.ts'
import { addPyroscopeIngest } from './pyroscope/ingest/add-ingest.ts'
import { pusherService } from './pyroscope/ingest/grpc-push.ts'
import { addPyroscopeQuerier } from './pyroscope/querier/add-querier.ts'
import { querierService } from './pyroscope/querier/grpc-querier.ts'
import { controlHandlers } from './maintenance/commands.ts'
import { openControl } from './maintenance/control.ts'
import type { DeletionRecord } from './query/deletion/deletions.ts'
import { Demo } from './demo/demo.ts'
import { Deletions } from './query/deletion/deletions.ts'
import { openMonitor } from './open-monitor.ts'
import { openQueryThreads } from './open-query-threads.ts'
import { Admission } from './receive/admission.ts'
import { OTLP_SERVICES, OtlpGrpcServer } from './receive/grpc/otlp-grpc.ts'
import { OtlpHttpServer } from './receive/http/otlp-http.ts'
import { Receiver } from './receive/receiver.ts'
import type { TlsFiles } from './receive/tls-files.ts'
import { readTlsFiles } from './receive/tls-files.ts'
import { WriteLanes } from './receive/threads/write-lanes.ts'
import { BackgroundCheck } from './store/damage/background-check.ts'
import { isSymbolTable, missingText } from './store/damage/damaged-parts.ts'
import { prepareQueries } from './prepare-queries.ts'
import { SourceFolders } from './source/source-folders.ts'
import type { Scrape } from './scrape/scrape-loop.ts'
import { Scraper } from './scrape/scraper.ts'
import type { Target } from './scrape/targets.ts'
import { Saved } from './saved/saved.ts'
import { debuginfoService } from './symbols/parca/grpc-debuginfo.ts'
import { SymbolStore } from './symbols/symbol-store.ts'
import { ExportedSignals } from './store/exported/exported-signals.ts'
import { ExporterAddressError, parseExporterUrl, storeOfExporter } from './store/exported/exporter-address.ts'
import { Retention } from './store/retention/retention.ts'
import { Housekeeping } from './store/sharing/housekeeping.ts'
import { Store } from './store/store.ts'
import { commitEvents, receiveEvents, watchBroker, watchQueryThreads, watchState } from './server-metrics.ts'
import { serverStatus, trafficRates } from './server-status.ts'
import { WEB_FOLDER } from './web-folder.ts'
import { workerEntry } from './workers/worker-entry.ts'

const FLUSH_MS = 20

export interface ServerOptions {
  readonly config: Config
  readonly log: Log
  readonly version: string
}

/** The ports in use. They differ from the settings where a setting is 0. */
export interface ServerPorts {
  readonly http: number
  readonly otlpGrpc: number
  readonly otlpHttp: number
}

export class HearthServer {
  readonly ports: ServerPorts
  readonly store: Store
  readonly receiver: Receiver
  readonly demo: Demo
  readonly #close: () => Promise<void>
  #closed: Promise<void> | undefined

  private constructor(ports: ServerPorts, store: Store, receiver: Receiver, demo: Demo, close: () => Promise<void>) {
    this.ports = ports
    this.store = store
    this.receiver = receiver
    this.demo = demo
    this.#close = close
  }

  static async start({ config, log, version }: ServerOptions): Promise<HearthServer> {
    const { host, data } = config
    const storeUrl = storeUrlOf(config)
    // Other users of the machine cannot read the data. A directory that exists keeps its mode.
    mkdirSync(data, { recursive: true, mode: 0o700 })
    addFirstTokenOf(config, log)
    const access = new LiveAccess(accessFileIn(data), error => log.error({ err: error }, 'cannot read the access file'))
    const loopback = isLoopback(host)
    const oidc = oidcOf(config)
    if (!loopback && access.current().tokens.length === 0 && oidc === undefined)
      throw new ConfigError(
        `host ${host} is reachable from other machines and requires a token; create one with \`hearth admin token create --data ${data}\``,
      )
    if (access.isClosed() && oidc === undefined)
      log.warn(
        {},
        'the server is closed, because its last token is gone; create one, or run `hearth admin open --loopback`',
      )
    const audit = new AuditLog({
      dataDirectory: data,
      keepMs: config['audit-retention'],
      onError: error => log.error({ err: error }, 'cannot write the audit log'),
    })
    const tls = tlsOf(config)
    const sessions = oidc === undefined ? undefined : new Sessions(data, config['oidc-session'])
    const gatekeeper = new Gatekeeper(access, loopback, sessions)
    const metrics = new Metrics()
    const closers: (() => Promise<unknown>)[] = [() => audit.settled()]
    let closing: string | undefined
    const closeAll = async (): Promise<void> => {
      closing = new Date().toISOString()
      const errors: unknown[] = []
      for (const close of closers.splice(0).toReversed())
        // One failure must not keep the others, especially the store, from closing.
        await close().catch((error: unknown) => errors.push(error))
      if (errors.length > 0) throw errors[0]
    }
    try {
      const store = await openStore(config, storeUrl, log, metrics)
      let closeLanes = async (): Promise<void> => {}
      // After the store, which takes the last rows of the lanes.
      closers.push(() => closeLanes())
      closers.push(() => store.close(config['shutdown-timeout']))
      const symbols = openSymbols(config, log, tenant => threads.namesChanged(tenant))
      closers.push(() => symbols.close())
      const exported = exportedSignals(config, store, log)
      await exported?.start()
      if (exported !== undefined) closers.push(() => exported.stop())
      const threads = openQueryThreads({
        engine: exported?.engine ?? store.engine,
        visibleBefore: () => store.visibleBefore(),
        findBinaries: (tenant, binary) => symbols.find(tenant, binary),
        onDeath: error => {
          metrics.threadDeaths.inc({ pool: 'query' })
          log.error({ err: error }, 'a query thread ended')
        },
      })
      closers.push(() => threads.close())
      watchQueryThreads(metrics, threads)
      store.onVisible(delta => threads.apply(delta))
      let preparing: string | undefined = new Date().toISOString()
      const warn = (error: unknown): void => {
        if (closing === undefined) log.warn({ err: error }, 'cannot prepare queries; the first ones take longer')
      }
      void prepareQueries(store, () => threads.warmUp(DEFAULT_TENANT), warn).finally(() => (preparing = undefined))
      const housekeeping = new Housekeeping({
        engine: store.engine,
        server: store.server,
        version,
        leaseMs: config['housekeeping-lease'],
        visibleBefore: () => store.visibleBefore(),
        pendingSince: () => pendingSince(store),
        onError: error => log.warn({ err: error }, 'cannot agree with other servers about the housekeeping'),
      })
      store.beforeEngineCloses(() => housekeeping.stop())
      const keepOf = (tenant: string) => ({ ...config.retention, ...access.current().retention[tenant] })
      const retention = new Retention({
        engine: store.engine,
        layout: store.layout,
        log,
        keepOf,
        pendingSince: () => housekeeping.pendingSince(),
        isMine: () => housekeeping.isMine(),
        forgetSymbols: () => store.forgetSymbols(),
        onDeleting: (table, tenant) => {
          if (table === 'profiles') threads.forget(tenant)
        },
        onDropped: (signal, bytes) => metrics.retained.inc({ signal }, bytes),
      })
      // Threads keep names in memory, also that a name is missing.
      let haveSymbolsBeenLost = false
      store.onVisible(() => {
        if (haveSymbolsBeenLost) threads.forgetSymbols()
      })
      store.onDetached((table, tenant) => {
        if (isSymbolTable(table)) {
          haveSymbolsBeenLost = true
          threads.forgetSymbols()
        }
        if (tenant === undefined) threads.apply(undefined)
        else if (table === 'profiles') threads.forget(tenant)
      })
      const check = new BackgroundCheck({
        damaged: store.damaged,
        dataDirectory: data,
        periodMs: store.damaged.canCheck ? config['verify-period'] : 0,
        maxBytesPerSecond: config['verify-rate'],
        log,
      })
      check.start()
      closers.push(() => check.stop())
      // After the work, which this server must not do afterwards.
      closers.push(() => housekeeping.release())
      retention.start()
      closers.push(() => retention.stop())
      const stateFiles = new StateFileWatch(data)
      closers.push(() => stateFiles.stop())
      const deletions = new Deletions({
        store,
        dataDirectory: data,
        onDeleting: tenant => {
          threads.forget(tenant)
          threads.forgetSymbols()
        },
        onChange: record => audit.add(auditOfDeletion(record)),
        onError: error => log.error({ err: error }, 'a deletion failed'),
      })
      closers.push(() => deletions.close())
      const readiness = (): Readiness => readinessOf(store, stateFiles, preparing, closing)
      const admission = new Admission(config['max-in-flight'])
      const gate = gateOf(config)
      watchState(metrics, store, admission, gate)
      const events = receiveEvents(metrics)
      let control: BrokerControl | undefined
      const lanes = new WriteLanes({
        entry: workerEntry('write-worker', import.meta.url),
        store,
        admission,
        maxBody: config['max-body'],
        maxAttributes: config['max-attributes'],
        maxMemory: config['max-in-flight'],
        redaction: redactionOf(config),
        onDeath: error => log.error({ err: error }, 'a thread that receives requests died'),
      })
      closeLanes = () => lanes.close()
      const receiver = new Receiver({
        writer: lanes,
        events,
        onObserved: (tenant, matches) => control?.fire(tenant, matches as readonly WatchedMatch[]),
      })
      const onError = (error: unknown): void => log.error({ err: error }, 'a request failed')
      const maxBody = config['max-body']
      const site = { host, allowedHosts: config['allowed-hosts'], corsOrigins: config['cors-origins'] }
      const common = { receiver, gatekeeper, admission, events, maxBody, tls, onError }
      const missingData = (tenant: string) => missingIn(store, tenant)
      const querier = { threads, gate, gatekeeper, admission, maxBody, onError, missingData }
      const rates = trafficRates(metrics)
      await rates.start()
      closers.push(async () => rates.stop())
      const broker = config.broker ? await openBroker(config, receiver, log, version) : undefined
      if (broker !== undefined) {
        const guards = { budgetPerMinute: config['trigger-budget'] }
        const onArmed = (armed: ArmedTriggers): void => lanes.watch(armed)
        const limits = { graceMs: config['capture-grace'] }
        control = new BrokerControl({ broker, receiver, store, data, log, version, limits, guards, onArmed, audit })
      }
      // During shutdown, flush right away: requests in progress would otherwise wait for the commit window.
      const whileFlushing = async (closing: Promise<unknown>): Promise<void> => {
        const timer = setInterval(() => void store.flush(), FLUSH_MS)
        await closing.finally(() => clearInterval(timer))
      }
      const timeout = config['shutdown-timeout'] / 2
      const closeBroker = async (): Promise<void> => {
        if (control !== undefined) await whileFlushing(control.close())
        if (broker !== undefined) await whileFlushing(broker.close(timeout))
      }
      closers.push(closeBroker)
      await housekeeping.start(() => {
        if (housekeeping.shared !== undefined) log.info({}, 'this server does the housekeeping')
        retention.runSoon()
      })
      if (housekeeping.shared !== undefined) await store.damaged.share(housekeeping.shared)
      metrics.watch(() => metrics.housekeeping.set(housekeeping.isMine() ? 1 : 0))
      const monitor = openMonitor({ config, threads, store, receiver, housekeeping, log, control: () => control })
      if (monitor !== undefined) closers.push(() => monitor.stop())
      const saved = new Saved(data)
      const scraping = {
        receiver,
        admission,
        maxBytes: maxBody,
        onScrape: ({ job }: Target, { error }: Scrape) =>
          metrics.scrapes.inc({ job, outcome: error === undefined ? 'success' : 'failure' }),
        onProblem: (job: string, message: string) =>
          log.warn({ job, problem: message }, 'problem while fetching profiles'),
      }
      const demo = new Demo({
        receiver,
        deletions,
        monitor,
        visible: () => store.visible(),
        control,
        saved,
        scraping,
        dataDirectory: data,
        entry: workerEntry('demo-worker', import.meta.url),
        onError: error => log.error({ err: error }, 'the demo ended'),
      })
      closers.push(() => whileFlushing(demo.close()))
      let receivers: readonly ReceiverAddress[] = []
      const status: StatusSource = {
        version,
        started: new Date(),
        readiness,
        receivers: () => receivers,
        retentionOf: keepOf,
        limitsOf: tenant => gate.limitsOf(tenant),
        server: () => serverStatus({ metrics, store, admission, gate }, rates),
      }
      const scraper = new Scraper({ ...scraping, jobs: config['scrape-configs'], defaultTenant: DEFAULT_TENANT })
      const horizons = new Horizons(housekeeping.members ?? store, { isShared: housekeeping.members !== undefined })
      const http = new HttpServer({
        clientTimeoutMs: config['client-timeout'],
        gatekeeper,
        metrics,
        readiness,
        version,
        tls,
        site,
        onError,
        addRoutes: app => {
          addPyroscopeIngest(app, common)
          addPyroscopeQuerier(app, querier)
          addApiV1(app, {
            threads,
            gatekeeper,
            gate,
            status,
            symbols,
            control,
            monitor,
            onError,
            audit,
            sessions,
            deletions,
            demo,
            source: sourceSettings(config),
            scrapedJobs: () => [...scraper.state(), ...demo.scrapedJobs()],
            saved,
            horizons,
            missingData,
          })
          if (oidc !== undefined && sessions !== undefined)
            addSignIn(app, { oidc, sessions, publicUrl: config['public-url'], audit, onError })
          addMcp(app, { gatekeeper, version })
          if (monitor !== undefined) addRuleMetrics(app, { monitor, gatekeeper })
          addWebApp(app, WEB_FOLDER)
        },
      })
      const otlpHttp = new OtlpHttpServer({ ...common, site, clientTimeoutMs: config['client-timeout'] })
      const services = [
        pusherService(common),
        querierService(querier),
        debuginfoService({ symbols, gatekeeper, onError }),
      ]
      if (broker !== undefined) {
        watchBroker(metrics, broker)
        services.push(brokerService({ broker, gatekeeper, onError }))
      }
      const names = [...OTLP_SERVICES.map(([service]) => service), ...services.map(({ name }) => name)]
      const health = { ready: () => readiness().ready, services: names }
      const otlpGrpc = new OtlpGrpcServer({ ...common, health, services, clientTimeoutMs: config['client-timeout'] })
      await stateFiles.start()
      closers.push(await openControl(data, controlHandlers(store, data)))
      closers.push(() => http.close(timeout))
      const httpPort = await http.listen(host, config.port)
      // Both stop accepting at the same time, so that no request is rejected by one and accepted by the other.
      closers.push(() => whileFlushing(Promise.all([otlpHttp.close(timeout), otlpGrpc.close(timeout)])))
      // Runs first: watchers, waiting clients and subscriptions would keep the listeners open.
      closers.push(closeBroker)
      const otlpHttpPort = await otlpHttp.listen(host, config['otlp-http-port'])
      const otlpGrpcPort = await otlpGrpc.listen(host, config['otlp-grpc-port'])
      receivers = [
        { name: 'API and Pyroscope', host, port: httpPort, tls: tls !== undefined },
        { name: 'OTLP over gRPC', host, port: otlpGrpcPort, tls: tls !== undefined },
        { name: 'OTLP over HTTP and pushes', host, port: otlpHttpPort, tls: tls !== undefined },
      ]
      closers.push(() => whileFlushing(scraper.stop()))
      void scraper.start()
      monitor?.start()
      const ports = { http: httpPort, otlpGrpc: otlpGrpcPort, otlpHttp: otlpHttpPort }
      return new HearthServer(ports, store, receiver, demo, closeAll)
    } catch (error) {
      await closeAll()
      throw error
    }
  }

  /** Stops accepting requests, completes those in progress, commits, and releases the data directory. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close())
  }
}

function addFirstTokenOf(config: Config, log: Log): void {
  const { data, 'first-token': file } = config
  if (file === undefined) return
  try {
    if (addFirstToken(accessFileIn(data), file)) log.info({ file }, 'added the first token')
  } catch (error) {
    if (error instanceof FirstTokenError) throw new ConfigError(error.message, { cause: error })
    throw error
  }
}

function exportedSignals(config: Config, { engine, layout }: Store, log: Log): ExportedSignals | undefined {
  const { 'signals-from': url } = config
  if (url === undefined) return undefined
  const onError = (error: unknown): void =>
    log.warn({ err: error }, "cannot read the tables of the Collector's ClickHouse exporter")
  return new ExportedSignals({ engine, layout, address: parseExporterUrl(url).tables, onError })
}

/** Undefined for the embedded store. */
function storeUrlOf({ store, 'signals-from': exporter }: Config): string | undefined {
  try {
    return exporter === undefined ? store : storeOfExporter(exporter, store)
  } catch (error) {
    if (error instanceof ExporterAddressError) throw new ConfigError(`signals-from: ${error.message}`, { cause: error })
    throw error
  }
}

async function openStore(config: Config, url: string | undefined, log: Log, metrics: Metrics): Promise<Store> {
  return Store.open({
    dataDirectory: config.data,
    url,
    engineMemoryBytes: config['engine-memory'],
    windowMs: config['commit-window'],
    durable: config.durable,
    limits: {
      memoryBytes: config['max-in-flight'],
      backlogBytes: config['max-backlog'],
      diskReserveBytes: config['disk-reserve'],
      recentMinutes: config['dedup-window'] / 60_000,
    },
    log,
    events: commitEvents(metrics),
  })
}

function openSymbols(config: Config, log: Log, onChange: (tenant: string | undefined) => void): SymbolStore {
  return new SymbolStore({
    folder: join(config.data, 'symbols'),
    entry: workerEntry('symbols-worker', import.meta.url),
    quotaBytes: config['symbols-quota'],
    maxFileBytes: config['symbols-max-file'],
    cacheBytes: config['symbols-cache'],
    folders: config.symbols,
    debuginfod: config.debuginfod,
    publicNames: config['debuginfod-binaries'],
    onChange,
    onError: error => log.warn({ err: error }, 'a debug file could not be indexed again'),
  })
}

function gateOf(config: Config): QueryGate {
  return new QueryGate({
    limits: {
      seconds: config['query-timeout'] / 1000,
      memoryBytes: config['query-memory'],
      rows: config['query-rows'],
      nodes: config['query-nodes'],
      exportSamples: config['export-samples'],
      running: config['query-slots'],
      waiting: config['query-queue'],
    },
    tenants: config['tenant-limits'],
    total: config['query-slots-total'],
  })
}

/** Unix milliseconds of the first request in the journal that is not in the tables. */
function pendingSince(store: Store): number | undefined {
  return store.state().backlogGroups === 0 ? undefined : Number(store.visibleBefore() / 1_000_000n)
}

/** A sentence about damaged data of the tenant; undefined if there is none. */
function missingIn(store: Store, tenant: string): string | undefined {
  const parts = store.damaged.of(tenant)
  return parts.length === 0 ? undefined : missingText(parts)
}

function readinessOf(
  store: Store,
  stateFiles: StateFileWatch,
  preparing: string | undefined,
  closing: string | undefined,
): Readiness {
  const { ready, problems } = store.state()
  const damaged = stateFiles
    .problems()
    .map(({ file, message, since }) => ({ code: 'state-file-damaged', message: `${file} ${message}`, since }))
  const all = [...problems, ...damaged].map(({ code, message, since }) => ({
    code,
    message,
    since: new Date(since).toISOString(),
  }))
  const unready =
    closing !== undefined
      ? { code: 'shutting-down', message: 'the server is shutting down', since: closing }
      : preparing !== undefined
        ? { code: 'queries-not-prepared', message: 'the data of the first queries is being read', since: preparing }
        : undefined
  if (unready === undefined) return { ready, problems: all }
  return { ready: false, problems: [...all.filter(({ code }) => code !== unready.code), unready] }
}

const DELETION_ACTIONS = {
  running: 'deletion-started',
  deleted: 'deletion-started',
  gone: 'deletion-finished',
  failed: 'deletion-failed',
} as const

function auditOfDeletion(record: DeletionRecord): AuditEvent {
  const { id, tenant, by, selector, from, to, signals, rows, state, error } = record
  const deleted = Object.entries(rows).map(([table, count]) => `${table} ${count}`)
  return {
    action: DELETION_ACTIONS[state],
    actor: by,
    tenant,
    details: {
      deletion: id,
      selector,
      from,
      to,
      signals: signals.join(' '),
      ...(deleted.length === 0 ? {} : { rows: deleted.join(', ') }),
      ...(error === undefined ? {} : { error }),
    },
  }
}

function redactionOf(config: Config): RedactionSettings | undefined {
  const { redaction: rules, 'redaction-key': keyFile } = config
  return rules.length === 0 ? undefined : { rules, key: redactionKey(config.data, keyFile) }
}

function oidcOf(config: Config): OidcSignIn | undefined {
  const { 'oidc-issuer': issuer, 'oidc-client-id': clientId, 'oidc-client-secret': secretFile } = config
  if (issuer === undefined) return undefined
  const clientSecret = secretFile === undefined ? undefined : secretIn(secretFile)
  return new OidcSignIn({ issuer, clientId, clientSecret, scopes: config['oidc-scopes'], rules: config['oidc-access'] })
}

function secretIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new ConfigError(`oidc-client-secret: cannot read ${file}`, { cause: error })
  }
}

function sourceSettings(config: Config): SourceSettings {
  const { source, 'source-link': linkTemplate } = config
  return { folders: source.length === 0 ? undefined : new SourceFolders(source), linkTemplate }
}

function tlsOf(config: Config): TlsFiles | undefined {
  const { 'tls-cert': cert, 'tls-key': key, 'tls-client-ca': clientCa } = config
  if (cert === undefined || key === undefined) return undefined
  return readTlsFiles(cert, key, clientCa)
}
