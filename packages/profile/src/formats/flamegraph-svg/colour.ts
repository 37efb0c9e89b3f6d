// The colour of a frame: a warm tone derived from its name, so that it is the same in every graph. Kernel frames are blue.

export function colourOf(name: string, kind: string): string {
  if (name === 'all') return 'hsl(40,10%,85%)'
  const hash = hashOf(name)
  const tone = hash % 100
  const light = 62 + ((hash >>> 8) % 14)
  if (kind === 'kernel') return `hsl(${200 + Math.floor(tone / 5)},55%,${light}%)`
  return `hsl(${Math.floor(tone / 2)},80%,${light}%)`
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
