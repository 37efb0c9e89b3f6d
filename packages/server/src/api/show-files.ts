// Serves the UI for a few local files on the loopback interface. The files are below an unguessable path.
// There is no store and no API, and the UI offers files only.
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { fastify } from 'fastify'
import { schemaController } from '../http/listener.ts'
import { checkSite } from '../access/site-rules.ts'
import { addWebApp } from './web-app.ts'

const HOST = '127.0.0.1'

export interface ShownFile {
  readonly name: string
  /** A path that is read on each request, or content that was read already. */
  readonly content: string | Uint8Array
}

export interface ShownFiles {
  /** The URL that opens the UI with the files. */
  readonly url: string
  close(): Promise<void>
}

/** `directory` has the built UI. Port 0 is any free port. */
export async function showFiles(directory: string, files: readonly ShownFile[], port = 0): Promise<ShownFiles> {
  const token = randomBytes(18).toString('base64url')
  const app = fastify({ forceCloseConnections: true, schemaController })
  app.addHook('onRequest', async request => checkSite(request.headers, { host: HOST }))
  for (const [i, { content }] of files.entries()) {
    app.get(`/files/${token}/${i}/:name`, async (_, reply) =>
      reply
        .type('application/octet-stream')
        .headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
        .send(typeof content === 'string' ? createReadStream(content) : Buffer.from(content)),
    )
  }
  addWebApp(app, directory, page => page.replace('<html', '<html data-only="files"'))
  const address = await app.listen({ host: HOST, port })
  const opened = files.map(
    ({ name }, i) => `open=${encodeURIComponent(`files/${token}/${i}/${encodeURIComponent(basename(name))}`)}`,
  )
  return { url: `${address}/file?${opened.join('&')}`, close: () => app.close() }
}
