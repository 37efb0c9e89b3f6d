// The straightforward merge: decoded objects, and a Map from the JSON of each entry to its new number. It is the peer of
// Hearth's merge. Both must produce the same tables and the same total.

interface Request {
  readonly resourceProfiles: readonly { readonly resource: unknown; readonly scopeProfiles: readonly ScopeProfiles[] }[]
  readonly dictionary: Record<string, readonly Record<string, unknown>[]>
}

interface ScopeProfiles {
  readonly scope: unknown
  readonly profiles: readonly {
    readonly sampleType: { readonly typeStrindex: number; readonly unitStrindex: number }
    readonly samples: readonly Sample[]
  }[]
}

interface Sample {
  readonly stackIndex: number
  readonly linkIndex: number
  readonly attributeIndices: readonly number[]
  readonly values: readonly { toNumber(): number }[]
}

export interface MapMerge {
  readonly stacks: number
  readonly samples: number
  readonly total: number
}

export function mergeByMap(requests: Iterable<unknown>): MapMerge {
  const tables = new Map<string, Map<string, number>>()
  const intern = (table: string, key: string): number => {
    let rows = tables.get(table)
    if (rows === undefined) tables.set(table, (rows = new Map<string, number>()))
    let row = rows.get(key)
    if (row === undefined) rows.set(key, (row = rows.size))
    return row
  }
  const samples = new Map<string, number>()
  for (const decoded of requests) {
    const request = decoded as Request
    const table = (name: string): readonly Record<string, never>[] =>
      request.dictionary[name] as readonly Record<string, never>[]
    const strings = (table('stringTable') as unknown as readonly string[]).map(text => intern('string', text))
    const attributes = table('attributeTable').map(row =>
      intern('attribute', JSON.stringify([strings[row['keyStrindex']], row['value'], strings[row['unitStrindex']]])),
    )
    const mappings = table('mappingTable').map(row =>
      intern(
        'mapping',
        JSON.stringify({
          ...row,
          filenameStrindex: strings[row['filenameStrindex']],
          attributeIndices: renumbered(row['attributeIndices'], attributes),
        }),
      ),
    )
    const functions = table('functionTable').map(row =>
      intern(
        'function',
        JSON.stringify([
          strings[row['nameStrindex']],
          strings[row['systemNameStrindex']],
          strings[row['filenameStrindex']],
          row['startLine'],
        ]),
      ),
    )
    const locations = table('locationTable').map(row => {
      const lines = (row['lines'] as readonly Record<string, never>[]).map(line => [
        functions[line['functionIndex']],
        line['line'],
        line['column'],
      ])
      return intern(
        'location',
        JSON.stringify([
          mappings[row['mappingIndex']],
          row['address'],
          lines,
          renumbered(row['attributeIndices'], attributes),
        ]),
      )
    })
    const stacks = table('stackTable').map(row => intern('stack', renumbered(row['locationIndices'], locations).join()))
    for (const { resource, scopeProfiles } of request.resourceProfiles) {
      const owner = intern('resource', JSON.stringify(resource))
      for (const { scope, profiles } of scopeProfiles) {
        const inner = intern('scope', JSON.stringify(scope))
        for (const { sampleType, samples: own } of profiles) {
          const profile = `${owner},${inner},${strings[sampleType.typeStrindex]},${strings[sampleType.unitStrindex]}`
          for (const sample of own) {
            const key = `${profile};${stacks[sample.stackIndex]};${renumbered(sample.attributeIndices, attributes).join()}`
            samples.set(key, (samples.get(key) ?? 0) + sample.values[0].toNumber())
          }
        }
      }
    }
  }
  let total = 0
  for (const value of samples.values()) total += value
  return { stacks: tables.get('stack')?.size ?? 0, samples: samples.size, total }
}

function renumbered(rows: readonly number[], to: readonly number[]): number[] {
  return rows.map(row => to[row])
}
