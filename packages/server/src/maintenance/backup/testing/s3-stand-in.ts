// A small S3 for tests: objects in memory, signatures checked by an implementation of its own, and requests that can be held.
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export const ACCESS_KEY = { accessKeyId: 'TESTKEY', secretAccessKey: 'test/secret+key' }

export class S3StandIn {
  readonly objects = new Map<string, Buffer>()
  /** Methods and paths of accepted requests. */
  readonly requests: string[] = []
  /** Requests that a test holds get no response. */
  hold: (method: string, path: string) => boolean = () => false
  held = 0
  readonly #server = createServer((request, response) => void this.#handle(request, response))

  async open(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  get address(): string {
    const { port } = this.#server.address() as AddressInfo
    return `s3://bucket/some/prefix?region=eu-test-1&endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    try {
      for await (const piece of request) pieces.push(piece as Buffer)
    } catch {
      return
    }
    const body = Buffer.concat(pieces)
    const { method = '', url: text = '' } = request
    const url = new URL(text, 'http://s3')
    const refusal = refusalOf(request, url, body)
    if (refusal !== '')
      return void response
        .writeHead(403)
        .end(`<Error><Code>SignatureDoesNotMatch</Code><Message>${refusal}</Message></Error>`)
    if (this.hold(method, url.pathname)) return void this.held++
    this.requests.push(`${method} ${url.pathname}`)
    if (!url.pathname.startsWith('/bucket'))
      return void response.writeHead(404).end('<Error><Code>NoSuchBucket</Code></Error>')
    const key = decodeURIComponent(url.pathname.slice('/bucket/'.length))
    if (method === 'GET' && url.searchParams.get('list-type') === '2') return void response.end(this.#list(url))
    if (method === 'PUT') this.objects.set(key, body)
    else if (method === 'DELETE') this.objects.delete(key)
    const found = this.objects.get(key)
    if (method === 'GET' && found === undefined)
      return void response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>')
    response.writeHead(method === 'DELETE' ? 204 : 200).end(method === 'GET' ? found : undefined)
  }

  /** Three keys a page. */
  #list(url: URL): string {
    const prefix = url.searchParams.get('prefix') ?? ''
    const keys = [...this.objects.keys()].filter(key => key.startsWith(prefix)).sort()
    const from = Number(url.searchParams.get('continuation-token') ?? 0)
    const next = from + 3 < keys.length ? `<NextContinuationToken>${from + 3}</NextContinuationToken>` : ''
    return `<ListBucketResult>${keys
      .slice(from, from + 3)
      .map(key => `<Contents><Key>${key}</Key></Contents>`)
      .join('')}${next}</ListBucketResult>`
  }
}

function refusalOf({ method = '', headers }: IncomingMessage, url: URL, body: Buffer): string {
  const match =
    /^AWS4-HMAC-SHA256 Credential=TESTKEY\/(\d{8})\/eu-test-1\/s3\/aws4_request, SignedHeaders=([\w;-]+), Signature=(\w{64})$/.exec(
      headers.authorization ?? '',
    )
  if (match === null) return 'no signature'
  const [, day, signed, signature] = match
  const payload = createHash('sha256').update(body).digest('hex')
  if (headers['x-amz-content-sha256'] !== payload) return 'wrong hash of the payload'
  const query = url.search
    .slice(1)
    .split('&')
    .filter(part => part !== '')
    .map(part => part.replaceAll('+', '%20'))
    .sort()
    .join('&')
  const lines = signed.split(';').map(name => `${name}:${String(headers[name])}\n`)
  const canonical = `${method}\n${url.pathname}\n${query}\n${lines.join('')}\n${signed}\n${payload}`
  const toSign = `AWS4-HMAC-SHA256\n${String(headers['x-amz-date'])}\n${day}/eu-test-1/s3/aws4_request\n${createHash('sha256').update(canonical).digest('hex')}`
  const mac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()
  const key = mac(mac(mac(mac(`AWS4${ACCESS_KEY.secretAccessKey}`, day), 'eu-test-1'), 's3'), 'aws4_request')
  return mac(key, toSign).toString('hex') === signature ? '' : 'wrong signature'
}
