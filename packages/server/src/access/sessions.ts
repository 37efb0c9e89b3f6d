// The sessions of people who signed in at an identity provider. A browser has a random id in a cookie. The server stores the
// SHA-256 of the id, so that its file opens no session. Sessions survive a restart.
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { StateFile } from '../files/state-file.ts'
import { isTenantName } from './access-file.ts'
import type { Grant, SignedIn } from './gatekeeper.ts'
import type { AccessScope } from './tokens.ts'
import { SCOPES, isExpired } from './tokens.ts'

const sessionFile = z.strictObject({
  sessions: z.array(
    z.strictObject({
      idSha256: z.string().regex(/^[0-9a-f]{64}$/),
      /** The subject at the identity provider. */
      subject: z.string(),
      name: z.string(),
      tenants: z.array(z.string().refine(name => name === '*' || isTenantName(name))).min(1),
      scopes: z.array(z.enum(SCOPES)).min(1),
      expires: z.iso.datetime(),
    }),
  ),
})
type Session = z.infer<typeof sessionFile>['sessions'][number]

/** A person with permissions, as the rules map the claims of the identity provider. */
export interface Person {
  readonly subject: string
  readonly name: string
  readonly tenants: readonly string[]
  readonly scopes: readonly AccessScope[]
}

/** Beyond this number, the sessions that end first are dropped. */
const MAX_SESSIONS = 10_000

export class Sessions implements SignedIn {
  readonly #file: StateFile<z.infer<typeof sessionFile>>
  readonly #lifetimeMs: number
  /** By the hash of the id. */
  readonly #sessions = new Map<string, Session>()

  /** If the file has no intact version, everybody has to sign in again. */
  constructor(dataDirectory: string, lifetimeMs: number) {
    this.#file = new StateFile(join(dataDirectory, 'sessions.json'), {
      parse: value => sessionFile.parse(value),
      optional: true,
    })
    this.#lifetimeMs = lifetimeMs
    for (const session of this.#file.read().content?.sessions ?? []) this.#sessions.set(session.idSha256, session)
  }

  /** Returns the id for the cookie. */
  create({ subject, name, tenants, scopes }: Person, now = Date.now()): string {
    const id = randomBytes(24).toString('base64url')
    for (const [hash, session] of this.#sessions) if (isExpired(session, now)) this.#sessions.delete(hash)
    const expires = new Date(now + this.#lifetimeMs).toISOString()
    const idSha256 = hashOf(id)
    this.#sessions.set(idSha256, { idSha256, subject, name, tenants: [...tenants], scopes: [...scopes], expires })
    // A map keeps the order of insertion, and every session has the same lifetime.
    for (const hash of [...this.#sessions.keys()].slice(0, Math.max(0, this.#sessions.size - MAX_SESSIONS)))
      this.#sessions.delete(hash)
    this.#write()
    return id
  }

  find(id: string, now = Date.now()): Grant | undefined {
    const session = this.#sessions.get(hashOf(id))
    if (session === undefined || isExpired(session, now)) return undefined
    const { subject, name, tenants, scopes, expires } = session
    return { kind: 'person', id: subject, name, tenants, scopes, expires }
  }

  end(id: string): void {
    if (!this.#sessions.delete(hashOf(id))) return
    // Twice, so that the previous version does not open the session again.
    for (let version = 0; version < 2; version++) this.#write()
  }

  #write(): void {
    this.#file.writeSync({ sessions: [...this.#sessions.values()] })
  }
}

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex')
}
