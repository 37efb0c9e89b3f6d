// Names of classes that the JVM makes up as it runs have numbers in them that differ from run to run, and from call site to
// call site. Without the numbers the same code has the same name; the full one stays in the function's system name.

const RULES: readonly (readonly [RegExp, string])[] = [
  // a/B$$Lambda$12/0x0000000800c0, a/B$$Lambda$12.40013648, a/B$$Lambda.0x00007ffa600c4da0 (JDK 21)
  [/^(.+\$\$Lambda)(?:\$\d+)?[./](?:0x[\da-f]+|\d+)$/, '$1_'],
  [/^(jdk\/internal\/reflect\/GeneratedMethodAccessor)\d+$/, '$1_'],
  // Native libraries that were unpacked to a file with a random name.
  [/^(?:\.?\/tmp\/)?libzstd-jni-\d+\.\d+\.\d+-\d+\.so(?: \(deleted\))?$/, 'libzstd-jni-_.so'],
  [
    /^(?:\.?\/tmp\/)?(?:lib)?amazonCorrettoCryptoProvider(?:NativeLibraries\.)?[\da-f]{16}(?:\/lib(?:crypto|amazonCorrettoCryptoProvider))?\.so(?: \(deleted\))?$/,
    'libamazonCorrettoCryptoProvider_.so',
  ],
]

/**
 * By how the bytes of a name end, so that of thousands only a handful is decoded: `.so`, a bracket, or digits, hex ones too,
 * behind `x`, `/`, `.` or the `r` of an accessor.
 */
export function mayBeMadeUp(bytes: Uint8Array, from: number, to: number): boolean {
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

/** One test instead of all of them for the names that none fits. */
const SUSPECT = /\$\$Lambda|Accessor\d|\.so/

/** The name without what is made up, or undefined where nothing is. */
export function stableClassName(name: string): string | undefined {
  if (!SUSPECT.test(name)) return undefined
  for (const [pattern, replacement] of RULES) if (pattern.test(name)) return name.replace(pattern, replacement)
  return undefined
}
