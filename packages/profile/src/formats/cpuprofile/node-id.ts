// Reads the id of a node. V8 writes numbers; tools that rewrite its profiles also write them as strings.
import type { JsonReader } from '../../wire/json/json-reader.ts'

/** Fails if the id is not a number. */
export function readNodeId(reader: JsonReader): number {
  if (reader.peek() !== 'string') return reader.number()
  const from = reader.offset
  const text = reader.string()
  const id = Number(text)
  return text.trim() === '' || !Number.isFinite(id)
    ? reader.fail(`the id ${JSON.stringify(text)} is not a number`, from)
    : id
}

/** Reads the id of a parent. Returns undefined if there is none, such as null. */
export function readParentId(reader: JsonReader): number | undefined {
  const kind = reader.peek()
  return kind === 'number' || kind === 'string' ? readNodeId(reader) : undefined
}
