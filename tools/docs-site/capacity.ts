// Estimates the servers, the disk and the network that hosts need: `npm run capacity -- --hosts 1000`. Writes the table of
// docs/capacity.md with `--write`. The costs are those of docs/benchmarks.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/** Measured by `npm run bench:hosts`: CPU of a server with its store, by samples per second. Each host sends 400 samples every five seconds. */
export const MEASURED: readonly (readonly [samplesPerSecond: number, cores: number])[] = [
  [8000, 0.21],
  [24_000, 0.45],
  [80_000, 0.85],
]

export const COSTS = {
  /** Bytes per sample, of 1,000 hosts. */
  disk: 5.2,
  network: 97.6,
  /** Samples per second of one server with its store on two cores, in large requests: `npm run bench:ingest`. */
  limit: 430_000,
} as const

export interface Load {
  readonly hosts: number
  /** Busy cores per host, on average. */
  readonly busyCores: number
  /** Samples per second of a busy core. */
  readonly frequency: number
  readonly days: number
  /** Copies of the data in ClickHouse. */
  readonly replicas: number
}

export interface Capacity {
  readonly samplesPerSecond: number
  /** Servers of four cores. */
  readonly servers: number
  /** ClickHouse nodes of 16 cores, replicas included; 0 if the embedded store is enough. */
  readonly nodes: number
  /** Busy cores of servers and of the store, without queries. */
  readonly cores: number
  /** Bytes on all disks. */
  readonly disk: number
  /** Bytes per second, compressed. */
  readonly network: number
}

/** Half of the CPU is left for queries, merges and peaks. */
const HEADROOM = 2
/**
 * The parts of the measured CPU that a server and a separate store take at most. Threads of the store alone take 20 %. Its statements run in
 * threads that the server uses too, so the parts add up to more than the whole.
 */
const SERVER_SHARE = 0.8
const STORE_SHARE = 0.4
const SERVER_CORES = 4
const NODE_CORES = 16
const SECONDS_PER_DAY = 86_400

export function capacityOf({ hosts, busyCores, frequency, days, replicas }: Load): Capacity {
  const samplesPerSecond = hosts * busyCores * frequency
  const isEmbedded = samplesPerSecond <= COSTS.limit / HEADROOM
  const copies = isEmbedded ? 1 : replicas
  const cores = coresOf(samplesPerSecond)
  const serverCores = cores * SERVER_SHARE
  const storeCores = cores * STORE_SHARE * copies
  return {
    samplesPerSecond,
    servers: isEmbedded ? 1 : Math.max(2, Math.ceil((HEADROOM * serverCores) / SERVER_CORES)),
    nodes: isEmbedded ? 0 : Math.max(copies, copies * Math.ceil((HEADROOM * storeCores) / copies / NODE_CORES)),
    cores: isEmbedded ? cores : serverCores + storeCores,
    disk: samplesPerSecond * SECONDS_PER_DAY * days * COSTS.disk * copies,
    network: samplesPerSecond * COSTS.network,
  }
}

/** Interpolates the measured load. Below and above it, a sample costs as much as in the nearest measurement. */
function coresOf(samplesPerSecond: number): number {
  const above = MEASURED.findIndex(([rate]) => rate > samplesPerSecond)
  if (above <= 0) {
    const [rate, cores] = MEASURED.at(above)!
    return (samplesPerSecond * cores) / rate
  }
  const [[lowRate, lowCores], [rate, cores]] = MEASURED.slice(above - 1, above + 1)
  return lowCores + ((samplesPerSecond - lowRate) * (cores - lowCores)) / (rate - lowRate)
}

export const EXAMPLE: Omit<Load, 'hosts'> = { busyCores: 4, frequency: 20, days: 14, replicas: 2 }

function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${units[power]}`
}

export function row(load: Load): string {
  const { samplesPerSecond, servers, nodes, cores, disk, network } = capacityOf(load)
  const cells = [
    load.hosts.toLocaleString('en-US'),
    samplesPerSecond.toLocaleString('en-US'),
    String(Number(cores.toPrecision(2))),
    String(servers),
    nodes === 0 ? 'embedded' : String(nodes),
    bytesText(disk),
    `${bytesText(network)}/s`,
  ]
  return `| ${cells.join(' | ')} |`
}

const HEAD = [
  '| hosts | samples/s | busy cores | Hearth servers | ClickHouse nodes | disk | network |',
  '| ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
]

export function capacityTable(): string {
  const hosts = [10, 100, 1000, 3000, 10_000, 30_000, 100_000]
  return [...HEAD, ...hosts.map(each => row({ ...EXAMPLE, hosts: each }))].join('\n')
}

export const CAPACITY_PAGE = join(import.meta.dirname, '..', '..', 'docs', 'capacity.md')
const [OPEN, CLOSE] = ['<!-- capacity -->\n', '<!-- /capacity -->']

/** The page with the current table. Throws if the page has no place for it. */
export function withTable(page: string): string {
  const [open, close] = [page.indexOf(OPEN), page.indexOf(CLOSE)]
  if (open === -1 || close === -1) throw new Error('docs/capacity.md has no marks for the table')
  return `${page.slice(0, open + OPEN.length)}${capacityTable()}\n${page.slice(close)}`
}

function main(): void {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: {
      hosts: text,
      'busy-cores': text,
      frequency: text,
      days: text,
      replicas: text,
      write: { type: 'boolean' },
    },
  })
  if (values.write === true) {
    writeFileSync(CAPACITY_PAGE, withTable(readFileSync(CAPACITY_PAGE, 'utf8')))
    return
  }
  const number = (name: 'hosts' | 'busy-cores' | 'frequency' | 'days' | 'replicas', byDefault: number): number => {
    const value = Number(values[name] ?? byDefault)
    if (!(value > 0)) throw new Error(`--${name}: ${JSON.stringify(values[name])} is not a positive number`)
    return value
  }
  const load = {
    hosts: number('hosts', 1000),
    busyCores: number('busy-cores', EXAMPLE.busyCores),
    frequency: number('frequency', EXAMPLE.frequency),
    days: number('days', EXAMPLE.days),
    replicas: number('replicas', EXAMPLE.replicas),
  }
  console.log([...HEAD, row(load)].join('\n'))
}

if (import.meta.filename === process.argv[1]) main()
