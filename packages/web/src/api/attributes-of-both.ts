// The attribute keys that exist on either side of a comparison.
import type { AttributeSource } from './profile-source.ts'

interface BothSides {
  readonly before: AttributeSource
  readonly after: AttributeSource
}

export async function attributesOfBoth({ before, after }: BothSides, signal: AbortSignal): Promise<readonly string[]> {
  const both = await Promise.all([after.attributes(signal), before.attributes(signal)])
  return [...new Set(both.flat())]
}
