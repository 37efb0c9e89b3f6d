// A request made of one file that was read already. A file is accepted or rejected as a whole.
import type { Profiles } from '@hearth/profile'
import type { Identity } from '../access/gatekeeper.ts'
import type { DecodedRequest } from './receiver.ts'
import { requestId } from './request-id.ts'

export interface PushedFile {
  readonly identity: Identity
  readonly client: string
  /** The content of the file. */
  readonly body: Uint8Array
  /** The name of the format. */
  readonly format: string
  /** Distinguishes pushes of the same file: the service that it is for, and so on. */
  readonly label: string
  readonly transport: 'http' | 'broker'
}

export function pushedFile(profiles: Profiles, file: PushedFile): DecodedRequest {
  const { identity, client, body, format, label, transport } = file
  return {
    identity,
    client,
    transport,
    payload: { signal: 'profiles', profiles },
    encoding: 'other',
    format,
    id: requestId(label, body),
    bytes: body.length,
  }
}
