// Tests of the UI for local files, over real sockets.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ShownFiles } from './show-files.ts'
import { showFiles } from './show-files.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-show-'))
let shown: ShownFiles
let opened: string[]

beforeAll(async () => {
  writeFileSync(join(directory, 'index.html'), '<!doctype html><html lang="en"><title>Hearth</title></html>')
  writeFileSync(join(directory, 'cpu #1.folded'), 'main 1\n')
  shown = await showFiles(directory, [
    { name: join(directory, 'cpu #1.folded'), content: join(directory, 'cpu #1.folded') },
    { name: 'stdin', content: new TextEncoder().encode('main 2\n') },
  ])
  opened = new URL(shown.url).searchParams.getAll('open').map(path => new URL(path, shown.url).href)
})
afterAll(async () => {
  await shown.close()
  rmSync(directory, { recursive: true })
})

test('serves the UI with a mark that there is no server', async () => {
  const response = await fetch(shown.url)
  expect(await response.text()).toContain('<html data-only="files" lang="en">')
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
})

test('serves the files below an unguessable path', async () => {
  expect(await Promise.all(opened.map(async url => await (await fetch(url)).text()))).toEqual(['main 1\n', 'main 2\n'])
  expect(decodeURIComponent(opened[0])).toMatch(/\/files\/[\w-]{24}\/0\/cpu #1\.folded$/)
  const guess = opened[0].replace(/files\/[\w-]+/, `files/${'A'.repeat(24)}`)
  expect([(await fetch(guess)).status, (await fetch(new URL('/api/v1/status', shown.url))).status]).toEqual([404, 404])
})

test('rejects requests with another host name', async () => {
  const { hostname, port, pathname } = new URL(opened[0])
  const sent = request({ hostname, port, path: pathname, headers: { host: 'elsewhere.example' } }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  expect(response.statusCode).toBe(403)
  response.resume()
})
