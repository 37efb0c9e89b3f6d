import { writeFileSync } from 'node:fs'
import { ProfilesBuilder, writeProfile } from '@hearth/profile'
import { describe, expect, it } from 'vitest'
import { exampleFiles } from '../../testing/example-profiles.ts'
import { runHearth } from '../../testing/run-hearth.ts'

const file = exampleFiles()
const PERIOD = 10_000_000n

/** Writes a CPU profile with a number of samples per function, all called by main. */
function recording(name: string, counts: Readonly<Record<string, number>>): string {
  const b = new ProfilesBuilder()
  b.profile({ type: 'cpu', unit: 'ns', periodType: 'cpu', periodUnit: 'ns', period: PERIOD })
  const place = (name: string) =>
    b.location({ lines: [{ function: b.function({ name, filename: 'src/shop.ts' }), line: 7 }] })
  for (const [called, count] of Object.entries(counts)) {
    b.sample({ stack: b.stack([place(called), place('main')]), values: [BigInt(count) * PERIOD] })
  }
  const path = file(name)
  writeFileSync(path, writeProfile(b.build(), 'otlp').bytes)
  return path
}

const base = recording('base.otlp', { search: 1000, render: 3000, 'a<b>|"&': 40 })
const slower = recording('slower.otlp', { search: 1600, render: 3000, 'a<b>|"&': 40 })
const same = recording('same.otlp', { search: 1020, render: 2980, 'a<b>|"&': 45 })
const gate = async (...args: readonly string[]) => await runHearth(['gate', ...args])

describe('hearth gate', () => {
  it('fails with a table if a function costs significantly more', async () => {
    const { status, stdout } = await gate('--base', base, '--new', slower)
    expect(status).toBe(1)
    expect(stdout).toBe(
      [
        'cpu: 1 base run, 1 new run, 4 functions compared; one run of a side does not show how much runs differ',
        '1 significant increase above 5 % in functions with at least 0.5 % of the new runs.',
        '',
        '  BASE     NEW      95 %  INCREASE        Q         NAME    FILE',
        '24.8 %  34.5 %  ± 1.91 %     +39 %  <0.0001  self   search  src/shop.ts',
        '24.8 %  34.5 %  ± 1.91 %     +39 %  <0.0001  total  search  src/shop.ts',
        '',
      ]
        .join('\n')
        .replace('1 significant increase', '2 significant increases'),
    )
  })

  it('passes if the change may be chance, or is tolerated', async () => {
    const unchanged = await gate('--base', base, '--new', same)
    expect(unchanged).toMatchObject({ status: 0, stderr: '' })
    expect(unchanged.stdout).toContain('No significant increase above 5 %')
    expect(await gate('--base', base, '--new', slower, '--max-increase', '60%')).toMatchObject({ status: 0 })
    expect(await gate('--base', base, '--new', slower, '--min-share', '40')).toMatchObject({ status: 0 })
    expect(await gate('--base', base, '--new', slower, '--function', '^render$')).toMatchObject({ status: 0 })
    expect(await gate('--base', slower, '--new', base, '--function', 'search')).toMatchObject({ status: 0 })
  })

  it('does not report functions that differ between runs of one version', async () => {
    const runs = [900, 1500, 1100].map((search, i) => recording(`run-${i}.otlp`, { search, render: 3000 }))
    const [first, second, third] = runs
    expect(await gate('--base', first, '--new', second)).toMatchObject({ status: 1 })
    const { status, stdout } = await gate('--base', first, third, '--new', second, first)
    expect(status).toBe(0)
    expect(stdout).toMatch(/2 base runs, 2 new runs, 3 functions compared; runs of a side differ by \d/)
  })

  it('compares values per run', async () => {
    const twice = ['a', 'b'].map(name => recording(`twice-${name}.otlp`, { search: 2000, render: 6000, 'a<b>|"&': 80 }))
    const once = [base, same]
    expect(await gate('--base', ...once, '--new', ...twice)).toMatchObject({ status: 0 })
    const { status, stdout } = await gate('--base', ...once, '--new', ...twice, '--absolute', '--function', 'main')
    expect(status).toBe(1)
    expect(stdout).toMatch(/40\.4 s +1\.35 min +± \S+ s +\+100 %.*main/)
    const alone = await gate('--base', base, '--new', ...twice, '--absolute')
    expect(alone).toMatchObject({ status: 2 })
    expect(alone.stderr).toContain('--absolute requires at least two runs, and --base has one')
  })

  it('writes JSON', async () => {
    const jsonOf = async (fresh: string) =>
      JSON.parse((await gate('--base', base, '--new', fresh, '--format', 'json')).stdout) as {
        readonly passed: boolean
        readonly increases: readonly { readonly base: number }[]
      }
    const result = await jsonOf(slower)
    expect(result).toMatchObject({ passed: false, type: 'cpu', unit: 'ns', compare: 'share', baseRuns: 1, newRuns: 1 })
    expect(result.increases[0]).toMatchObject({ name: 'search', place: 'src/shop.ts', kind: 'self' })
    expect(result.increases[0].base).toBeCloseTo(1000 / 4040, 9)
    expect((await jsonOf(same)).passed).toBe(true)
  })

  it('writes reports of CI systems without breaking their syntax', async () => {
    const odd = recording('odd.otlp', { search: 1000, render: 3000, 'a<b>|"&': 400 })
    const of = async (format: string) => (await gate('--base', base, '--new', odd, '--format', format)).stdout
    expect(await of('junit')).toContain('<testcase classname="hearth gate" name="a&#60;b&#62;|&#34;&#38; (self)">')
    expect(await of('junit')).toContain('<testsuite name="hearth gate" tests="2" failures="2">')
    expect(await of('markdown')).toContain(String.raw`| a\<b\>\|"& | src/shop.ts |`)
    expect(await of('github')).toMatch(
      /^::error title=Performance regression::a<b>\|"& \(self\): 0\.99 %25 to 9\.09 %25 ± /,
    )
    const passed = await gate('--base', base, '--new', same, '--format', 'junit')
    expect(passed.stdout).toContain('tests="1" failures="0"')
  })

  it('rejects inputs and options that cannot work', async () => {
    const errors = [
      [['--base', base], 2, "required option '--new <input...>' not specified"],
      [['--base', base, '--new', same, '--max-increase', 'much'], 2, 'It must be a percentage'],
      [['--base', base, '--new', same, '--function', '('], 2, 'It must be a regular expression'],
      [['--base', base, '--new', same, '--base-range', 'now-1h..now'], 2, '--base-range applies to selectors'],
      [['--base', base, '--new', recording('empty.otlp', {})], 1, '--new: all values are zero'],
      [['--base', base, '--new', file('missing.otlp')], 1, 'missing.otlp'],
      [['--base', base, '--new', same, '--type', 'heap'], 1, 'no profile of type "heap"'],
    ] as const
    for (const [args, status, text] of errors) {
      const outcome = await gate(...args)
      expect(outcome.stderr).toContain(text)
      expect(outcome.status).toBe(status)
    }
  })
})
