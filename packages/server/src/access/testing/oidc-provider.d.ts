// The part of the package `oidc-provider` that tests use. It has no types of its own.
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export default class Provider {
    constructor(issuer: string, configuration: object)
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    on(event: string, listener: (...values: unknown[]) => void): this
  }
}
