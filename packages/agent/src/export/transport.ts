// One try to hand over one encoded payload, and what came of it: what the ways to a backend have in common.
import { readFileSync } from 'node:fs'
import type { Destination } from '../configuration/options.ts'

export type Outcome =
  | { readonly kind: 'accepted' }
  /** Taken, but not all of it, or with a remark: not to be sent again. */
  | { readonly kind: 'partial'; readonly rejected: bigint; readonly message: string }
  | { readonly kind: 'retry'; readonly why: string; readonly afterMillis: number | undefined }
  | { readonly kind: 'refused'; readonly why: string }

export interface Transport {
  /** Never rejects. */
  send(body: Uint8Array): Promise<Outcome>
  close(): void
}

/** Of an answer; OTLP allows 4 MiB, but what is said there fits in far less. */
export const MAX_ANSWER_BYTES = 256 * 1024

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
      onProblem(`${path} cannot be read: ${reasonOf(error)}`)
      return undefined
    }
  }
  const ca = read(certificate)
  const cert = read(clientCertificate)
  const key = read(clientKey)
  return { ...(ca && { ca }), ...(cert && key && { cert, key }) }
}

/** A connection error as one line. Tries at several addresses come as an AggregateError without a message. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  if (error instanceof Error) return error.message === '' ? error.name : error.message
  return String(error)
}
