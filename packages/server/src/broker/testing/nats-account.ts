// A NATS account: signed tokens (JWT) for a server's configuration, and credentials for a file.
import { randomUUID } from 'node:crypto'
import { nkeys } from '@nats-io/transport-node'

type KeyPair = ReturnType<typeof nkeys.createUser>

export interface NatsAccount {
  /** Lines of the server's configuration. */
  readonly settings: readonly string[]
  /** The content of a .creds file for a new user. */
  credentials(): string
}

export function makeNatsAccount(): NatsAccount {
  const operator = nkeys.createOperator()
  const account = nkeys.createAccount()
  const any = { subs: -1, data: -1, payload: -1 }
  const limits = { ...any, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 }
  const accountToken = tokenOf(operator, account, { type: 'account', limits })
  return {
    settings: [
      `operator: "${tokenOf(operator, operator, { type: 'operator' })}"`,
      'resolver: MEMORY',
      `resolver_preload: { ${account.getPublicKey()}: "${accountToken}" }`,
    ],
    credentials: () => {
      const user = nkeys.createUser()
      const token = tokenOf(account, user, { type: 'user', pub: {}, sub: {}, ...any })
      const seed = Buffer.from(user.getSeed()).toString()
      return `${block('NATS USER JWT', token)}\n${block('USER NKEY SEED', seed)}`
    },
  }
}

/** A token about `of`, signed by `by`. */
function tokenOf(by: KeyPair, of: KeyPair, nats: object): string {
  const claims = {
    jti: randomUUID(),
    iat: Math.floor(Date.now() / 1000),
    iss: by.getPublicKey(),
    name: 'hearth',
    sub: of.getPublicKey(),
    nats: { ...nats, version: 2 },
  }
  const parts = [{ typ: 'JWT', alg: 'ed25519-nkey' }, claims].map(part => encoded(JSON.stringify(part)))
  const signed = parts.join('.')
  return `${signed}.${encoded(by.sign(Buffer.from(signed)))}`
}

function encoded(bytes: string | Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}

function block(name: string, content: string): string {
  return `-----BEGIN ${name}-----\n${content}\n------END ${name}------\n`
}
