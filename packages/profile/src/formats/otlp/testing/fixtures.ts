// Small OTLP payloads: rich profiles in every generation, bare and framed.
import { richProfiles } from '../../../model/testing/rich-profiles.ts'
import { encodeOtlp } from '../encode.ts'
import type { Generation } from '../generations/schema.ts'
import { encodeGeneration } from './encode-generation.ts'
import { framed } from './framed.ts'

const GENERATIONS: readonly Generation[] = ['v1.3', 'v1.4', 'v1.5', 'v1.6', 'v1.7', 'v1.8', 'v1.9', 'v1.11']

const rich = richProfiles()

export const fixtures = [
  ...GENERATIONS.map(generation => ({ name: `rich, ${generation}`, bytes: encodeGeneration(rich, generation) })),
  { name: 'rich, as written', bytes: encodeOtlp(rich) },
  { name: 'framed, two generations', bytes: framed(encodeGeneration(rich, 'v1.8'), encodeGeneration(rich, 'v1.11')) },
]
