import { describe, expect, it } from 'vitest'
import { hasNativeCode } from './native-code.ts'

function framesOf(
  ...frames: readonly (readonly [type: string, mapping: string])[]
): Parameters<typeof hasNativeCode>[0] {
  return { length: frames.length, type: frames.map(([type]) => type), mapping: frames.map(([, mapping]) => mapping) }
}

describe('hasNativeCode', () => {
  it('finds frames of a binary', () => {
    expect(hasNativeCode(framesOf(['v8js', ''], ['native', '/usr/bin/node']))).toBe(true)
    expect(hasNativeCode(framesOf(['', '/usr/bin/server']))).toBe(true)
  })

  it('ignores scripts, the kernel and native frames without a binary', () => {
    expect(hasNativeCode(framesOf(['v8js', '/app/server.js'], ['kernel', 'vmlinux'], ['native', ''], ['', '']))).toBe(
      false,
    )
  })
})
