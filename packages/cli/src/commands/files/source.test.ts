// `hearth source`: lines with and without the text, several functions, functions whose first line alone is known.
import { mkdirSync, writeFileSync } from 'node:fs'
import { ProfilesBuilder, writeProfile } from '@hearth/profile'
import { beforeAll, describe, expect, it } from 'vitest'
import { exampleFiles } from '../../testing/example-profiles.ts'
import { runHearth } from '../../testing/run-hearth.ts'

const file = exampleFiles()

beforeAll(() => {
  mkdirSync(file('checkout/src'), { recursive: true })
  mkdirSync(file('elsewhere'))
  const text = Array.from({ length: 30 }, (_, i) => `\tline ${i + 1}`).join('\n')
  writeFileSync(file('checkout/src/price.cc'), text)
  const builder = new ProfilesBuilder()
  builder.profile({ type: 'cpu', unit: 'ms' })
  const add = (name: string, type: string, startLine: bigint, line: bigint, value: bigint): void => {
    const called = builder.function({ name, filename: '/build/src/price.cc', startLine })
    const attributes = [builder.attribute('profile.frame.type', type)]
    const location = builder.location({ lines: [{ function: called, line }], attributes })
    builder.sample({ stack: builder.stack([location]), values: [value] })
  }
  add('price', 'native', 10n, 12n, 3n)
  add('price', 'native', 10n, 20n, 1n)
  add('priceOfAll', 'v8js', 25n, 25n, 2n)
  writeFileSync(file('cpu.otlp'), writeProfile(builder.build(), 'otlp').bytes)
})

describe('hearth source', () => {
  it('shows the text around the lines with a cost', async () => {
    const { status, stdout } = await runHearth(['source', 'price', file('cpu.otlp'), '--source', file('checkout')])
    expect([status, stdout.split('\n')]).toEqual([
      0,
      [
        'cpu: 6.00 ms in 1 profile',
        '',
        'price  /build/src/price.cc',
        '      SELF      TOTAL   LINE',
        '                          10      line 10',
        '                          11      line 11',
        '   3.00 ms    3.00 ms     12      line 12',
        '                          13      line 13',
        '                          14      line 14',
        '                          …',
        '                          18      line 18',
        '                          19      line 19',
        '   1.00 ms    1.00 ms     20      line 20',
        '                          21      line 21',
        '                          22      line 22',
        '',
      ],
    ])
  })

  it('shows only costs without the text, matches parts of names, and says what is unknown', async () => {
    const { stdout } = await runHearth(['source', 'OFALL', file('cpu.otlp')])
    expect(stdout).toContain('   2.00 ms    2.00 ms     25\n  Only the first line of the function is known')
    const other = await runHearth(['source', 'price', file('cpu.otlp'), '--source', file('elsewhere')])
    expect(other.stdout).toContain('/build/src/price.cc is in no place of --source')
  })

  it('prints JSON, and rejects unknown functions', async () => {
    const { stdout } = await runHearth(['source', 'price', file('cpu.otlp'), '--json', '--source', file('checkout')])
    expect(JSON.parse(stdout)).toEqual({
      type: 'cpu',
      unit: 'ms',
      total: '6',
      functions: [
        {
          name: 'price',
          file: '/build/src/price.cc',
          path: 'src/price.cc',
          lines: [
            { line: 12, self: '3', total: '3' },
            { line: 20, self: '1', total: '1' },
          ],
        },
      ],
    })
    const { status, stderr } = await runHearth(['source', 'nothing', file('cpu.otlp')])
    expect([status, stderr]).toEqual([1, expect.stringContaining('no function is named "nothing"')])
  })

  it('reads the text from a source map, and names a broken archive', async () => {
    writeFileSync(
      file('price.js.map'),
      JSON.stringify({
        version: 3,
        mappings: '',
        sources: ['../src/price.cc'],
        sourcesContent: ['\n'.repeat(24) + 'all'],
      }),
    )
    const { stdout } = await runHearth(['source', 'ofall', file('cpu.otlp'), '--source', file('price.js.map')])
    expect(stdout).toContain('   2.00 ms    2.00 ms     25  all\n')
    const { status, stderr } = await runHearth(['source', 'ofall', file('cpu.otlp'), '--source', file('cpu.otlp')])
    expect([status, stderr]).toEqual([1, expect.stringContaining('cpu.otlp: source archive: the content is neither')])
  })
})
