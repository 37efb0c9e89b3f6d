// The access file in the data directory: tokens, and each tenant's retention. The server re-reads it when it changes, so
// `hearth admin` works while the server runs. A second file marks that a token existed: if the access file gets lost, the
// server stays closed instead of becoming open.
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { StateFile, StateFileError } from '../files/state-file.ts'
import type { TokenRow } from './tokens.ts'
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

/** The file whose existence says that requests need a token, also while there is none. */
function requiredMarkOf(file: string): string {
  return join(dirname(file), 'access.required')
}

/** Whether a token existed, and nobody opened the server since. */
export function requiresTokens(file: string): boolean {
  return existsSync(requiredMarkOf(file))
}

function markRequired(file: string): void {
  if (requiresTokens(file)) return
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(requiredMarkOf(file), 'A token existed: requests need one. `hearth admin open` removes this file.\n', {
    mode: 0o600,
  })
}

/** Makes a server on loopback accept requests without a token again. Throws AccessFileError while there are tokens. */
export function openAccess(file: string): void {
  const access = readAccess(file)
  const { length } = access.tokens
  if (length > 0) throw new AccessFileError(`${file} has ${length} tokens; revoke them first`)
  // A running server that had tokens opens only if the file is there: not if somebody deleted the file and the mark.
  writeAccess(file, access)
  rmSync(requiredMarkOf(file), { force: true })
}

/** Returns the previous version if the file is damaged. Throws AccessFileError if no version is intact. */
export function readAccess(file: string): Access {
  return asAccessError(() => readVersion(file).access)
}

/**
 * A lost or empty file has no tokens: its previous version may contain tokens that were revoked since. Its retention stays, so
 * that nothing is deleted too early.
 */
function readVersion(file: string): { readonly access: Access; readonly damage: string | undefined } {
  const lost = isLost(file)
  const { content = NO_ACCESS, damage } = stateFileOf(file).read()
  return lost ? { access: { ...content, tokens: [] }, damage: undefined } : { access: content, damage }
}

/** A file that StateFile moved away, because it was damaged, is not lost. */
function isLost(file: string): boolean {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0) return false
  const damaged = `${basename(file)}.damaged-`
  const directory = dirname(file)
  if (!existsSync(directory)) return true
  return !readdirSync(directory).some(
    name => name.startsWith(damaged) && (statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0) > 0,
  )
}

function stateFileOf(file: string): StateFile<Access> {
  return new StateFile(file, { parse: parseAccess })
}

function parseAccess(json: unknown): Access {
  const parsed = accessSchema.safeParse(json)
  if (parsed.success) return parsed.data
  const { path, message } = parsed.error.issues[0]
  throw new Error(`${path.join('.')}: ${message}`)
}

/** Only the owner can read the file, although it contains no secrets. */
export function writeAccess(file: string, access: Access): void {
  // First, so that no crash leaves tokens without the mark.
  if (access.tokens.length > 0) markRequired(file)
  asAccessError(() => {
    const state = stateFileOf(file)
    const before = state.read().content?.tokens ?? []
    state.writeSync(access)
    // Again if a token was revoked or changed, so that the previous version does not make it valid again.
    if (before.some(token => !access.tokens.some(kept => isDeepStrictEqual(kept, token)))) state.writeSync(access)
  })
}

/** Adds a token to the file. Throws AccessFileError. */
export function addToken(file: string, row: TokenRow): void {
  const access = readAccess(file)
  const added = { ...row, tenants: [...row.tenants], scopes: [...row.scopes] }
  writeAccess(file, { ...access, tokens: [...access.tokens, added] })
}

function asAccessError<Result>(run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    if (error instanceof StateFileError) throw new AccessFileError(error.message, { cause: error })
    throw error
  }
}

/** The current content of the file, checked at most once per second. If the file becomes invalid, the last valid state applies. */
export class LiveAccess {
  readonly #file: string
  readonly #onError: (error: Error) => void
  #access: Access
  #isRequired: boolean
  #stamp: string
  #checked = 0

  constructor(file: string, onError: (error: Error) => void) {
    this.#file = file
    this.#onError = onError
    this.#stamp = this.#currentStamp()
    this.#access = readAccess(file)
    this.#isRequired = this.#readRequired(false)
  }

  current(now = Date.now()): Access {
    if (now - this.#checked < 1000) return this.#access
    this.#checked = now
    const stamp = this.#currentStamp()
    if (stamp === this.#stamp) return this.#access
    this.#stamp = stamp
    try {
      // The state in memory is newer than the previous version of a damaged file.
      const { access, damage } = readVersion(this.#file)
      if (damage === undefined) this.#access = access
      else this.#onError(new AccessFileError(damage))
      this.#isRequired = this.#readRequired(this.#isRequired && isLost(this.#file))
    } catch (error) {
      this.#onError(error instanceof Error ? error : new Error(String(error)))
    }
    return this.#access
  }

  /** Adds a token to the file. The next request can use it. */
  addToken(row: TokenRow): void {
    addToken(this.#file, row)
    this.#checked = 0
  }

  /** Whether requests need a token although there is none: the last one was revoked, or the file was lost. */
  isClosed(now = Date.now()): boolean {
    return this.current(now).tokens.length === 0 && this.#isRequired
  }

  /** Also marks tokens of earlier versions, which wrote no mark. With `stays`, a lost mark is written again. */
  #readRequired(stays: boolean): boolean {
    try {
      if (stays || this.#access.tokens.length > 0) markRequired(this.#file)
    } catch (error) {
      // On a directory that cannot be written, the running server still knows that it had tokens.
      this.#onError(error instanceof Error ? error : new Error(String(error)))
      return true
    }
    return requiresTokens(this.#file)
  }

  #currentStamp(): string {
    return `${stampOf(this.#file)} ${stampOf(requiredMarkOf(this.#file))}`
  }
}

function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat === undefined ? '' : `${stat.ino} ${stat.mtimeMs} ${stat.size}`
}
