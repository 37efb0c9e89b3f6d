// The pages of signing in at an identity provider: /auth/sign-in sends the browser there, and /auth/callback receives it back.
// The state between both is in a cookie of the browser, so that the server keeps nothing for strangers.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { AuditLog } from '../access/audit-log.ts'
import type { OidcSignIn } from '../access/oidc.ts'
import { SignInError } from '../access/oidc.ts'
import type { Sessions } from '../access/sessions.ts'
import { cookieOf, cookieText, sessionCookie } from '../access/session-cookie.ts'

export interface SignInOptions {
  readonly oidc: OidcSignIn
  readonly sessions: Sessions
  /** The URL of the UI as browsers see it. Default: the host of the request. */
  readonly publicUrl?: string | undefined
  readonly audit: AuditLog
  readonly onError: (error: unknown) => void
}

const PENDING = 'hearth_sign_in'
const PENDING_SECONDS = 600
/** Longer paths are not remembered: a cookie has at most 4 KiB. */
const MAX_PATH = 2000

const pendingState = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  returnTo: z.string(),
})

export function addSignIn(app: FastifyInstance, options: SignInOptions): void {
  app.get('/auth/sign-in', async (request, reply) =>
    withErrorPage(options, request, reply, () => start(options, request, reply)),
  )
  app.get('/auth/callback', async (request, reply) =>
    withErrorPage(options, request, reply, () => finish(options, request, reply)),
  )
}

async function start({ oidc, publicUrl }: SignInOptions, request: FastifyRequest, reply: FastifyReply) {
  const redirectUri = new URL('auth/callback', baseUrl(request, publicUrl)).href
  const { url, pending } = await oidc.start(redirectUri)
  const { return: wanted } = request.query as { readonly return?: unknown }
  const state = { ...pending, redirectUri, returnTo: localPath(wanted) }
  const text = Buffer.from(JSON.stringify(state)).toString('base64url')
  // Lax: the browser comes back from another site.
  return reply
    .header('set-cookie', pendingCookie(text, redirectUri, PENDING_SECONDS))
    .header('cache-control', 'no-store')
    .redirect(url.href)
}

async function finish({ oidc, sessions, audit }: SignInOptions, request: FastifyRequest, reply: FastifyReply) {
  const { redirectUri, returnTo, ...pending } = pendingOf(request)
  const callback = new URL(redirectUri)
  callback.search = new URL(request.url, redirectUri).search
  const person = await oidc.finish(callback, pending)
  const isSecure = callback.protocol === 'https:'
  const { name: actor, subject, tenants, scopes } = person
  audit.add({
    action: 'sign-in',
    actor,
    address: request.ip,
    details: { kind: 'person', subject, tenants: tenants.join(' '), scopes: scopes.join(' ') },
  })
  return reply
    .header('set-cookie', [sessionCookie(sessions.create(person), isSecure), pendingCookie('', redirectUri, 0)])
    .header('cache-control', 'no-store')
    .redirect(returnTo)
}

/** Turns errors into a page, because a browser shows it. */
async function withErrorPage(
  { audit, onError }: SignInOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  respond: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await respond()
  } catch (error) {
    const failure =
      error instanceof SignInError
        ? error
        : new SignInError(502, 'the server failed; see its log', '', { cause: error })
    if (failure.status === 502) onError(failure.cause ?? failure)
    const { message, person, status } = failure
    audit.add({
      action: 'sign-in-failed',
      actor: person === '' ? 'anyone' : person,
      address: request.ip,
      details: { kind: 'person', reason: message },
    })
    return reply
      .code(status)
      .headers({ 'cache-control': 'no-store', 'content-security-policy': "default-src 'none'" })
      .type('text/html; charset=utf-8')
      .send(failurePage(message))
  }
}

function failurePage(message: string): string {
  const text = message.replaceAll(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
  return (
    `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Sign-in failed · Hearth</title>` +
    `<h1>Sign-in failed</h1><p>${text}</p><p><a href="/auth/sign-in">Try again</a> · <a href="/">Back to Hearth</a></p></html>`
  )
}

function pendingOf(request: FastifyRequest): z.infer<typeof pendingState> {
  try {
    const text = Buffer.from(cookieOf(request.headers, PENDING) ?? '', 'base64url').toString('utf8')
    return pendingState.parse(JSON.parse(text))
  } catch (error) {
    throw new SignInError(400, 'the sign-in took too long, or was started in another browser', '', { cause: error })
  }
}

function pendingCookie(text: string, redirectUri: string, maxAgeSeconds: number): string {
  const isSecure = redirectUri.startsWith('https:')
  return cookieText(PENDING, text, { isSecure, path: '/auth', sameSite: 'Lax', maxAgeSeconds })
}

function baseUrl({ protocol, headers: { host = '' } }: FastifyRequest, publicUrl: string | undefined): string {
  if (publicUrl === undefined) return `${protocol}://${host}/`
  return publicUrl.endsWith('/') ? publicUrl : `${publicUrl}/`
}

/** Only a path of this server: `//host` and `/\host` would lead to another one. */
function localPath(wanted: unknown): string {
  const isLocal = typeof wanted === 'string' && wanted.length <= MAX_PATH && /^\/(?![/\\])[^\\\s]*$/.test(wanted)
  return isLocal ? wanted : '/'
}
