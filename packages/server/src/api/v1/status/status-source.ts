// The data of the endpoint /status. The server implements it.
import { z } from 'zod'
import type { RetentionSetting } from '../../../config/retention.ts'
import type { Readiness } from '../../http-server.ts'
import type { TenantLimits } from '../limits/query-gate.ts'
import { count } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'

const rate = z.number().min(0)
const queryCounts = z.strictObject({ running: count, waiting: count })
const bytes = (description: string) => z.int().min(0).meta({ description })

/** The part of the status that concerns all tenants. */
export const serverStatus = nameSchema(
  'ServerStatus',
  z.strictObject({
    traffic: z
      .array(
        z.strictObject({
          signal: z.string(),
          requests: count,
          bytes: bytes('Uncompressed'),
          requestsPerSecond: rate,
          bytesPerSecond: rate,
        }),
      )
      .meta({ description: 'Totals since the server started; rates over the last minute' }),
    samples: z.strictObject({ received: count, perSecond: rate }).meta({ description: 'Samples of profiles' }),
    transports: z.array(
      z.strictObject({ signal: z.string(), transport: z.string(), encoding: z.string(), requests: count }),
    ),
    generations: z
      .array(
        z.strictObject({
          client: z.string(),
          generation: z.string(),
          version: z.string().optional().meta({
            description: 'The value of otlp-profiles-development-version; missing if the sender stated none',
          }),
          requests: count,
        }),
      )
      .meta({ description: 'Versions of the profile format, by sender' }),
    rejected: z
      .array(z.strictObject({ signal: z.string(), reason: z.string(), items: count }))
      .meta({ description: 'Items of accepted requests that were rejected' }),
    refused: z
      .array(z.strictObject({ signal: z.string(), reason: z.string(), requests: count }))
      .meta({ description: 'Requests that were rejected' }),
    duplicates: count.meta({ description: 'Requests that were committed before' }),
    store: z.strictObject({
      kind: z.enum(['embedded', 'clickhouse']),
      bytes: bytes('On disk').optional(),
      tables: z.array(z.strictObject({ table: z.string(), bytes: bytes('On disk') })),
      freeDiskBytes: bytes('On the disk of the journal'),
    }),
    queue: z.strictObject({
      receivingBytes: bytes('Requests without a response yet'),
      inFlightBytes: bytes('Requests and their rows that are not committed yet'),
      journalBytes: bytes('Committed rows that are not in the store yet'),
      journalGroups: count.meta({ description: 'Commits that are not in the store yet' }),
      journalOldestSeconds: z.number().min(0),
      asideGroups: count.meta({ description: 'Quarantined commits: rejected by the store, or damaged' }),
    }),
    queries: queryCounts,
    questions: queryCounts.meta({ description: 'The former name of `queries`' }),
  }),
)

export type ServerStatus = z.infer<typeof serverStatus>

export interface ReceiverAddress {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly tls: boolean
}

export interface StatusSource {
  readonly version: string
  readonly started: Date
  readonly readiness: () => Readiness
  readonly receivers: () => readonly ReceiverAddress[]
  readonly retentionOf: (tenant: string) => RetentionSetting
  readonly limitsOf: (tenant: string) => TenantLimits
  readonly server: () => Promise<ServerStatus>
}
