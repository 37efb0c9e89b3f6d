// Certificates for all ports, read once at startup.
import { readFileSync } from 'node:fs'

export interface TlsFiles {
  readonly cert: Buffer
  readonly key: Buffer
  /** The authority that signs certificates of clients. If set, every client needs a certificate. */
  readonly ca?: Buffer
  readonly requestCert: boolean
  readonly rejectUnauthorized: boolean
}

/** Throws an error that names the unreadable file. */
export function readTlsFiles(cert: string, key: string, clientCa: string | undefined): TlsFiles {
  return {
    cert: readFileSync(cert),
    key: readFileSync(key),
    ...(clientCa === undefined ? {} : { ca: readFileSync(clientCa) }),
    requestCert: clientCa !== undefined,
    rejectUnauthorized: clientCa !== undefined,
  }
}
