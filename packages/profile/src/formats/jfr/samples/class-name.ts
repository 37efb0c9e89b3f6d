// Removes numbers from the names of generated classes. The numbers differ between runs and call sites; without them the same
// code has the same name. The function's system name has the full name.

const RULES: readonly (readonly [RegExp, string])[] = [
  // a/B$$Lambda$12/0x0000000800c0, a/B$$Lambda$12.40013648, a/B$$Lambda.0x00007ffa600c4da0 (JDK 21)
  [/^(.+\$\$Lambda)(?:\$\d+)?[./](?:0x[\da-f]+|\d+)$/, '$1_'],
  [/^(jdk\/internal\/reflect\/GeneratedMethodAccessor)\d+$/, '$1_'],
  // Native libraries that were extracted to a file with a random name.
  [/^(?:\.?\/tmp\/)?libzstd-jni-\d+\.\d+\.\d+-\d+\.so(?: \(deleted\))?$/, 'libzstd-jni-_.so'],
  [
    /^(?:\.?\/tmp\/)?(?:lib)?amazonCorrettoCryptoProvider(?:NativeLibraries\.)?[\da-f]{16}(?:\/lib(?:crypto|amazonCorrettoCryptoProvider))?\.so(?: \(deleted\))?$/,
    'libamazonCorrettoCryptoProvider_.so',
  ],
]

/**
 * Checks how the bytes of a name end, so that only a few of thousands are decoded: with `.so`, a bracket, or (hex) digits
 * after `x`, `/`, `.` or the `r` of an accessor.
 */
export function mayBeGenerated(bytes: Uint8Array, from: number, to: number): boolean {
  let i = to - 1
  if (i - from < 3) return false
  if (bytes[i] === 0x6f) return bytes[i - 1] === 0x73 && bytes[i - 2] === 0x2e
  if (bytes[i] === 0x29) return true
  while (i > from && isHexDigit(bytes[i])) i--
  if (i === to - 1) return false
  const before = bytes[i]
  return before === 0x78 || before === 0x2f || before === 0x2e || before === 0x72
}

function isHexDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66)
}

/** A quick test that rules out most names. */
const SUSPECT = /\$\$Lambda|Accessor\d|\.so/

/** The name without generated parts, or undefined if it has none. */
export function stableClassName(name: string): string | undefined {
  if (!SUSPECT.test(name)) return undefined
  for (const [pattern, replacement] of RULES) if (pattern.test(name)) return name.replace(pattern, replacement)
  return undefined
}
