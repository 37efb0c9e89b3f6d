// Opens the monitor with the settings of the server.
import { DEFAULT_TENANT } from './access/access-file.ts'
import { ConfigError } from './config/load-config.ts'
import type { Config } from './config/settings.ts'
import type { BrokerControl } from './broker/control.ts'
import { Monitor } from './monitor/monitor.ts'
import type { MonitorTasks } from './monitor/monitor-tasks.ts'
import { RuleError } from './monitor/rules/rule-store.ts'
import type { Log } from './observe/log.ts'
import type { TaskRunner } from './query/threads/query-task.ts'
import type { Receiver } from './receive/receiver.ts'
import { listPartitions } from './store/retention/partitions.ts'
import type { Housekeeping } from './store/sharing/housekeeping.ts'
import type { Store } from './store/store.ts'

export interface OpenMonitorOptions {
  readonly config: Config
  readonly threads: TaskRunner<MonitorTasks>
  readonly store: Store
  readonly receiver: Receiver
  readonly housekeeping: Housekeeping
  readonly log: Log
  /** Undefined if the Broker is switched off. */
  readonly control: () => BrokerControl | undefined
}

const DEFAULT_CAPTURE = { type: 'cpu', durationMs: 10_000 } as const

/** Undefined if it is switched off. Throws ConfigError if the rule file is invalid. */
export function openMonitor({
  config,
  threads,
  store,
  receiver,
  housekeeping,
  log,
  control,
}: OpenMonitorOptions): Monitor | undefined {
  if (config.monitor === 0) return undefined
  try {
    return new Monitor({
      dataDirectory: config.data,
      threads,
      tenants: async () => [...new Set((await listPartitions(store.engine, store.layout)).map(({ tenant }) => tenant))],
      defaultTenant: DEFAULT_TENANT,
      ruleFile: config.rules,
      publicUrl: (config['public-url'] ?? '').replace(/\/+$/, ''),
      sendTo: config['rules-otlp'],
      store: async (tenant, signal, json) => {
        const { rejected, message } = await receiver.receive({
          signal,
          encoding: 'json',
          body: Buffer.from(JSON.stringify(json)),
          transport: 'in-process',
          identity: { tenant, token: '' },
          client: 'hearth',
        })
        if (rejected > 0) throw new Error(`the server rejected its own ${signal}: ${message}`)
      },
      capture: async (tenant, { name, capture = {} }, { labels, summary }) => {
        const broker = control()
        if (broker === undefined) throw new Error(`alert ${name} cannot start a capture: the Broker is switched off`)
        const service = capture.service ?? labels['service.name']
        if (service === undefined) throw new Error(`alert ${name} cannot start a capture: no service is named`)
        const { type = DEFAULT_CAPTURE.type, durationMs = DEFAULT_CAPTURE.durationMs } = capture
        const request = { service, type, durationMs, all: false, reason: summary }
        return (await broker.captures.start(tenant, request, `alert ${name}`)).id
      },
      shared: housekeeping.shared,
      isLeader: () => housekeeping.isMine(),
      price: config['core-hour-price']?.amount,
      currency: config['core-hour-price']?.currency ?? 'USD',
      periodMs: config.monitor,
      onError: (error, job) => log.warn({ err: error, job }, 'periodic work failed'),
    })
  } catch (error) {
    if (error instanceof RuleError) throw new ConfigError(`rules: ${error.message}`, { cause: error })
    throw error
  }
}
