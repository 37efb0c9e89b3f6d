// The audit log: who signed in, and who changed tokens, captures, triggers and data. One JSON object per line, in one file per
// month in the data directory. The server and `hearth admin` both append to it.
import { appendFileSync, createReadStream, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'

export const AUDIT_ACTIONS = [
  'sign-in',
  'sign-in-failed',
  'sign-out',
  'token-created',
  'token-rotated',
  'token-revoked',
  'access-opened',
  'retention-changed',
  'capture-started',
  'capture-cancelled',
  'trigger-added',
  'trigger-changed',
  'trigger-removed',
  'finding-changed',
  'rule-changed',
  'rule-removed',
  'receiver-changed',
  'silence-added',
  'silence-removed',
  'deletion-started',
  'deletion-finished',
  'deletion-failed',
  'demo-loaded',
  'demo-removed',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

export const auditEntry = z.strictObject({
  time: z.iso.datetime().meta({ description: 'ISO 8601' }),
  action: z.enum(AUDIT_ACTIONS),
  actor: z.string().meta({
    description: 'The name of the token or person, `user NAME` for `hearth admin`, or `anyone` if the server is open',
  }),
  tenant: z.string().optional().meta({ description: 'Missing if the action concerns the whole server' }),
  address: z.string().optional().meta({ description: 'The address of the client' }),
  details: z.record(z.string(), z.string()).optional(),
})
export type AuditEntry = z.infer<typeof auditEntry>

/** An entry without its time. */
export type AuditEvent = Omit<AuditEntry, 'time'>

/** Longer texts are cut, so that a line is written at once. */
const MAX_TEXT = 512
const FILE = /^audit-(\d{4})-(\d{2})\.ndjson$/

function directoryIn(dataDirectory: string): string {
  return join(dataDirectory, 'audit')
}

function lineOf(event: AuditEvent, now: number): { readonly name: string; readonly line: string } {
  const time = new Date(now).toISOString()
  const cut = (value: unknown): unknown => (typeof value === 'string' ? value.slice(0, MAX_TEXT) : value)
  const line = JSON.stringify({ time, ...event }, (_key, value: unknown) => cut(value))
  return { name: `audit-${time.slice(0, 7)}.ndjson`, line: `${line}\n` }
}

/** Appends before it returns, for commands. */
export function appendAudit(dataDirectory: string, event: AuditEvent, now = Date.now()): void {
  const { name, line } = lineOf(event, now)
  const directory = directoryIn(dataDirectory)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  appendFileSync(join(directory, name), line, { mode: 0o600 })
}

export interface AuditLogOptions {
  readonly dataDirectory: string
  /** How long entries are kept. Whole months are deleted. */
  readonly keepMs: number
  readonly onError: (error: unknown) => void
  readonly now?: () => number
}

/** Failed sign-ins per minute that are recorded. An attacker must not fill the disk. */
const MAX_FAILURES = 60
const MINUTE_MS = 60_000

/** Appends in the background, in order. */
export class AuditLog {
  readonly #options: AuditLogOptions
  readonly #directory: string
  readonly #now: () => number
  #writing: Promise<void> = Promise.resolve()
  #month = ''
  #minute = 0
  #failures = 0

  constructor(options: AuditLogOptions) {
    this.#options = options
    this.#directory = directoryIn(options.dataDirectory)
    this.#now = options.now ?? Date.now
  }

  add(event: AuditEvent): void {
    const now = this.#now()
    if (event.action === 'sign-in-failed' && this.#isFlood(now)) return
    const { name, line } = lineOf(event, now)
    this.#writing = this.#writing
      .then(async () => {
        await mkdir(this.#directory, { recursive: true, mode: 0o700 })
        if (name !== this.#month) this.#expire(now)
        this.#month = name
        await appendFile(join(this.#directory, name), line, { mode: 0o600 })
      })
      .catch((error: unknown) => this.#options.onError(error))
  }

  /** Resolves when all entries are written. */
  settled(): Promise<void> {
    return this.#writing
  }

  async read(query: AuditQuery): Promise<AuditEntry[]> {
    await this.settled()
    return readAudit(this.#options.dataDirectory, query)
  }

  #isFlood(now: number): boolean {
    const minute = Math.floor(now / MINUTE_MS)
    if (minute !== this.#minute) this.#failures = 0
    this.#minute = minute
    return ++this.#failures > MAX_FAILURES
  }

  #expire(now: number): void {
    const before = now - this.#options.keepMs
    for (const { name, ends } of filesIn(this.#directory)) if (ends < before) rmSync(join(this.#directory, name))
  }
}

export interface AuditQuery {
  /** Unix milliseconds. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly action?: AuditAction | undefined
  readonly isVisible?: (entry: AuditEntry) => boolean
  readonly limit: number
}

/** The latest entries that match, latest first. Skips lines that are no entries, such as one that a crash cut. */
export async function readAudit(dataDirectory: string, query: AuditQuery): Promise<AuditEntry[]> {
  const { from = 0, to = Infinity, action, isVisible = () => true, limit } = query
  const directory = directoryIn(dataDirectory)
  const found: AuditEntry[] = []
  for (const { name, starts, ends } of filesIn(directory)) {
    if (found.length >= limit) break
    if (ends < from || starts > to) continue
    let inFile: AuditEntry[] = []
    const input = createReadStream(join(directory, name), 'utf8')
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      const entry = parsed(line)
      if (entry === undefined) continue
      const time = Date.parse(entry.time)
      if (time < from || time > to || (action !== undefined && entry.action !== action) || !isVisible(entry)) continue
      inFile.push(entry)
      if (inFile.length >= 2 * limit) inFile = inFile.slice(-limit)
    }
    // Two processes append, whose clocks and delays differ.
    inFile.sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0))
    found.push(...inFile.slice(0, limit - found.length))
  }
  return found
}

function parsed(line: string): AuditEntry | undefined {
  try {
    const result = auditEntry.safeParse(JSON.parse(line))
    return result.success ? result.data : undefined
  } catch {
    return undefined
  }
}

interface AuditFile {
  readonly name: string
  /** Unix milliseconds. */
  readonly starts: number
  readonly ends: number
}

/** Latest first. */
function filesIn(directory: string): readonly AuditFile[] {
  let names: readonly string[]
  try {
    names = readdirSync(directory)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
  return names
    .flatMap(name => {
      const match = FILE.exec(name)
      if (match === null) return []
      const [year, month] = [Number(match[1]), Number(match[2])]
      return [{ name, starts: Date.UTC(year, month - 1), ends: Date.UTC(year, month) }]
    })
    .toSorted((a, b) => b.starts - a.starts)
}
