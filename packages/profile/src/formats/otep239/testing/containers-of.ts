import type { Message } from '../../otlp/generations/schema-reader.ts'
import { SchemaReader } from '../../otlp/generations/schema-reader.ts'

/** The containers of a file with one scope. */
export function containersOf(bytes: Uint8Array): readonly Message[] {
  const [resource] = new SchemaReader(bytes, 'v1.3').read('ProfilesData')['resource_profiles'] as Message[]
  const [scope] = resource['scope_profiles'] as unknown as Message[]
  return scope['profiles'] as unknown as Message[]
}
