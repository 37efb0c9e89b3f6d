// The web page for a few files of this machine: on a port of the loopback interface that is free, the files below a path
// that cannot be guessed. There is no store and no API; the page knows, and offers files alone.
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { fastify } from 'fastify'
import { addWebApp } from './web-app.ts'

export interface ShownFile {
  readonly name: string
  /** A path that is read whenever it is asked for, or what was read already. */
  readonly content: string | Uint8Array
}

export interface ShownFiles {
  /** Where a browser finds the page with the files opened. */
  readonly url: string
  close(): Promise<void>
}

/** `directory` is that of the built page. */
export async function showFiles(directory: string, files: readonly ShownFile[]): Promise<ShownFiles> {
  const token = randomBytes(18).toString('base64url')
  const app = fastify({ forceCloseConnections: true })
  // A page elsewhere whose name was made to lead here is not the one that was opened.
  app.addHook('onRequest', async (request, reply) => {
    if (!/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(request.headers.host ?? '')) await reply.code(403).send()
  })
  for (const [i, { content }] of files.entries()) {
    app.get(`/files/${token}/${i}/:name`, async (_, reply) =>
      reply
        .type('application/octet-stream')
        .headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
        .send(typeof content === 'string' ? createReadStream(content) : Buffer.from(content)),
    )
  }
  addWebApp(app, directory, page => page.replace('<html', '<html data-only="files"'))
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const opened = files.map(
    ({ name }, i) => `open=${encodeURIComponent(`files/${token}/${i}/${encodeURIComponent(basename(name))}`)}`,
  )
  return { url: `${address}/file?${opened.join('&')}`, close: () => app.close() }
}
