// Parses ClickHouse's type names: `Array(Nullable(DateTime64(9, 'UTC')))`.

export interface TypeName {
  /** The original text. */
  readonly text: string
  readonly name: string
  /** Types in parentheses. Empty for types without any. */
  readonly of: readonly TypeName[]
  /** Numbers and texts in parentheses, unchanged. */
  readonly arguments: readonly string[]
}

/** Deeper than the type of any query. Protects the parser's stack. */
const DEEPEST = 32

const NESTING = new Set(['Array', 'Nullable', 'LowCardinality', 'Tuple', 'Map', 'SimpleAggregateFunction', 'Nested'])

export function parseTypeName(text: string, depth = 0): TypeName {
  if (depth > DEEPEST) throw new Error(`a type more than ${DEEPEST} deep`)
  const open = text.indexOf('(')
  if (open === -1) return { text, name: text, of: [], arguments: [] }
  if (!text.endsWith(')')) throw new Error(`the type ${text.slice(0, 100)}`)
  const name = text.slice(0, open)
  const inner = splitArguments(text.slice(open + 1, -1))
  if (!NESTING.has(name)) return { text, name, of: [], arguments: inner }
  if (name === 'SimpleAggregateFunction') return parseTypeName(inner.slice(1).join(', '), depth + 1)
  const of = inner.map(part => parseTypeName(name === 'Tuple' ? withoutFieldName(part) : part, depth + 1))
  return { text, name, of, arguments: [] }
}

/** Splits at commas outside of parentheses and quotes. */
function splitArguments(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let quote = ''
  let from = 0
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (quote !== '') {
      if (char === '\\') i++
      else if (char === quote) quote = ''
    } else if (char === "'" || char === '`' || char === '"') quote = char
    else if (char === '(') depth++
    else if (char === ')') depth--
    else if (char === ',' && depth === 0) {
      parts.push(text.slice(from, i).trim())
      from = i + 1
    }
  }
  const last = text.slice(from).trim()
  if (last !== '') parts.push(last)
  return parts
}

/** A tuple's parts may have names: `Tuple(id UInt64, \`a b\` String)`. */
function withoutFieldName(part: string): string {
  if (part.startsWith('`')) {
    const end = /^`(?:[^`\\]|\\.)*`\s+/.exec(part)
    return end === null ? part : part.slice(end[0].length)
  }
  const named = /^\w+\s+(?=\w)/.exec(part)
  return named === null ? part : part.slice(named[0].length)
}
