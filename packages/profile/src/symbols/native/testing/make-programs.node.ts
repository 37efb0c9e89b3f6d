// Writes programs.ts: small binaries with debug information in base64, and what llvm-symbolizer says of every instruction. Run with
// `npx tsx packages/profile/src/symbols/native/testing/make-programs.node.ts` where g++, objcopy, xz, dwz, llvm-dwp and
// llvm-symbolizer are.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const sources = join(import.meta.dirname, 'programs')
const directory = mkdtempSync(join(tmpdir(), 'programs-'))
const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { cwd: directory, encoding: 'utf8', maxBuffer: 1 << 26 })

function build(name: string, ...flags: string[]): string {
  run(
    'g++',
    '-O2',
    '-g',
    '-fno-asynchronous-unwind-tables',
    '-fno-stack-protector',
    '-nostdlib',
    '-static',
    '-Wl,--build-id=sha1',
    '-Wl,-z,norelro',
    '-Wl,-z,max-page-size=4096',
    `-ffile-prefix-map=${sources}=/src`,
    `-ffile-prefix-map=${directory}=/src`,
    ...flags,
    join(sources, 'shop.cc'),
    '-o',
    name,
  )
  return name
}

const base64 = (file: string): string => readFileSync(join(directory, file)).toString('base64')

/** For every second byte of the text: address, then function, file and line of each frame, innermost first. */
function truth(file: string): string[] {
  const text = /\.text\s+PROGBITS\s+([0-9a-f]+)\s+\S+\s+([0-9a-f]+)/.exec(run('readelf', '-SW', file))
  if (text === null) throw new Error('no .text')
  const start = Number.parseInt(text[1], 16)
  const addresses = Array.from({ length: Math.floor(Number.parseInt(text[2], 16) / 2) }, (_, i) => start + i * 2)
  // Not addr2line: it replaces the names of local inlined functions by that of the symbol around them.
  const output = run(
    'llvm-symbolizer',
    `--obj=${file}`,
    '--inlines',
    '--no-demangle',
    '--output-style=JSON',
    ...addresses.map(at => `0x${at.toString(16)}`),
  )
  const results = JSON.parse(output) as readonly { Address: string; Symbol?: readonly SymbolizerFrame[] }[]
  return results.map(({ Address, Symbol = [] }) => {
    const frames = Symbol.filter(({ FunctionName }) => FunctionName !== '').map(
      ({ FunctionName, FileName, Line, Column }) => `${FunctionName} ${FileName}:${Line}:${Column}`,
    )
    return `${Address}: ${frames.join(' < ')}`
  })
}

interface SymbolizerFrame {
  readonly FunctionName: string
  readonly FileName: string
  readonly Line: number
  readonly Column: number
}

const programs: Record<string, string> = {}
for (const [name, ...flags] of [
  ['dwarf5', '-gdwarf-5'],
  ['dwarf4', '-gdwarf-4'],
  ['split5', '-gdwarf-5', '-gsplit-dwarf'],
  ['compressed', '-gdwarf-5', '-gz=zlib'],
] as const) {
  programs[name] = base64(build(name, ...flags))
}
const dwo = readdirSync(directory).find(file => file.endsWith('.dwo')) ?? ''
programs['split5Dwo'] = base64(dwo)
// A package with another unit before it.
writeFileSync(join(directory, 'other.c'), 'int other(int a) { return a * 3; }\n')
run('gcc', '-O1', '-gdwarf-5', '-gsplit-dwarf', `-ffile-prefix-map=${directory}=/src`, '-c', 'other.c')
run('llvm-dwp', 'other.dwo', dwo, '-o', 'package')
programs['split5Package'] = base64('package')
run('objcopy', '--strip-all', 'dwarf5', 'stripped')
programs['stripped'] = base64('stripped')
// As Fedora's build does: a compressed file inside the stripped binary has the symbols that it lacks.
run('objcopy', '--strip-debug', '--remove-section=.comment', 'dwarf5', 'mini')
run('xz', '--keep', 'mini')
run('objcopy', '--add-section', '.gnu_debugdata=mini.xz', 'stripped', 'with-mini')
programs['miniDebugInfo'] = base64('with-mini')

// dwz moves what two debug files have in common into a third one.
run('cp', 'dwarf5', 'shared')
run('cp', 'dwarf5', 'other')
run('dwz', '-m', 'supplement', '-M', '/src/supplement', 'shared', 'other')
programs['withSupplement'] = base64('shared')
programs['supplement'] = base64('supplement')
// Without a build id, a stripped binary names its debug file.
build('linked', '-gdwarf-5', '-Wl,--build-id=none')
run('objcopy', '--only-keep-debug', 'linked', 'linked.debug')
run('objcopy', '--strip-all', '--add-gnu-debuglink=linked.debug', 'linked')
programs['linked'] = base64('linked')
programs['linkedDebug'] = base64('linked.debug')

const constants = Object.entries(programs).map(([name, text]) => `  ${name}:\n    '${text}',`)
writeFileSync(
  join(import.meta.dirname, 'generated', 'programs.ts'),
  `// Written by ../make-programs.node.ts from ../programs.\n\nexport const programs = {\n${constants.join('\n')}\n} as const\n
/** llvm-symbolizer of dwarf5: address, then the frames, innermost first. */
export const truth: readonly string[] = ${JSON.stringify(truth('dwarf5'), undefined, 2)}
`,
)
rmSync(directory, { recursive: true })
