// A bucket of S3 or a compatible store (MinIO, Ceph, R2) as a place for backups. Four operations do not need an SDK.
import { setTimeout as sleep } from 'node:timers/promises'
import type { BackupTarget } from './backup-target.ts'
import type { S3Credentials } from './s3-signature.ts'
import { encodeS3, signS3 } from './s3-signature.ts'

class S3Error extends Error {
  override readonly name = 'S3Error'
  readonly isTemporary: boolean

  constructor(message: string, isTemporary: boolean, options?: ErrorOptions) {
    super(message, options)
    this.isTemporary = isTemporary
  }
}

const TRIES = 5
const FIRST_WAIT_MS = 200
/** An object has at most some tens of MiB. */
const REQUEST_MS = 120_000
const MAX_OBJECT = 2 ** 30

export class S3Target implements BackupTarget {
  readonly name: string
  readonly #endpoint: string
  readonly #bucket: string
  readonly #prefix: string
  readonly #region: string
  readonly #credentials: S3Credentials
  readonly #signal: AbortSignal | undefined

  /** The signal ends all requests. */
  constructor(address: string, credentials: S3Credentials | undefined, signal?: AbortSignal) {
    this.#signal = signal
    const url = new URL(address)
    this.#bucket = url.hostname
    if (!/^[a-z0-9][a-z0-9.-]{1,62}$/.test(this.#bucket)) throw new S3Error(`${address}: the bucket is missing`, false)
    const prefix = url.pathname.replaceAll(/^\/+|\/+$/g, '')
    this.#prefix = prefix === '' ? '' : `${prefix}/`
    this.#region = url.searchParams.get('region') ?? process.env['AWS_REGION'] ?? 'us-east-1'
    this.#endpoint = (url.searchParams.get('endpoint') ?? `https://s3.${this.#region}.amazonaws.com`).replace(
      /\/+$/,
      '',
    )
    if (!/^https?:\/\//.test(this.#endpoint))
      throw new S3Error(`endpoint ${this.#endpoint} is not an HTTP address`, false)
    if (credentials === undefined)
      throw new S3Error('S3 requires credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY', false)
    this.#credentials = credentials
    this.name = `s3://${this.#bucket}/${prefix}`
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const response = await this.#send('GET', this.#url(name))
    return response.status === 404 ? undefined : new Uint8Array(response.body)
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    await this.#send('PUT', this.#url(name), bytes)
  }

  async remove(name: string): Promise<void> {
    await this.#send('DELETE', this.#url(name))
  }

  async list(): Promise<readonly string[]> {
    const names: string[] = []
    for (let token: string | undefined = ''; token !== undefined;) {
      const url = this.#url('', '')
      url.searchParams.set('list-type', '2')
      url.searchParams.set('prefix', this.#prefix)
      if (token !== '') url.searchParams.set('continuation-token', token)
      const xml = Buffer.from((await this.#send('GET', url)).body).toString('utf8')
      for (const [, key] of xml.matchAll(/<Key>([^<]*)<\/Key>/g)) names.push(unescaped(key).slice(this.#prefix.length))
      const next = /<NextContinuationToken>([^<]*)</.exec(xml)?.[1]
      token = next === undefined ? undefined : unescaped(next)
    }
    return names
  }

  #url(name: string, prefix = this.#prefix): URL {
    const path = `${prefix}${name}`.split('/').map(encodeS3).join('/')
    return new URL(`${this.#endpoint}/${encodeS3(this.#bucket)}${path === '' ? '' : `/${path}`}`)
  }

  async #send(
    method: 'GET' | 'PUT' | 'DELETE',
    url: URL,
    payload: Uint8Array = new Uint8Array(0),
  ): Promise<{ readonly status: number; readonly body: ArrayBuffer }> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#sendOnce(method, url, payload)
      } catch (error) {
        if (!(error instanceof S3Error) || !error.isTemporary || attempt === TRIES) throw error
        await sleep(FIRST_WAIT_MS * 2 ** attempt)
      }
    }
  }

  async #sendOnce(
    method: 'GET' | 'PUT' | 'DELETE',
    url: URL,
    payload: Uint8Array,
  ): Promise<{ readonly status: number; readonly body: ArrayBuffer }> {
    const credentials = this.#credentials
    const headers = signS3({
      method,
      url,
      region: this.#region,
      payload,
      credentials,
      time: new Date(),
    })
    let response: Response
    let body: ArrayBuffer
    try {
      response = await fetch(url, {
        method,
        headers,
        ...(method === 'PUT' ? { body: new Uint8Array(payload) } : {}),
        signal: AbortSignal.any([
          AbortSignal.timeout(REQUEST_MS),
          ...(this.#signal === undefined ? [] : [this.#signal]),
        ]),
      })
      if (Number(response.headers.get('content-length')) > MAX_OBJECT) throw new Error('the object is too large')
      body = await response.arrayBuffer()
    } catch (error) {
      const isTemporary = this.#signal?.aborted !== true
      throw new S3Error(`${this.name}: ${(error as Error).message}`, isTemporary, { cause: error })
    }
    const text = response.ok ? '' : Buffer.from(body).toString('utf8', 0, 1000)
    if (response.ok || (response.status === 404 && isKeyMissing(text))) return { status: response.status, body }
    const reason = /<Message>([^<]*)</.exec(text)?.[1] ?? /<Code>([^<]*)</.exec(text)?.[1] ?? ''
    throw new S3Error(
      `${this.name}: status ${response.status} ${reason}`.trim(),
      response.status >= 500 || response.status === 429,
    )
  }
}

/** Other reasons have the status 404, too: a missing bucket, and with some servers an unknown access key. */
function isKeyMissing(text: string): boolean {
  return text.includes('<Code>NoSuchKey<')
}

function unescaped(xml: string): string {
  const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
  return xml.replaceAll(/&(?:#(\d+)|(\w+));/g, (whole, code: string | undefined, name: string | undefined) =>
    code === undefined ? (named[name ?? ''] ?? whole) : String.fromCodePoint(Number(code)),
  )
}
