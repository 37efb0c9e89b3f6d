// Starts the backends of other projects, with their data in a folder and without other servers.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RunningPeer, freePort } from './peer.ts'

export interface RunningBackend {
  readonly running: RunningPeer
  /** The address of HTTP. Parca receives gRPC there too. */
  readonly address: string
}

export async function startPyroscope(program: string, folder: string): Promise<RunningBackend> {
  const [port, grpcPort] = [await freePort(), await freePort()]
  const address = `http://127.0.0.1:${port}`
  const running = new RunningPeer(program, [
    `-server.http-listen-port=${port}`,
    `-server.grpc-listen-port=${grpcPort}`,
    `-memberlist.bind-port=${await freePort()}`,
    `-pyroscopedb.data-path=${join(folder, 'pyroscope')}`,
    '-storage.backend=filesystem',
    `-storage.filesystem.dir=${join(folder, 'pyroscope-shared')}`,
  ])
  await running.until(async () => (await fetch(`${address}/ready`)).ok)
  return { running, address }
}

export async function startParca(program: string, folder: string): Promise<RunningBackend> {
  const host = `127.0.0.1:${await freePort()}`
  const configuration = join(folder, 'parca.yaml')
  const bucket = { type: 'FILESYSTEM', config: { directory: join(folder, 'parca') } }
  writeFileSync(configuration, JSON.stringify({ object_storage: { bucket } }))
  const running = new RunningPeer(program, ['--config-path', configuration, '--http-address', host])
  // A Parca without its UI, as the Go proxy has it, responds to no other path.
  await running.until(async () => (await fetch(`http://${host}/metrics`)).ok)
  return { running, address: `http://${host}` }
}
