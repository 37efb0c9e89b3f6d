// Access tokens. A token is `hearth_ID_SECRET`: the id finds its row, and the secret proves it. The file stores only the
// secret's SHA-256. A secret of 192 random bits needs no slow hash.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * `broker` allows subscribing to the Broker as a component. `capture` allows captures, triggers and events, over the API or
 * as a console at the Broker.
 */
export const SCOPES = ['write', 'read', 'admin', 'broker', 'capture'] as const
export type AccessScope = (typeof SCOPES)[number]

export interface TokenRow {
  readonly id: string
  /** A name for users. */
  readonly name: string
  /** The tenants it may act for, or `*` for all. A request that names no tenant uses the first. */
  readonly tenants: readonly string[]
  readonly scopes: readonly AccessScope[]
  /** Hex. */
  readonly secretSha256: string
  /** ISO 8601. */
  readonly created: string
  readonly expires?: string | undefined
}

const TOKEN = /^hearth_([0-9a-f]{12})_([A-Za-z0-9_-]{32})$/

export interface NewToken {
  readonly row: TokenRow
  /** Shown once, never stored. */
  readonly token: string
}

export function makeToken(
  given: Pick<TokenRow, 'name' | 'tenants' | 'scopes'> & { readonly expires?: string | undefined },
  now = new Date(),
): NewToken {
  const id = randomBytes(6).toString('hex')
  const secret = randomBytes(24).toString('base64url')
  const row = { id, ...given, secretSha256: sha256(secret), created: now.toISOString() }
  return { row, token: `hearth_${id}_${secret}` }
}

/** The row of a token that was made elsewhere. Undefined if the text has another form. */
export function tokenRow(
  token: string,
  given: Pick<TokenRow, 'name' | 'tenants' | 'scopes'>,
  now = new Date(),
): TokenRow | undefined {
  const match = TOKEN.exec(token)
  if (match === null) return undefined
  return { id: match[1], ...given, secretSha256: sha256(match[2]), created: now.toISOString() }
}

/** Returns the row of a valid token, which may have expired. */
export function findToken(rows: readonly TokenRow[], token: string): TokenRow | undefined {
  const match = TOKEN.exec(token)
  if (match === null) return undefined
  const row = rows.find(candidate => candidate.id === match[1])
  if (row === undefined) return undefined
  const same = timingSafeEqual(Buffer.from(row.secretSha256, 'hex'), Buffer.from(sha256(match[2]), 'hex'))
  return same ? row : undefined
}

export function isExpired({ expires }: Pick<TokenRow, 'expires'>, now = Date.now()): boolean {
  return expires !== undefined && Date.parse(expires) <= now
}

/**
 * Replaces a token by a new one with the same name and permissions, and the same lifetime unless another is given. The old one
 * stays valid until `overlapEnds`, so that clients can be changed one after the other.
 */
export function rotateToken(
  old: TokenRow,
  { overlapEnds, expires }: { readonly overlapEnds: Date; readonly expires?: string | undefined },
  now = new Date(),
): { readonly old: TokenRow; readonly next: NewToken } {
  const { name, tenants, scopes } = old
  const lifetime = old.expires === undefined ? undefined : Date.parse(old.expires) - Date.parse(old.created)
  const renewed = lifetime === undefined ? undefined : new Date(now.getTime() + lifetime).toISOString()
  const ends = overlapEnds.toISOString()
  return {
    old: { ...old, expires: old.expires !== undefined && old.expires < ends ? old.expires : ends },
    next: makeToken({ name, tenants, scopes, expires: expires ?? renewed }, now),
  }
}

function sha256(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
