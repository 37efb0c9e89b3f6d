// One attempt to send one encoded payload, and its outcome. Shared by all transports.
import { reasonOf } from '../record/reason-of.ts'
import { readFileSync } from 'node:fs'
import type { Destination } from '../configuration/options.ts'

export type Outcome =
  | { readonly kind: 'accepted' }
  /** Accepted in part, or with a warning. Must not be sent again. */
  | { readonly kind: 'partial'; readonly rejected: bigint; readonly message: string }
  | { readonly kind: 'retry'; readonly why: string; readonly afterMillis: number | undefined }
  | { readonly kind: 'rejected'; readonly why: string }

export interface Transport {
  /** Never rejects. */
  send(body: Uint8Array): Promise<Outcome>
  close(): void
}

/** States the version of the profiles format. Servers that know the header reject versions that they do not support. */
export const VERSION_HEADERS = { 'otlp-profiles-development-version': '1' } as const

/** The maximum size of a response. OTLP allows 4 MiB, but these responses are far smaller. */
export const MAX_RESPONSE_BYTES = 256 * 1024

export interface TlsOptions {
  readonly ca?: Buffer
  readonly cert?: Buffer
  readonly key?: Buffer
}

export function tlsOptions(destination: Destination, onProblem: (problem: string) => void): TlsOptions {
  const { certificate, clientCertificate, clientKey } = destination
  const read = (path: string | undefined): Buffer | undefined => {
    if (path === undefined) return undefined
    try {
      return readFileSync(path)
    } catch (error) {
      onProblem(`cannot read ${path}: ${reasonOf(error)}`)
      return undefined
    }
  }
  const ca = read(certificate)
  const cert = read(clientCertificate)
  const key = read(clientKey)
  return { ...(ca && { ca }), ...(cert && key && { cert, key }) }
}
