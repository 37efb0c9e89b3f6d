// The access file in the data directory: tokens, and each tenant's retention. The server re-reads it when it changes, so
// `hearth admin` works while the server runs.
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { SCOPES } from './tokens.ts'

const TENANT = /^[A-Za-z0-9._-]{1,64}$/

/** The tenant of requests that name none. */
export const DEFAULT_TENANT = 'default'

export function isTenantName(name: string): boolean {
  return TENANT.test(name) && name !== '.' && name !== '..'
}

const keep = z.strictObject({ ageMs: z.number().positive().optional(), bytes: z.number().positive().optional() })

const accessSchema = z.strictObject({
  tokens: z.array(
    z.strictObject({
      id: z.string().regex(/^[0-9a-f]{12}$/),
      name: z.string(),
      tenants: z.array(z.string().refine(name => name === '*' || isTenantName(name))).min(1),
      scopes: z.array(z.enum(SCOPES)).min(1),
      secretSha256: z.string().regex(/^[0-9a-f]{64}$/),
      created: z.iso.datetime(),
      expires: z.iso.datetime().optional(),
    }),
  ),
  /** By tenant. Overrides the server's setting. */
  retention: z.record(
    z.string(),
    z.strictObject({
      profiles: keep.optional(),
      traces: keep.optional(),
      logs: keep.optional(),
      metrics: keep.optional(),
    }),
  ),
})

export type Access = z.infer<typeof accessSchema>

export const NO_ACCESS: Access = { tokens: [], retention: {} }

export class AccessFileError extends Error {
  override readonly name = 'AccessFileError'
}

export function accessFileIn(dataDirectory: string): string {
  return join(dataDirectory, 'access.json')
}

export function readAccess(file: string): Access {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return NO_ACCESS
    throw error
  }
  return parseAccess(file, text)
}

function parseAccess(file: string, text: string): Access {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new AccessFileError(`${file}: ${error instanceof Error ? error.message : 'not JSON'}`, { cause: error })
  }
  const parsed = accessSchema.safeParse(json)
  if (parsed.success) return parsed.data
  const { path, message } = parsed.error.issues[0]
  throw new AccessFileError(`${file}: ${path.join('.')}: ${message}`)
}

/** Writes atomically. Only the owner can read the file, although it contains no secrets. */
export function writeAccess(file: string, access: Access): void {
  // Validate first: a running server keeps the old state if it cannot read the file.
  const text = `${JSON.stringify(access, undefined, 2)}\n`
  parseAccess(file, text)
  mkdirSync(dirname(file), { recursive: true })
  const half = `${file}.${process.pid}.tmp`
  writeFileSync(half, text, { mode: 0o600 })
  renameSync(half, file)
}

/** The current content of the file, checked at most once per second. If the file becomes invalid, the last valid state applies. */
export class LiveAccess {
  readonly #file: string
  readonly #onError: (error: Error) => void
  #access: Access
  #stamp: string
  #checked = 0

  constructor(file: string, onError: (error: Error) => void) {
    this.#file = file
    this.#onError = onError
    this.#stamp = stampOf(file)
    this.#access = readAccess(file)
  }

  current(now = Date.now()): Access {
    if (now - this.#checked < 1000) return this.#access
    this.#checked = now
    const stamp = stampOf(this.#file)
    if (stamp === this.#stamp) return this.#access
    this.#stamp = stamp
    try {
      this.#access = readAccess(this.#file)
    } catch (error) {
      this.#onError(error instanceof Error ? error : new Error(String(error)))
    }
    return this.#access
  }
}

function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat === undefined ? '' : `${stat.ino} ${stat.mtimeMs} ${stat.size}`
}
