// Parses the protobuf text of perf_data_converter, with one field or bracket per line.

export interface ParsedMessage {
  readonly fields: ReadonlyMap<string, readonly string[]>
  readonly messages: ReadonlyMap<string, readonly ParsedMessage[]>
}

interface Draft {
  readonly fields: Map<string, string[]>
  readonly messages: Map<string, Draft[]>
}

export function parseTextProto(text: string): ParsedMessage {
  const root = draft()
  const open = [root]
  for (const line of text.split('\n')) {
    const current = open[open.length - 1]
    const [, key, value] = /^\s*(\w+)(?:: (.*)| \{)$/.exec(line) ?? []
    if (line.trim() === '}') open.pop()
    else if (key === undefined) continue
    else if (value === undefined) {
      const message = draft()
      open.push(message)
      push(current.messages, key, message)
    } else push(current.fields, key, value)
  }
  return root
}

/** The only value of a field, or undefined. */
export function one(message: ParsedMessage, key: string): string | undefined {
  return message.fields.get(key)?.[0]
}

export function all(message: ParsedMessage, key: string): readonly ParsedMessage[] {
  return message.messages.get(key) ?? []
}

/** A text between quotes. */
export function unquoted(text: string): string {
  return text.slice(1, -1)
}

function draft(): Draft {
  return { fields: new Map(), messages: new Map() }
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}
