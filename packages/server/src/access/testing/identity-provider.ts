// A real OpenID Connect provider on loopback, and a browser without a screen that signs in there.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export interface IdentityProvider {
  readonly issuer: string
  close(): Promise<void>
}

export const CLIENT_ID = 'hearth-test'
export const CLIENT_SECRET = 'a secret of at least a few characters'

/** `claimsOf` returns the claims of a person by the name that is entered. The groups are in the userinfo response only. */
export async function startIdentityProvider(
  redirectUri: string,
  claimsOf: (login: string) => object,
): Promise<IdentityProvider> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    scopes: ['openid', 'email', 'groups'],
    cookies: { keys: ['a key for tests'] },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, ...claimsOf(id) }),
    }),
  })
  server.on('request', provider.callback())
  return {
    issuer,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Follows redirects, and keeps the cookies of each host and path. */
export class TestBrowser {
  readonly #cookies = new Map<string, Map<string, string>>()

  /** Requests a URL without following redirects. */
  async visit(url: string, init: RequestInit = {}): Promise<Response> {
    const { host } = new URL(url)
    const jar = this.#cookies.get(host) ?? new Map<string, string>()
    this.#cookies.set(host, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(init.headers as Record<string, string>), ...(cookie === '' ? {} : { cookie }) }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const text of response.headers.getSetCookie()) {
      const [pair] = text.split(';')
      const equals = pair.indexOf('=')
      const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)]
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }

  /** Follows redirects until a URL that `isEnd` accepts, and fills in the forms of the provider. Returns that URL. */
  async signIn(from: string, login: string, isEnd: (url: string) => boolean): Promise<string> {
    let url = from
    let response = await this.visit(url)
    for (let step = 0; step < 20; step++) {
      const location = response.headers.get('location')
      if (location !== null) {
        url = new URL(location, url).href
        if (isEnd(url)) return url
        response = await this.visit(url)
        continue
      }
      const page = await response.text()
      const action = /action="([^"]+)"/.exec(page)?.[1]
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
      if (action === undefined || prompt === undefined)
        throw new Error(`${url}: ${response.status} ${page.slice(0, 200)}`)
      url = new URL(action, url).href
      const body = new URLSearchParams({ prompt, ...(prompt === 'login' ? { login, password: 'any' } : {}) })
      response = await this.visit(url, { method: 'POST', body })
    }
    throw new Error('too many redirects')
  }
}
