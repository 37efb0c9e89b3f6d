// Admits an HTTP request of Pyroscope's APIs: checks its tenant and the memory limit, and reads its body.
import type { FastifyRequest } from 'fastify'
import type { Credentials, Gatekeeper, Identity } from '../access/gatekeeper.ts'
import { AccessError, headerCredentials } from '../access/gatekeeper.ts'
import type { AccessScope } from '../access/tokens.ts'
import type { Admission } from '../receive/admission.ts'
import { accessRefusal } from '../receive/http/otlp-http.ts'
import { readBody } from '../receive/http/read-body.ts'
import type { SentContent } from '../receive/receiver.ts'
import { Code, Refusal, tooLarge, unsupported } from '../receive/refusal.ts'

export interface AdmitOptions {
  readonly gatekeeper: Gatekeeper
  readonly admission: Admission
  readonly maxBody: number
}

/** The tenant that Pyroscope's clients send if the server has a single tenant. */
const ANONYMOUS = 'anonymous'

/** `scopeOrgId` is the value of X-Scope-OrgID. Throws AccessError. */
export function identifyClient(gatekeeper: Gatekeeper, credentials: Credentials, scope: AccessScope): Identity {
  const { scopeOrgId } = credentials
  const unnamed = scopeOrgId === undefined || scopeOrgId === '' || scopeOrgId === ANONYMOUS
  return gatekeeper.identify({ ...credentials, scopeOrgId: unnamed ? undefined : scopeOrgId }, scope)
}

/** Admits a request until `work` ends. `readSent` returns its body as it was sent. Throws Refusal and AccessError. */
export async function admitRequest<Result>(
  { gatekeeper, admission, maxBody }: AdmitOptions,
  request: FastifyRequest,
  scope: AccessScope,
  work: (identity: Identity, readSent: () => Promise<Required<SentContent>>) => Promise<Result>,
): Promise<Result> {
  const { headers } = request
  const identity = identifyClient(gatekeeper, headerCredentials(headers), scope)
  const announced = Number(headers['content-length'] ?? 0)
  if (announced > maxBody) throw tooLarge(maxBody, `the body has ${announced} bytes`)
  const admitted = admission.admit(announced)
  try {
    return await work(identity, async () => ({
      body: await readBody(request.raw, maxBody, admitted),
      contentEncoding: headers['content-encoding'] ?? '',
    }))
  } finally {
    admitted.release()
  }
}

/** The refusal to send for anything that was thrown. `onError` receives errors of the server itself. */
export function refusalFor(error: unknown, onError: (error: unknown) => void): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof AccessError) return accessRefusal(error)
  const code = error instanceof Error && 'code' in error ? error.code : ''
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupported('the Content-Type is not one')
  onError(error)
  return new Refusal(500, Code.internal, 'internal', 'the server failed; its log says why')
}
