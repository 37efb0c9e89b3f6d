// TLS on all three ports, with and without certificates of clients.
import { mkdtempSync, rmSync } from 'node:fs'
import type { RequestOptions } from 'node:https'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { credentials, status } from '@grpc/grpc-js'
import { afterAll, describe, expect, test } from 'vitest'
import type { TestCertificate } from './testing/certificates.ts'
import { hasOpenssl, makeCertificate } from './testing/certificates.ts'
import { startReceivers } from './testing/receivers.ts'
import { span, tracesProtobuf } from './testing/requests.ts'
import { GrpcSender, PROTOBUF } from './testing/senders.ts'
import { readTlsFiles } from './tls-files.ts'

const available = hasOpenssl()
if (!available) process.stderr.write('SKIPPED: TLS, because openssl is not installed\n')
const directory = mkdtempSync(join(tmpdir(), 'hearth-tls-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** A server that requires another certificate ends the connection with an alert, or before the client can read it. */
const CUT = /alert|socket hang up|ECONNRESET|EPIPE/
const body = tracesProtobuf(span('a'))

/** The HTTP status of an export over HTTPS. */
async function post(url: string, options: RequestOptions): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/traces`, { ...options, method: 'POST', headers: { 'content-type': PROTOBUF } })
    sent.on('response', response => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const sslOf = (ca: TestCertificate, own?: TestCertificate) => credentials.createSsl(ca.cert, own?.key, own?.cert)

describe.skipIf(!available)('TLS', () => {
  const server = available ? makeCertificate(directory, 'server') : undefined!
  const friend = available ? makeCertificate(directory, 'friend') : undefined!
  const stranger = available ? makeCertificate(directory, 'stranger') : undefined!

  test('encrypts connections with a certificate that clients can check', async () => {
    const at = await startReceivers({ tls: readTlsFiles(server.certFile, server.keyFile, undefined) })
    try {
      expect(await post(at.http, { ca: server.cert })).toBe(200)
      await expect(post(at.http, { ca: stranger.cert })).rejects.toThrow(/certificate/)
      await expect(fetch(at.http.replace('https', 'http'))).rejects.toThrow(/fetch failed/)
      const sender = new GrpcSender(at.grpcPort, {}, sslOf(server), 'localhost')
      expect(await sender.export('traces', body)).toHaveLength(0)
      sender.close()
      const plain = new GrpcSender(at.grpcPort)
      expect((await plain.refusal('traces', body)).code).toBe(status.UNAVAILABLE)
      plain.close()
    } finally {
      await at.close()
    }
  })

  test('accepts only clients with a known certificate', async () => {
    const at = await startReceivers({ tls: readTlsFiles(server.certFile, server.keyFile, friend.certFile) })
    try {
      expect(await post(at.http, { ca: server.cert, cert: friend.cert, key: friend.key })).toBe(200)
      await expect(post(at.http, { ca: server.cert })).rejects.toThrow(CUT)
      await expect(post(at.http, { ca: server.cert, cert: stranger.cert, key: stranger.key })).rejects.toThrow(CUT)
      for (const [own, code] of [
        [friend, undefined],
        [stranger, status.UNAVAILABLE],
        [undefined, status.UNAVAILABLE],
      ] as const) {
        const sender = new GrpcSender(at.grpcPort, {}, sslOf(server, own), 'localhost')
        const result = await sender.export('traces', body).then(
          () => undefined,
          (error: unknown) => (error as { code: number }).code,
        )
        expect(result).toBe(code)
        sender.close()
      }
    } finally {
      await at.close()
    }
  })

  test('names a file that does not exist', () => {
    expect(() => readTlsFiles(join(directory, 'none.crt'), server.keyFile, undefined)).toThrow(/none\.crt/)
  })
})
