// Sign-in at an OpenID Connect provider: the authorization code flow with PKCE. The library checks the issuer, the audience, the
// nonce, the state, the expiry and the signature of the id token.
import * as client from 'openid-client'
import { isLoopback } from './gatekeeper.ts'
import type { ClaimRule, Claims } from './claim-rules.ts'
import { accessOf, hasClaim } from './claim-rules.ts'
import type { Person } from './sessions.ts'

export interface OidcOptions {
  readonly issuer: string
  readonly clientId: string
  /** Undefined for a public client, which PKCE protects. */
  readonly clientSecret?: string | undefined
  /** The scopes to request, separated by spaces. */
  readonly scopes: string
  readonly rules: readonly ClaimRule[]
}

/** The state of a sign-in between its two requests. The browser keeps it in a cookie. */
export interface PendingSignIn {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export class SignInError extends Error {
  override readonly name = 'SignInError'
  /** 403: the person has no access. 502: the provider failed. 400: the response is invalid. */
  readonly status: 400 | 403 | 502
  /** The name of the person, if it is known. */
  readonly person: string

  constructor(status: 400 | 403 | 502, message: string, person = '', options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.person = person
  }
}

/** Seconds to wait for a response of the provider. */
const TIMEOUT_SECONDS = 10

export class OidcSignIn {
  readonly #options: OidcOptions
  #discovered: Promise<client.Configuration> | undefined

  constructor(options: OidcOptions) {
    this.#options = options
  }

  /** Returns the URL of the provider to send the browser to. Throws SignInError. */
  async start(redirectUri: string): Promise<{ readonly url: URL; readonly pending: PendingSignIn }> {
    const configuration = await this.#configuration()
    const pending = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    }
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.#options.scopes,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: 'S256',
    })
    return { url, pending }
  }

  /** `callback` is the URL that the provider sent the browser back to. Throws SignInError. */
  async finish(callback: URL, { state, nonce, verifier }: PendingSignIn): Promise<Person> {
    const configuration = await this.#configuration()
    const tokens = await client
      .authorizationCodeGrant(configuration, callback, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      .catch((error: unknown) => {
        throw failureOf(error)
      })
    const idToken = tokens.claims()
    if (idToken === undefined) throw new SignInError(400, 'the provider sent no id token')
    const { rules } = this.#options
    const isComplete = rules.every(({ claim }) => hasClaim(idToken, claim))
    const more =
      isComplete || configuration.serverMetadata().userinfo_endpoint === undefined
        ? {}
        : await client.fetchUserInfo(configuration, tokens.access_token, idToken.sub).catch((error: unknown) => {
            throw failureOf(error)
          })
    const claims: Claims = { ...more, ...idToken }
    const name = [claims['email'], claims['preferred_username'], claims['name'], idToken.sub].find(
      each => typeof each === 'string' && each !== '',
    ) as string
    const access = accessOf(rules, claims)
    if (access === undefined) throw new SignInError(403, `no rule of oidc-access grants access to ${name}`, name)
    return { subject: idToken.sub, name, ...access }
  }

  /** Requests the provider's configuration once, and again after a failure: it may start later than this server. */
  async #configuration(): Promise<client.Configuration> {
    this.#discovered ??= this.#discover()
    try {
      return await this.#discovered
    } catch (error) {
      this.#discovered = undefined
      throw failureOf(error)
    }
  }

  async #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.#options
    const url = new URL(issuer)
    const isLocal = url.protocol === 'http:' && isLoopback(url.hostname)
    return client.discovery(
      url,
      clientId,
      undefined,
      clientSecret === undefined ? client.None() : client.ClientSecretPost(clientSecret),
      {
        timeout: TIMEOUT_SECONDS,
        execute: [client.enableNonRepudiationChecks, ...(isLocal ? [client.allowInsecureRequests] : [])],
      },
    )
  }
}

/** Says who is at fault, without secrets. */
function failureOf(error: unknown): SignInError {
  if (error instanceof SignInError) return error
  if (error instanceof client.AuthorizationResponseError)
    return new SignInError(400, `the provider refused: ${error.error}`, '', { cause: error })
  if (error instanceof client.ResponseBodyError)
    return new SignInError(400, `the provider refused: ${error.error}`, '', { cause: error })
  if (
    error instanceof client.ClientError &&
    error.code?.startsWith('OAUTH_') === true &&
    error.code !== 'OAUTH_TIMEOUT'
  )
    return new SignInError(400, `the response of the provider is invalid (${error.code})`, '', { cause: error })
  return new SignInError(502, 'the identity provider is unreachable', '', { cause: error })
}
