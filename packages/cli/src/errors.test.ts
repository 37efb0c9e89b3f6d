// The exact error texts: what is wrong, where, what to do, and the exit status.
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { run } from './main.ts'
import { exampleFiles } from './testing/example-profiles.ts'
import { runHearth } from './testing/run-hearth.ts'

const file = exampleFiles()
const before = file('before.otlp')

/** Standard error without the folder name. */
async function failure(...argv: readonly string[]): Promise<readonly [status: number, text: string]> {
  const { status, stderr, stdout } = await runHearth(argv)
  expect(stdout).toBe('')
  return [status, stderr.replaceAll(file('') + path.sep, '')]
}

describe('inputs', () => {
  test('report a missing file', async () => {
    expect(await failure('top', file('nowhere.otlp'))).toEqual([
      1,
      'hearth: nowhere.otlp: no such file or directory\n  Check the spelling and the current directory.\n',
    ])
  })

  test('report a directory', async () => {
    mkdirSync(file('folder'))
    expect(await failure('top', file('folder'))).toEqual([1, 'hearth: folder: is a directory\n  Use a file in it.\n'])
  })

  test('report an empty file, an empty pipe and an empty gzip file', async () => {
    const advice = 'Check the program that writes it.'
    expect(await failure('top', file('empty.otlp'))).toEqual([1, `hearth: empty.otlp: is empty\n  ${advice}\n`])
    expect(await failure('top', '-')).toEqual([
      1,
      'hearth: standard input: is empty\n  Check the command before the pipe.\n',
    ])
    writeFileSync(file('empty.gz'), gzipSync(''))
    expect(await failure('top', file('empty.gz'))).toEqual([1, `hearth: empty.gz: is empty\n  ${advice}\n`])
  })

  test('report an unknown format', async () => {
    const [status, text] = await failure('top', file('noise.bin'))
    expect(status).toBe(1)
    expect(text).toMatch(/^hearth: noise\.bin: not a known format: tried .*otlp.*; it begins with ff fe fd .*\n/)
    expect(text).toContain('\n  If you know the format, add `--from FORMAT`; `hearth formats` lists the formats.\n')
  })

  test('report a truncated file, plain and compressed', async () => {
    writeFileSync(file('cut.otlp'), readFileSync(before).subarray(0, 300))
    const [status, text] = await failure('top', '--from', 'otlp', file('cut.otlp'))
    expect(status).toBe(1)
    expect(text).toMatch(
      /^hearth: cut\.otlp: otlp: .* at byte \d+ \(.*\)\n {2}The file is damaged or truncated, or it is not otlp: `--lenient` reads /,
    )
    const packed = gzipSync(readFileSync(before))
    writeFileSync(file('cut.gz'), packed.subarray(0, packed.length - 20))
    const [gzipStatus, gzipText] = await failure('top', file('cut.gz'))
    expect(gzipStatus).toBe(1)
    expect(gzipText).toMatch(
      /^hearth: cut\.gz: gzip: .* at byte \d+\n {2}The file is damaged or truncated: copy or download it again\.\n$/,
    )
  })

  test('report a type that the file does not contain', async () => {
    expect(await failure('top', '--type', 'wall', before)).toEqual([
      1,
      'hearth: before.otlp: no profile of type "wall"\n  Types: cpu:ns, alloc_space:By.\n',
    ])
  })

  test('reject standard input twice', async () => {
    expect(await failure('diff', '-', '-')).toEqual([
      2,
      'hearth: standard input can be read only once\n  Use `-` once.\n',
    ])
  })
})

describe('usage', () => {
  test('rejects formats that are unknown or cannot be read or written', async () => {
    const [status, text] = await failure('convert', before, '-o', file('out.otlp'), '--to', 'flamegraf')
    expect(status).toBe(2)
    expect(text).toMatch(/^hearth: --to: unknown format "flamegraf"\n {2}Formats to write: .*otlp.*\n$/)
    const [from, fromText] = await failure('top', before, '--from', 'flamegraph-html')
    expect(from).toBe(2)
    expect(fromText).toMatch(/^hearth: --from: hearth cannot read the format "flamegraph-html"\n/)
  })

  test('rejects an output without a known extension', async () => {
    const [status, text] = await failure('convert', before, '-o', file('out.xyz'))
    expect(status).toBe(2)
    expect(text).toMatch(/^hearth: out\.xyz: no format has this extension\n {2}Set the format with --to: /)
  })

  test('rejects an unknown generation', async () => {
    const [status, text] = await failure('top', before, '--generation', 'v9')
    expect(status).toBe(2)
    expect(text).toMatch(
      /^hearth: --generation: unknown generation "v9" .*\n {2}Remove it to have the generation recognised\.\n$/,
    )
  })

  test('rejects an output that is also an input', async () => {
    const content = readFileSync(before)
    expect(await failure('convert', before, '-o', before)).toEqual([
      2,
      'hearth: before.otlp: is an input and would be overwritten\n  Choose another output file.\n',
    ])
    symlinkSync(before, file('link.otlp'))
    const [status, text] = await failure('merge', before, file('after.otlp'), '-o', file('link.otlp'))
    expect(status).toBe(2)
    expect(text).toMatch(/^hearth: link\.otlp: the same file as before\.otlp: is an input and would be overwritten/)
    expect(readFileSync(before).equals(content)).toBe(true)
  })

  test('leaves no file behind if the output cannot be written', async () => {
    mkdirSync(file('target'))
    expect(await failure('convert', before, '-o', file('target'), '--to', 'otlp')).toEqual([
      2,
      'hearth: target: is a directory\n  Use -o DIRECTORY/FILE.\n',
    ])
    expect(await failure('convert', before, '-o', file('missing/out.otlp'))).toEqual([
      1,
      'hearth: missing/out.otlp: no such file or directory\n  Check the spelling and the current directory.\n',
    ])
    expect(readdirSync(path.dirname(before)).filter(name => name.endsWith('.tmp'))).toEqual([])
  })

  test('rejects an unknown command also when its help is requested', async () => {
    const expected = [2, "hearth: unknown command 'topp' (Did you mean top?)\n  `hearth --help` lists the commands.\n"]
    expect(await failure('topp', '--help')).toEqual(expected)
    expect(await failure('help', 'topp')).toEqual(expected)
    expect((await runHearth(['help', 'top'])).stdout).toContain('Usage: hearth top ')
    expect((await runHearth(['help'])).stdout).toContain('Usage: hearth [options]')
  })

  test('names the commands that let a demo listen on other addresses than loopback', async () => {
    expect(await failure('demo', '--host', '0.0.0.0')).toEqual([
      2,
      'hearth: host 0.0.0.0 is reachable from other machines and requires a token, so the demo needs --data\n' +
        '  `hearth admin token create --data demo-data --scope read`, then `hearth demo --data demo-data` with the same host.\n',
    ])
  })

  test('rejects unknown commands, arguments and values', async () => {
    expect(await failure('topp')).toEqual([
      2,
      "hearth: unknown command 'topp' (Did you mean top?)\n  `hearth --help` lists the commands.\n",
    ])
    expect(await failure('top')).toEqual([
      2,
      "hearth: missing required argument 'file'\n  `hearth top --help` explains the command.\n",
    ])
    expect(await failure('top', before, '--jsn')).toEqual([
      2,
      "hearth: unknown option '--jsn' (Did you mean --json?)\n  `hearth top --help` explains the command.\n",
    ])
    expect((await failure('top', before, '-n', 'many'))[0]).toBe(2)
    expect((await failure('top', before, '--by', 'colour'))[0]).toBe(2)
    expect((await failure('flame', before, '--min-percent', '101'))[0]).toBe(2)
    expect((await failure('convert', before))[0]).toBe(2)
    expect(await failure('validate')).toEqual([
      2,
      "hearth: missing required argument 'file'\n  `hearth validate FILE` checks a file, `hearth validate --rules` lists the rules.\n",
    ])
  })

  test('prints help and version with status 0', async () => {
    for (const argv of [[], ['--help'], ['help', 'top'], ['top', '--help']]) {
      const { status, stdout, stderr } = await runHearth(argv)
      expect([status, stderr]).toEqual([0, ''])
      expect(stdout).toMatch(/^Usage: hearth/)
      expect(stdout).toContain('Examples:')
    }
    expect(await runHearth(['--version'])).toMatchObject({ status: 0, stdout: '0.1.0\n' })
  })
})

test('ignores a closed output pipe', async () => {
  const closed = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
  const written: string[] = []
  const status = await run(['top', before], {
    stdin: (async function* () {})(),
    stdout: { write: (_, done) => done(closed) },
    stderr: { write: (chunk, done) => (written.push(String(chunk)), done()) },
    env: {},
  })
  expect([status, written]).toEqual([0, []])
})

test('escapes control characters in names', async () => {
  const stdin = Buffer.from('main;\u001b[2Jwiped 7\n')
  const { stdout } = await runHearth(['top', '-', '--from', 'folded'], { stdin })
  expect(stdout).toContain('\\u{1b}[2Jwiped')
  expect(stdout).not.toContain('\u001b')
})
