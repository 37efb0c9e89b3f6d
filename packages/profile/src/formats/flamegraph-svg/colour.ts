// The colour of a frame: a warm tone derived from its name, so that it is the same in every graph. Kernel frames are blue.
import { textHash } from '../../model/text/text-hash.ts'

export function colourOf(name: string, kind: string): string {
  if (name === 'all') return 'hsl(40,10%,85%)'
  const hash = textHash(name)
  const tone = hash % 100
  const light = 62 + ((hash >>> 8) % 14)
  if (kind === 'kernel') return `hsl(${200 + Math.floor(tone / 5)},55%,${light}%)`
  return `hsl(${Math.floor(tone / 2)},80%,${light}%)`
}
