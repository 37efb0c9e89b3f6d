// A DNS server on a free port of loopback, with records for tests.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'

export interface SrvRecord {
  readonly name: string
  readonly port: number
}

export interface DnsRecords {
  readonly A?: Readonly<Record<string, readonly string[]>>
  readonly SRV?: Readonly<Record<string, readonly SrvRecord[]>>
}

export interface DnsServer {
  readonly address: string
  close(): Promise<void>
}

const TYPES: Readonly<Record<number, 'A' | 'SRV'>> = { 1: 'A', 33: 'SRV' }
const NXDOMAIN = 3
const HEADER = 12
/** Refers to the name in the query. */
const SAME_NAME = 0xc000 | HEADER

export async function startDnsServer(records: DnsRecords): Promise<DnsServer> {
  const socket = createSocket('udp4', (query, { port, address }) =>
    socket.send(response(query, records), port, address),
  )
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    close: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}

/** The header, the name and type of the query as they came, and the records. */
function response(query: Buffer, records: DnsRecords): Buffer {
  const labels: string[] = []
  let end = HEADER
  while (query[end] !== 0) {
    labels.push(query.toString('latin1', end + 1, end + 1 + query[end]))
    end += 1 + query[end]
  }
  const number = query.readUInt16BE(end + 1)
  const type = TYPES[number]
  const found = type === undefined ? [] : (records[type]?.[labels.join('.')] ?? [])
  const header = Buffer.from(query.subarray(0, HEADER))
  header.writeUInt16BE(0x8180 | (found.length === 0 ? NXDOMAIN : 0), 2)
  header.writeUInt16BE(found.length, 6)
  header.fill(0, 8)
  const answers = found.map(record => {
    const data = typeof record === 'string' ? Buffer.from(record.split('.').map(Number)) : srvData(record)
    const head = Buffer.alloc(12)
    head.writeUInt16BE(SAME_NAME, 0)
    head.writeUInt16BE(number, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(data.length, 10)
    return Buffer.concat([head, data])
  })
  return Buffer.concat([header, query.subarray(HEADER, end + 5), ...answers])
}

/** Priority and weight are 0. */
function srvData({ name, port }: SrvRecord): Buffer {
  const head = Buffer.alloc(6)
  head.writeUInt16BE(port, 4)
  const labels = name.split('.').map(label => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  return Buffer.concat([head, ...labels, Buffer.from([0])])
}
