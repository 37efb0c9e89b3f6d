// Certificates for all ports, read once at start.
import { readFileSync } from 'node:fs'

export interface TlsFiles {
  readonly cert: Buffer
  readonly key: Buffer
  /** Those who sign clients; then every client must have a certificate. */
  readonly ca?: Buffer
  readonly requestCert: boolean
  readonly rejectUnauthorized: boolean
}

/** Throws with the name of the file that cannot be read. */
export function readTlsFiles(cert: string, key: string, clientCa: string | undefined): TlsFiles {
  return {
    cert: readFileSync(cert),
    key: readFileSync(key),
    ...(clientCa === undefined ? {} : { ca: readFileSync(clientCa) }),
    requestCert: clientCa !== undefined,
    rejectUnauthorized: clientCa !== undefined,
  }
}
