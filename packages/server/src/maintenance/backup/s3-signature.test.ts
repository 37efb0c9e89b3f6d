import { describe, expect, it } from 'vitest'
import { signS3 } from './s3-signature.ts'

const example = {
  method: 'GET',
  region: 'us-east-1',
  payload: new Uint8Array(0),
  credentials: { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
  time: new Date('2013-05-24T00:00:00Z'),
} as const

describe('signS3', () => {
  // https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
  it.each([
    ['?lifecycle', 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
    ['?max-keys=2&prefix=J', '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
  ])("returns the signature of AWS's example %s", (query, signature) => {
    const { authorization } = signS3({ ...example, url: new URL(`https://examplebucket.s3.amazonaws.com/${query}`) })
    expect(authorization).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, ' +
        `SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${signature}`,
    )
  })
})
