// Reads the lists of OpenTelemetry's environment variables: `key=value,other=value` with percent-encoding, and plain names
// separated by commas.

/** A part that is not `key=value`, or has an invalid escape. */
export class EntryListError extends Error {
  override readonly name = 'EntryListError'
}

/** Returns the entries in order. A later entry replaces an earlier one with the same key. Throws EntryListError. */
export function parseEntries(text: string): ReadonlyMap<string, string> {
  const entries = new Map<string, string>()
  for (const part of text.split(',')) {
    if (part.trim() === '') continue
    const equals = part.indexOf('=')
    const key = equals < 0 ? '' : decoded(part.slice(0, equals).trim())
    if (key === '') throw new EntryListError(`'${shortened(part.trim())}' is not key=value`)
    entries.set(key, decoded(part.slice(equals + 1).trim()))
  }
  return entries
}

export function parseNames(text: string): readonly string[] {
  const names = text.split(',').map(name => name.trim())
  return [...new Set(names.filter(name => name !== ''))]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new EntryListError('invalid percent-encoding')
  }
}

/** Shows only the start of a part without an equals sign, because a header's value may be a secret. */
function shortened(text: string): string {
  return text.length > 12 ? `${text.slice(0, 8)}…` : text
}
