// The two forms of OTEP 0239, which are the same on the wire: the document's, and OTLP v1.3, its release.

const GENERATIONS = ['otep', 'v1.3'] as const
export type Otep239Generation = (typeof GENERATIONS)[number]

export function generationOf(text: string | undefined): Otep239Generation | undefined {
  if (text === undefined || text === '') return undefined
  const generation = GENERATIONS.find(known => known === text)
  if (generation === undefined)
    throw new RangeError(`unknown generation "${text}" of otep239; expected ${GENERATIONS.join(', ')}`)
  return generation
}
