// `hearth diff` on profiles of a real server. Its output must equal that of the same profiles in files.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeProfile } from '@hearth/profile'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { afterProfiles, exampleFiles } from '../../testing/example-profiles.ts'
import type { Outcome, Surroundings } from '../../testing/run-hearth.ts'
import { runHearth } from '../../testing/run-hearth.ts'
import type { Serving } from '../../testing/serving.ts'
import { startServing } from '../../testing/serving.ts'

const file = exampleFiles()
const folder = mkdtempSync(join(tmpdir(), 'hearth-diff-'))
const FIRST = '1699999999..1700000001'
const SECOND = '1700003599..1700003601'
const RANGES = ['--before-range', FIRST, '--after-range', SECOND]
const SAME = ['--after-range', FIRST]
let served: Serving

beforeAll(async () => {
  served = await startServing(join(folder, 'data'))
})
afterAll(async () => {
  await served.stop()
  rmSync(folder, { recursive: true })
})

// The tests below use the data sent here.
test('profiles are pushed an hour apart, and side by side', async () => {
  const later = join(folder, 'later.otlp')
  writeFileSync(later, writeProfile(afterProfiles(1_700_003_600_000_000_000n), 'otlp').bytes)
  for (const argv of [
    [file('before.otlp'), '--attribute', 'run=one'],
    [later, '--attribute', 'run=one'],
    [file('after.otlp'), '--attribute', 'run=two'],
  ]) {
    expect(await runHearth(['push', ...argv, '--to', served.otlp])).toMatchObject({ status: 0 })
  }
  const all = ['query', 'cpu', '--server', served.main, '--from', '1699999999', '--to', '1700003601']
  await expect.poll(async () => (await runHearth(all)).stdout).toContain('in 6 profiles')
})

function diff(argv: readonly string[], surroundings: Surroundings = {}): Promise<Outcome> {
  return runHearth(['diff', '--server', served.main, ...argv], surroundings)
}

/** The server does not compute significance, so only files have it. */
function withoutSignificance(text: string): string {
  return text.replaceAll(/,\n +"significance": "\w+"/g, '').replaceAll(/(?<= )(SIGNIFICANCE|low {9}) {2}/g, '')
}

const ONE = 'cpu {run="one"}'
const TWO = 'cpu {run="two"}'

describe.each([
  ['two ranges', () => [ONE, ...RANGES]],
  ['two ranges, each with its selector', () => [ONE, ONE, ...RANGES]],
  ['two selectors', () => [ONE, TWO, ...SAME]],
  ['a file and a selector', () => [file('before.otlp'), TWO, ...SAME]],
  ['a selector and a file', () => [ONE, file('after.otlp'), '--before-range', FIRST]],
])('%s, like two files', (_, sides) => {
  test.each([
    [[]],
    [['--normalise']],
    [['--normalise', '--sort', 'total']],
    [['--by', 'line', '--sort', 'total', '-n', '2']],
    [['--json']],
    [['--json', '--normalise']],
  ])('hearth diff %j', async options => {
    const expected = await runHearth(['diff', file('before.otlp'), file('after.otlp'), ...options])
    expect(expected).toMatchObject({ status: 0, stderr: '' })
    const { status, stdout, stderr } = await diff([...sides(), ...options])
    // The server has profiles with both spellings, in no order.
    const compared = stdout.replace('"unit": "nanoseconds"', '"unit": "ns"')
    expect([status, withoutSignificance(compared), stderr]).toEqual([0, withoutSignificance(expected.stdout), ''])
  })
})

test('the default range is as long as the other and right before it', async () => {
  const { stdout } = await diff([ONE, '--after-range', '1700003000..1700006100', '--json'])
  // From 1699999900 on.
  expect(JSON.parse(stdout)).toMatchObject({ before: '6500000000', after: '7500000000' })
  const open = await diff([ONE, '--after-range', SECOND, '--before-range', '1690000000..', '--json'])
  expect(JSON.parse(open.stdout)).toMatchObject({ before: '6500000000', after: '7500000000' })
})

test('types can only be compared by their shares', async () => {
  const memory = 'alloc_space {run="one"}'
  const refused = await diff([ONE, memory, ...SAME])
  expect(refused).toMatchObject({ status: 1, stdout: '' })
  expect(refused.stderr).toMatch(/^hearth: cpu and alloc_space can only be compared by their shares.*\n.*--normalise/)
  const { stdout } = await diff([ONE, memory, ...SAME, '--normalise'])
  expect(stdout).toMatch(/^before {2}cpu: 6\.50 s .*\nafter {3}alloc_space: 1\.50 KiB in 1 profile\n\nBEFORE/)
})

test('an empty result explains what the server has', async () => {
  const nobody = await diff([ONE, 'cpu {run="three"}', ...SAME])
  expect(nobody.stdout).toMatch(/^before {2}cpu: 6\.50 s in 2 profiles\nafter {3}no profiles\n/)
  expect(nobody.stderr).toMatch(
    /^hearth: after: no profiles match\n {2}Profiles from 1699999999 to 1700000001: .*web with .*cpu:ns/,
  )
  const never = await diff([ONE])
  expect(never.stderr).toBe(
    'hearth: before: no profiles match\n  Set the range with --before-range.\n' +
      'hearth: after: no profiles match\n' +
      '  The server has no profiles from now-1h to now. Set the range with --after-range, or send profiles with `hearth push`.\n',
  )
  expect(never).toMatchObject({ status: 0, stdout: 'before  no profiles\nafter   no profiles\n' })
})

describe('errors', () => {
  test('show a caret in the invalid selector', async () => {
    const wrong = 'cpu {run=one}'
    const caret = new RegExp(`^hearth: .* at position 9\\n {2}cpu \\{run=one\\}\\n {11}\\^\\n$`)
    for (const sides of [[wrong], [wrong, TWO], [ONE, wrong], [file('before.otlp'), wrong]]) {
      const { status, stderr, stdout } = await diff(sides)
      expect([status, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(caret)
    }
  })

  test.each([
    [[ONE, '--before-range', 'now-2h..now..now'], 2, /'--before-range <from\.\.to>'.*must be FROM\.\.TO/],
    [[ONE, '--before-range', '..now'], 2, /must be FROM\.\.TO/],
    [[ONE, '--after-range', 'yesterday'], 1, /"yesterday" is not a time/],
    [[ONE, '--from', 'now-1h'], 2, /--from is the format of a file.*\n.*--before-range and --after-range set the time/],
    [[ONE, '--type', 'wall'], 2, /--type applies to files\n.*'wall \{…\}'/],
    [[file('before.otlp')], 2, /before\.otlp: the second profile is missing\n/],
    [
      [file('before.otlp'), file('after.otlp'), ...SAME],
      2,
      /--after-range applies to selectors, and both arguments are files\n/,
    ],
    [
      [file('before.otlp'), ONE],
      1,
      /cpu \{run="one"\}: no profiles match\n.*no profiles from now-1h to now\. Set the range with --after-range/,
    ],
    [['{run="one"}', ...RANGES], 1, /several profile types/],
  ])('%j', async (argv, status, message) => {
    const outcome = await diff(argv)
    expect([outcome.status, outcome.stdout]).toEqual([status, ''])
    expect(outcome.stderr).toMatch(message)
    expect(outcome.stderr).not.toContain('bug in hearth')
  })

  test('a word without braces is a file unless --server is given', async () => {
    const nowhere = await runHearth(['diff', 'cpu {a="b"}', '--server', 'http://127.0.0.1:9'])
    expect(nowhere).toMatchObject({ status: 1, stdout: '' })
    expect(nowhere.stderr).toContain('Is `hearth serve` running there?')
    const word = await runHearth(['diff', 'cpu', 'wall'])
    expect(word.stderr).toMatch(/^hearth: cpu: no such file or directory\n/)
  })
})
