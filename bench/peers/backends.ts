// Hearth, Pyroscope and Parca as the benchmark starts them: on loopback, with a folder for their data, without limits of
// requests a second, and without sending anything to other machines.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { IngestServer } from '../server/ingest-server.ts'
import type { Backend } from './backend.ts'
import { PeerProcess } from './backend.ts'
import { parcaQueries } from './parca-queries.ts'
import { pyroscopeQueries } from './pyroscope-queries.ts'

const PUSH = '/push.v1.PusherService/Push'
const OTLP = '/v1development/profiles'
const WRITE_RAW = '/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw'

export const hearth: Backend = {
  name: 'Hearth',
  start: async folder => {
    const server = await IngestServer.start([], [], folder)
    const url = `http://127.0.0.1:${server.httpPort}`
    return {
      pid: server.pid,
      pprof: { url: `${url}${PUSH}` },
      otlp: { url: `${server.otlp}${OTLP}` },
      queries: pyroscopeQueries(url),
      stop: async () => await server.stop(),
    }
  },
}

/** Pyroscope with its second storage only, on a file system. Its other files are in the working directory. */
export function pyroscope(file: string): Backend {
  let args: readonly string[] = []
  let url = ''
  return {
    name: 'Pyroscope',
    start: async folder => {
      // A restart needs the same ports, because they are part of the state of Pyroscope's metadata.
      if (args.length === 0) {
        const [http, grpc, members, raft] = await Promise.all([freePort(), freePort(), freePort(), freePort()])
        url = `http://127.0.0.1:${http}`
        args = pyroscopeFlags(http, grpc, members, raft)
      }
      const child = new PeerProcess(file, args, { cwd: folder, env: { PYROSCOPE_V2: '1' } })
      await child.ready(`${url}/ready`)
      return {
        pid: child.pid,
        pprof: { url: `${url}${PUSH}` },
        otlp: { url: `${url}${OTLP}` },
        queries: pyroscopeQueries(url),
        stop: async () => await child.stop(),
      }
    },
  }
}

function pyroscopeFlags(http: number, grpc: number, members: number, raft: number): readonly string[] {
  const host = '127.0.0.1'
  const instances = [
    'distributor.ring.instance-addr',
    'segment-writer.lifecycler.addr',
    'overrides-exporter.ring.instance-addr',
    'query-frontend.instance-addr',
  ]
  return [
    `-server.http-listen-address=${host}`,
    `-server.http-listen-port=${http}`,
    `-server.grpc-listen-address=${host}`,
    `-server.grpc-listen-port=${grpc}`,
    `-memberlist.bind-addr=${host}`,
    `-memberlist.bind-port=${members}`,
    ...['server-id', 'bind-address', 'advertise-address'].map(flag => `-metastore.raft.${flag}=${host}:${raft}`),
    ...['metastore.address', 'query-backend.address'].map(flag => `-${flag}=${host}:${grpc}`),
    ...instances.map(flag => `-${flag}=${host}`),
    '-write-path=segment-writer',
    '-enable-query-backend=true',
    '-all.enable-v1-write-path=false',
    '-all.enable-v1-read-path=false',
    '-metastore.min-ready-duration=0s',
    '-segment-writer.min-ready-duration=0s',
    '-storage.backend=filesystem',
    '-storage.filesystem.dir=./data/shared',
    '-distributor.ingestion-rate-limit-mb=100000',
    '-distributor.ingestion-burst-size-mb=100000',
    '-self-profiling.disable-push=true',
    '-usage-stats.enabled=false',
    '-log.level=error',
  ]
}

/** Parca with persistence. It keeps profiles in memory: 3,000 take more than a gigabyte. */
export function parca(file: string): Backend {
  return {
    name: 'Parca',
    maxProfiles: 3000,
    start: async folder => {
      const address = `127.0.0.1:${await freePort()}`
      const configuration = join(folder, 'parca.json')
      const bucket = { type: 'FILESYSTEM', config: { directory: join(folder, 'bucket') } }
      writeFileSync(configuration, JSON.stringify({ object_storage: { bucket } }))
      const child = new PeerProcess(file, [
        `--config-path=${configuration}`,
        `--http-address=${address}`,
        '--enable-persistence',
        `--storage-path=${join(folder, 'data')}`,
      ])
      await child.ready(`http://${address}/metrics`)
      return {
        pid: child.pid,
        pprof: { address, path: WRITE_RAW },
        queries: parcaQueries(`http://${address}`),
        stop: async () => await child.stop(),
      }
    },
  }
}
