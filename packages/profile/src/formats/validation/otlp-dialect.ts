// The dialects of OTLP, one for each generation.
import type { Generation } from '../otlp/generations/schema.ts'
import { ROOT, schemaOf } from '../otlp/generations/schema.ts'
import { TABLE_NAMES, isCurrent, isZeroValid, ruleOf } from '../otlp/lenient/reference-rules.ts'
import type { Dialect } from './dialect.ts'
import { OTLP_CHECKS } from './otlp-checks.ts'

export function otlpDialect(generation: Generation): Dialect {
  const hasZeroRows = isCurrent(generation)
  return {
    schema: schemaOf(generation),
    root: ROOT,
    generation,
    tables: TABLE_NAMES,
    dictionary: 'dictionary',
    tableOf: (message, field) => ruleOf(generation, message, field)?.table,
    allows: (table, index) => index === 0 && isZeroValid(generation, table),
    // Before v1.8, row 0 of the other tables was an ordinary row.
    zeroRows: hasZeroRows ? TABLE_NAMES.map(([kind]) => kind) : ['strings'],
    needsZeroRows: hasZeroRows,
    checks: OTLP_CHECKS,
  }
}

/** The protobuf form of a JSON text has the layout of v1.8, but attributes may use the string table as in v1.11. */
export function jsonDialect(generation: Generation): Dialect {
  const dialect = otlpDialect(generation)
  if (!isCurrent(generation)) return dialect
  const latest = schemaOf('v1.11')
  const common = ['KeyValue', 'AnyValue'].map(name => [name, latest.get(name)!] as const)
  return { ...dialect, schema: new Map([...dialect.schema, ...common]) }
}
