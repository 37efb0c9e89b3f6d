// A request made of one file of any format. A file is accepted or rejected as a whole.
import type { Profiles } from '@hearth/profile'
import type { Identity } from '../access/gatekeeper.ts'
import type { DecodedRequest } from './receiver.ts'
import { requestId } from './receiver.ts'

export interface PushedFile {
  readonly identity: Identity
  readonly client: string
  /** The stated version of the profiles format. */
  readonly version?: string
  /** The content of the file. */
  readonly body: Uint8Array
  readonly format: string
  /** Distinguishes pushes of the same file: the service that it is for, and so on. */
  readonly label: string
  /** http by default. */
  readonly transport?: 'http' | 'broker'
}

export function pushedFile(profiles: Profiles, file: PushedFile): DecodedRequest {
  const { identity, client, version = '', body, format, label, transport = 'http' } = file
  return {
    identity,
    client,
    version,
    transport,
    payload: { signal: 'profiles', profiles },
    encoding: 'other',
    generation: format,
    id: requestId(label, body),
    bytes: body.length,
    isAtomic: true,
  }
}
