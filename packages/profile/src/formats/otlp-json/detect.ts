// Distinguishes OTLP/JSON from other JSON by the keys of the first object. No other format has `resourceProfiles`. A
// `dictionary` counts only if it contains one of the tables.
import { JsonError, JsonReader } from '../../wire/json/json-reader.ts'
import { compressionOf } from '../../wire/compression/compression.ts'
import type { Confidence } from '../format.ts'
import { isFramed } from '../otlp/frames.ts'
import { LEGACY_TABLES } from './sniff.ts'

const TABLES = new Set([...LEGACY_TABLES, 'stackTable'])

export function detectOtlpJson(head: Uint8Array, fileName: string): Confidence {
  if (!isFramed(head)) return judge(head, 0)
  // Compressed content of a frame cannot be examined here.
  if (compressionOf(head.subarray(4)) !== 'none') return /\.jsonl?\b/i.test(fileName) ? 'possible' : 'no'
  return judge(head, 4)
}

function judge(head: Uint8Array, offset: number): Confidence {
  const reader = new JsonReader(head, { offset })
  let confidence: Confidence = 'no'
  try {
    if (reader.peek() !== 'object') return 'no'
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (key === 'resourceProfiles' && reader.peek() === 'array') return 'certain'
      if (key === 'dictionary' && reader.peek() === 'object') {
        if (hasTable(reader)) return 'certain'
      }
      // v1.6 has tables at the top level, but other formats might too.
      if (TABLES.has(key) && reader.peek() === 'array') confidence = 'possible'
    }
  } catch (error) {
    // The head may end anywhere. Everything up to there counts.
    if (!(error instanceof JsonError)) throw error
  }
  return confidence
}

function hasTable(reader: JsonReader): boolean {
  reader.beginObject()
  for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
    if (TABLES.has(key) && reader.peek() === 'array') return true
  }
  return false
}
