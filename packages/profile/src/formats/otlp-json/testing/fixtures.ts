// Small OTLP/JSON files: every field, every generation, and every arrangement of messages in a file.
import { richProfiles } from '../../../model/testing/rich-profiles.ts'
import { encodeUtf8 } from '../../../wire/utf8.ts'
import { GENERATIONS } from '../../otlp/generations/schema.ts'
import { encodeGeneration } from '../../otlp/testing/encode-generation.ts'
import { writeOtlpJson } from '../write.ts'
import { framed } from '../../otlp/testing/framed.ts'
import { generationJson } from './generation-json.ts'

export interface JsonFixture {
  readonly name: string
  readonly bytes: Uint8Array
}

/** References to the string table at every possible position, before the table. */
export const REFERENCES = `{
  "resourceProfiles": [{
    "resource": {"attributes": [{"keyStrindex": 1, "value": {"stringValueStrindex": 2}}]},
    "scopeProfiles": [{
      "scope": {"name": "s", "attributes": [{"key": "k", "value": {"arrayValue": {"values": [{"stringValueStrindex": 3}]}}}]},
      "profiles": [{"sampleType": {"typeStrindex": 4}, "attributeIndices": [1, 2], "samples": [{"values": ["1"]}]}]
    }]
  }],
  "dictionary": {
    "mappingTable": [{}], "locationTable": [{}], "functionTable": [{}], "stackTable": [{}],
    "linkTable": [{"traceId": "00000000000000000000000000000000", "spanId": "0000000000000000"}],
    "attributeTable": [
      {},
      {"keyStrindex": 1, "value": {"stringValueStrindex": 2}},
      {"keyStrindex": 3, "value": {"kvlistValue": {"values": [{"keyStrindex": 1, "value": {"stringValueStrindex": 0}}]}}}
    ],
    "stringTable": ["", "service.name", "checkout", "three", "cpu"]
  }
}`

const rich = richProfiles()
const compactJson = writeOtlpJson(rich).bytes

export const fixtures: readonly JsonFixture[] = [
  { name: 'every field', bytes: compactJson },
  { name: 'every field, indented', bytes: writeOtlpJson(rich, { pretty: true }).bytes },
  { name: 'references to the string table', bytes: encodeUtf8(REFERENCES) },
  { name: 'one object per line', bytes: joined(compactJson, encodeUtf8('\n'), compactJson, encodeUtf8('\n')) },
  { name: 'frames', bytes: framed(compactJson, compactJson) },
  ...GENERATIONS.map(generation => ({
    name: generation,
    bytes: generationJson(encodeGeneration(rich, generation), generation),
  })),
]

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap(part => [...part]))
}
