// Makes the data directory of a release, with requests of all signals, as a file for the test of migrations:
//   node --conditions=hearth-source --import tsx packages/server/src/store/schema/testing/make-store.node.ts FILE.tar.gz
// Run it once for each release, with the code of that release, and never again.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { sendHttp } from '../../../testing/senders.ts'
import { ServerProcess } from '../../../testing/server-process.ts'
import { RELEASE_REQUESTS } from './release-requests.ts'

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('usage: make-store.node.ts FILE.tar.gz')
const data = mkdtempSync(join(tmpdir(), 'hearth-release-'))
const server = await ServerProcess.start({ data, 'self-profile': 'no', 'disk-reserve': '1MiB' })
for (const request of RELEASE_REQUESTS) {
  const { status, text } = await sendHttp(server, request)
  if (status !== 200) throw new Error(`${status} ${text}`)
}
await server.settled()
await server.end()
execFileSync('tar', ['-czf', resolve(file), '-C', data, '.'])
rmSync(data, { recursive: true })
