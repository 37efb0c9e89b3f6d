// Lists as OpenTelemetry's environment variables have them: `key=value,other=value`, with percent-encoding, and plain names
// with commas between.

/** A part that is no `key=value`, or whose escapes are broken. */
export class EntryListError extends Error {
  override readonly name = 'EntryListError'
}

/** In order; an entry that comes later wins over an earlier one of the same key. Throws EntryListError. */
export function parseEntries(text: string): ReadonlyMap<string, string> {
  const entries = new Map<string, string>()
  for (const part of text.split(',')) {
    if (part.trim() === '') continue
    const equals = part.indexOf('=')
    const key = equals < 0 ? '' : decoded(part.slice(0, equals).trim())
    if (key === '') throw new EntryListError(`'${shortened(part.trim())}' is no key=value`)
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
    throw new EntryListError('broken percent-encoding')
  }
}

/** A header's value may be a secret, so of a part without an equals sign only its start is shown. */
function shortened(text: string): string {
  return text.length > 12 ? `${text.slice(0, 8)}…` : text
}
