// Signs requests to S3 and compatible stores: AWS Signature Version 4, with the hash of the payload.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
import { createHash, createHmac } from 'node:crypto'

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Temporary credentials have one. */
  readonly sessionToken?: string | undefined
}

export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'DELETE'
  readonly url: URL
  readonly region: string
  readonly payload: Uint8Array
  readonly credentials: S3Credentials
  readonly time: Date
}

/** Returns the headers to send, besides `host`. */
export function signS3({
  method,
  url,
  region,
  payload,
  credentials,
  time,
}: S3Request): Readonly<Record<string, string>> {
  const stamp = time.toISOString().replace(/[-:]|\.\d{3}/g, '')
  const payloadHash = sha256(payload)
  const headers: Record<string, string> = {
    'x-amz-content-sha256': payloadHash,
    'x-amz-date': stamp,
    ...(credentials.sessionToken === undefined ? {} : { 'x-amz-security-token': credentials.sessionToken }),
  }
  const signed: Readonly<Record<string, string>> = { host: url.host, ...headers }
  const names = Object.keys(signed).sort()
  const query = [...url.searchParams].map(([name, value]) => `${encodeS3(name)}=${encodeS3(value)}`).sort()
  const canonical = [
    method,
    url.pathname,
    query.join('&'),
    ...names.map(name => `${name}:${signed[name]}`),
    '',
    names.join(';'),
    payloadHash,
  ].join('\n')
  const scope = `${stamp.slice(0, 8)}/${region}/s3/aws4_request`
  const text = `AWS4-HMAC-SHA256\n${stamp}\n${scope}\n${sha256(canonical)}`
  const key = [stamp.slice(0, 8), region, 's3', 'aws4_request'].reduce<Buffer>(
    (secret, part) => hmac(secret, part),
    Buffer.from(`AWS4${credentials.secretAccessKey}`),
  )
  const signature = hmac(key, text).toString('hex')
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  }
}

/** Percent-encodes everything but the unreserved characters. */
export function encodeS3(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
