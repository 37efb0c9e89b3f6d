// What a client takes: JSON or columns, and which compression.
import { COLUMNS_MEDIA_TYPE } from '@hearth/profile'

export type Encoding = 'br' | 'gzip' | 'identity'

/** A header's entries with their weights; later ones of a name count. */
function weights(header: string): Map<string, number> {
  const found = new Map<string, number>()
  // Headers have 16 KB at the most, and so few entries.
  for (const entry of header.split(',')) {
    const [name, ...parameters] = entry.split(';').map(part => part.trim().toLowerCase())
    const weight = parameters.find(parameter => parameter.startsWith('q='))
    const value = weight === undefined ? 1 : Number(weight.slice(2))
    if (name !== '') found.set(name, Number.isFinite(value) ? value : 0)
  }
  return found
}

/** Only where they are named: what takes anything gets JSON. */
export function takesColumns(accept: string | undefined): boolean {
  const known = weights(accept ?? '')
  const columns = known.get(COLUMNS_MEDIA_TYPE) ?? 0
  return columns > 0 && columns >= (known.get('application/json') ?? 0)
}

/** Brotli where both are as welcome: at its quickest it takes less than half of gzip's time for about the same size. */
export function encodingFor(acceptEncoding: string | undefined): Encoding {
  const known = weights(acceptEncoding ?? '')
  const rest = known.get('*') ?? 0
  const [gzip, br] = [known.get('gzip') ?? known.get('x-gzip') ?? rest, known.get('br') ?? rest]
  const plain = known.get('identity') ?? 0
  if (Math.max(gzip, br) <= 0 || plain > Math.max(gzip, br)) return 'identity'
  return br >= gzip ? 'br' : 'gzip'
}
