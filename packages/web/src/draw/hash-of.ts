// Hashes names to colours, so that a package or service keeps its colour everywhere.
import { textHash } from '@hearth/profile'

/** FNV-1a with a final mix, so that names which differ in one letter get distant values. */
export function hashOf(text: string): number {
  const plain = textHash(text)
  const hash = Math.imul(plain ^ (plain >>> 16), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}
