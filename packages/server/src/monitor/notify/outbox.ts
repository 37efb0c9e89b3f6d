// Messages to receivers. A message is in the state file before it is sent, and leaves it after the receiver accepted it. So a restart
// loses none. A message that was sent just before a crash may be sent twice, with the same id.
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { StateFiles } from '../../broker/state-file.ts'
import type { Alert, AlertReceiver } from '../alerts/alert-rule.ts'
import type { Notification, NotificationContext } from './notification.ts'
import { notification, requestOf } from './notification.ts'

const sent = z.strictObject({
  id: z.string(),
  receiver: z.string(),
  title: z.string(),
  created: z.iso.datetime(),
  time: z.iso.datetime().meta({ description: 'When it was sent, or given up' }),
  attempts: z.number(),
  state: z.enum(['sent', 'failed']),
  error: z.string().optional(),
})
export const sentNotification = sent
export type SentNotification = z.infer<typeof sent>

export const outboxFile = z.strictObject({ waiting: z.array(notification), sent: z.array(sent) })
export type OutboxFile = z.infer<typeof outboxFile>

export interface OutboxOptions {
  readonly files: StateFiles<OutboxFile>
  readonly receiver: (tenant: string, name: string) => AlertReceiver | undefined
  /** The address of the UI; empty if it is unknown. */
  readonly publicUrl: string
  /** Stores alerts as logs of the tenant. */
  readonly storeLogs: (tenant: string, alerts: readonly Alert[]) => Promise<void>
  readonly fetch?: typeof fetch
  readonly now?: () => number
}

const FIRST_RETRY_MS = 5000
const MAX_RETRY_MS = 600_000
/** A message is given up after a day. */
const GIVE_UP_MS = 86_400_000
const TIMEOUT_MS = 10_000
const MAX_WAITING = 1000
const TOO_MANY = `dropped: more than ${MAX_WAITING} messages wait`
const MAX_SENT = 500

export class Outbox {
  readonly #options: OutboxOptions
  readonly #tenants = new Map<string, OutboxFile>()
  readonly #sending = new Set<string>()

  constructor(options: OutboxOptions) {
    this.#options = options
    options.files.onChange(tenant => this.#tenants.delete(tenant))
  }

  /** Latest first. */
  sent(tenant: string): readonly SentNotification[] {
    return this.#of(tenant).sent
  }

  waiting(tenant: string): readonly Notification[] {
    return this.#of(tenant).waiting
  }

  tenants(): string[] {
    return this.#options.files.tenants()
  }

  /** Resolves when the message is in the state file. */
  async add(
    tenant: string,
    message: Pick<Notification, 'receiver' | 'group' | 'alerts'> & Pick<Partial<Notification>, 'document'>,
  ): Promise<void> {
    const now = this.#now()
    const added = {
      ...message,
      id: randomBytes(8).toString('hex'),
      created: new Date(now).toISOString(),
      attempts: 0,
      next: now,
    }
    const { waiting, sent: done } = this.#of(tenant)
    // A receiver that is away for long must not fill the disk. The log names what was dropped.
    const dropped = waiting.slice(0, Math.max(0, waiting.length + 1 - MAX_WAITING))
    const entries = dropped.map(each => this.#entry(each, 'failed', each.attempts, TOO_MANY)).reverse()
    await this.#set(tenant, {
      waiting: [...waiting.slice(dropped.length), added],
      sent: [...entries, ...done].slice(0, MAX_SENT),
    })
  }

  /** Sends what is due. Each receiver gets its messages in order. */
  async send(tenant: string): Promise<void> {
    const blocked = new Set<string>()
    for (const message of this.#of(tenant).waiting) {
      if (this.#sending.has(message.id) || blocked.has(message.receiver)) continue
      if (message.next > this.#now()) {
        blocked.add(message.receiver)
        continue
      }
      this.#sending.add(message.id)
      try {
        const error = await this.#deliver(tenant, message)
        if (error !== undefined) blocked.add(message.receiver)
        await this.#finish(tenant, message, error)
      } finally {
        this.#sending.delete(message.id)
      }
    }
  }

  /** Returns the error. */
  async #deliver(tenant: string, message: Notification): Promise<string | undefined> {
    const { receiver: find, publicUrl, storeLogs, fetch: send = fetch } = this.#options
    const receiver = find(tenant, message.receiver)
    if (receiver === undefined) return `unknown receiver ${message.receiver}`
    try {
      if (receiver.url === undefined) {
        await storeLogs(tenant, message.alerts)
        return undefined
      }
      const context: NotificationContext = { publicUrl, tenant, now: this.#now() }
      const { url, headers, body } = requestOf(receiver, message, context)
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      const response = await send(url, { method: 'POST', headers, body, signal, redirect: 'error' })
      await response.body?.cancel()
      return response.ok ? undefined : `the receiver responded with ${response.status}`
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
      return `${error instanceof Error ? error.message : String(error)}${cause}`
    }
  }

  async #finish(tenant: string, message: Notification, error: string | undefined): Promise<void> {
    const { waiting, sent: done } = this.#of(tenant)
    const now = this.#now()
    const attempts = message.attempts + 1
    const isGivenUp = error !== undefined && now - Date.parse(message.created) > GIVE_UP_MS
    if (error !== undefined && !isGivenUp) {
      const next = now + Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** message.attempts)
      const later = { ...message, attempts, next, error }
      await this.#set(tenant, { waiting: waiting.map(each => (each.id === message.id ? later : each)), sent: done })
      return
    }
    const entry = this.#entry(message, isGivenUp ? 'failed' : 'sent', attempts, error)
    await this.#set(tenant, {
      waiting: waiting.filter(({ id }) => id !== message.id),
      sent: [entry, ...done].slice(0, MAX_SENT),
    })
  }

  #entry(
    message: Notification,
    state: SentNotification['state'],
    attempts: number,
    error: string | undefined,
  ): SentNotification {
    const { id, receiver, created } = message
    const time = new Date(this.#now()).toISOString()
    const title = titleOf(message)
    return { id, receiver, title, created, time, attempts, state, ...(error === undefined ? {} : { error }) }
  }

  #of(tenant: string): OutboxFile {
    const known = this.#tenants.get(tenant)
    if (known !== undefined) return known
    const read = this.#options.files.read(tenant) ?? { waiting: [], sent: [] }
    this.#tenants.set(tenant, read)
    return read
  }

  async #set(tenant: string, state: OutboxFile): Promise<void> {
    this.#tenants.set(tenant, state)
    await this.#options.files.writeSoon(tenant, state)
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now()
  }
}

function titleOf({ alerts, document }: Notification): string {
  if (document !== undefined) return document.title
  return alerts
    .map(({ rule, state }) => `${rule} ${state}`)
    .join(', ')
    .slice(0, 200)
}
