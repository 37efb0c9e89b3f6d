// Finds functions of native code, whose instructions a server can show.
import type { FrameTable } from '@hearth/profile'

const NATIVE_TYPES: ReadonlySet<string> = new Set(['', 'native', 'go', 'rust'])

/** Whether the type is that of native code. It is empty in profiles without frame types. */
export function isNativeType(type: string): boolean {
  return NATIVE_TYPES.has(type)
}

/** Whether a frame is native code of a known binary. */
export function hasNativeCode({ length, mapping, type }: Pick<FrameTable, 'length' | 'mapping' | 'type'>): boolean {
  for (let i = 0; i < length; i++) if (mapping[i] !== '' && isNativeType(type[i])) return true
  return false
}
