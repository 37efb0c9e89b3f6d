// The version of the profiles format that a request states, in gRPC metadata or an HTTP header (opentelemetry-proto#857). All
// formats up to now are version 1 or state none, and the receiver recognizes them by their content.
import { Code, Refusal } from './refusal.ts'

export const VERSION_HEADER = 'otlp-profiles-development-version'
const SUPPORTED = '1'
const VALID = /^[1-9]\d*$/
const MAX_SHOWN = 40

/** Returns the stated version, or empty. Throws Refusal if it is malformed, repeated or unsupported. */
export function profilesVersion(values: readonly unknown[]): string {
  if (values.length === 0) return ''
  if (values.length > 1) throw invalid(`${VERSION_HEADER} is given ${values.length} times; send it once`)
  const version = String(values[0])
  if (!VALID.test(version))
    throw invalid(
      `${VERSION_HEADER}: ${JSON.stringify(version.slice(0, MAX_SHOWN))} is not a version; send ${SUPPORTED}`,
    )
  if (version !== SUPPORTED)
    throw invalid(`${VERSION_HEADER}: version ${version.slice(0, MAX_SHOWN)} is not supported; send ${SUPPORTED}`)
  return version
}

function invalid(message: string): Refusal {
  return new Refusal(400, Code.invalidArgument, 'version', message)
}
