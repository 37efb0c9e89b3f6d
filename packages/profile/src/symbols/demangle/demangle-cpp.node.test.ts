// Compares demangleCpp with c++filt, on the names of demangle-cpp.test.ts and on those of the C++ runtime.
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { demangleCpp } from './demangle-cpp.ts'
import { CPP_NAMES } from './testing/cpp-names.ts'

function run(command: string, args: readonly string[], input = ''): string | undefined {
  const { status, stdout } = spawnSync(command, args, { input, encoding: 'utf8', maxBuffer: 1 << 28 })
  return status === 0 ? stdout : undefined
}

/** Removes blanks after brackets, because c++filt prints them irregularly. */
function plain(text: string): string {
  return text.replaceAll('> ', '>')
}

const version = run('c++filt', ['--version'])
const isThere = version?.startsWith('GNU') === true
if (!isThere) process.stderr.write('SKIPPED: comparison with c++filt; binutils is not installed\n')

function disagreements(names: readonly string[]): string[] {
  const responses = run('c++filt', [], names.join('\n'))?.split('\n') ?? []
  return names.filter((name, i) => plain(demangleCpp(name) ?? name) !== plain(responses[i]))
}

test.skipIf(!isThere)('demangleCpp agrees with c++filt on the examples', () => {
  expect(disagreements(CPP_NAMES.map(([mangled]) => mangled))).toEqual([])
})

// Node itself uses it, unless it is linked statically.
const report = process.report.getReport() as { readonly sharedObjects?: readonly string[] }
const runtime = report.sharedObjects?.find(path => path.includes('libstdc++'))
if (runtime === undefined) process.stderr.write('SKIPPED: names of the C++ runtime; Node is linked statically\n')
test.skipIf(!isThere || runtime === undefined)(
  'demangleCpp agrees with c++filt on the names of the C++ runtime',
  () => {
    const symbols = run('nm', ['-D', runtime ?? '']) ?? ''
    const names = [...new Set(symbols.match(/\b_Z\w+/g))]
    expect(names.length).toBeGreaterThan(1000)
    expect(disagreements(names)).toEqual([])
  },
)
