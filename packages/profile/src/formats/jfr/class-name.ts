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

/** By the last byte of a name, so that most of thousands need not even be decoded: a digit, hex or not, `o` or `)`. */
export function mayBeMadeUp(last: number | undefined): boolean {
  if (last === undefined) return false
  return (last >= 0x30 && last <= 0x39) || (last >= 0x61 && last <= 0x66) || last === 0x6f || last === 0x29
}

/** One test instead of all of them for the names that none fits. */
const SUSPECT = /\$\$Lambda|Accessor\d|\.so/

/** The name without what is made up, or undefined where nothing is. */
export function stableClassName(name: string): string | undefined {
  if (!SUSPECT.test(name)) return undefined
  for (const [pattern, replacement] of RULES) if (pattern.test(name)) return name.replace(pattern, replacement)
  return undefined
}
