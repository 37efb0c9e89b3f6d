// The other opinion: c++filt, over the names of the test beside this one and over those of the C++ runtime.
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { demangleCpp } from './demangle-cpp.ts'
import { CPP_NAMES } from './testing/cpp-names.ts'

function run(command: string, args: readonly string[], input = ''): string | undefined {
  const { status, stdout } = spawnSync(command, args, { input, encoding: 'utf8', maxBuffer: 1 << 28 })
  return status === 0 ? stdout : undefined
}

/** Blanks behind brackets are where c++filt is not regular itself. */
function plain(text: string): string {
  return text.replaceAll('> ', '>')
}

const version = run('c++filt', ['--version'])
const isThere = version?.startsWith('GNU') === true
if (!isThere) process.stderr.write('SKIPPED: names are not compared with c++filt of binutils, which is not there\n')

function disagreements(names: readonly string[]): string[] {
  const answers = run('c++filt', [], names.join('\n'))?.split('\n') ?? []
  return names.filter((name, i) => plain(demangleCpp(name) ?? name) !== plain(answers[i]))
}

test.skipIf(!isThere)('c++filt agrees on the examples', () => {
  expect(disagreements(CPP_NAMES.map(([mangled]) => mangled))).toEqual([])
})

// Node itself runs on it, unless it is linked statically.
const report = process.report.getReport() as { readonly sharedObjects?: readonly string[] }
const runtime = report.sharedObjects?.find(path => path.includes('libstdc++'))
if (runtime === undefined) process.stderr.write('SKIPPED: the names of the C++ runtime, which Node does not share\n')
test.skipIf(!isThere || runtime === undefined)('c++filt agrees on the names of the C++ runtime', () => {
  const symbols = run('nm', ['-D', runtime ?? '']) ?? ''
  const names = [...new Set(symbols.match(/\b_Z\w+/g))]
  expect(names.length).toBeGreaterThan(1000)
  expect(disagreements(names)).toEqual([])
})
