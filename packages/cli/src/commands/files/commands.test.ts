// Runs every command on the example files and compares with golden files. Checks the JSON that scripts rely on.
import { readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Profiles } from '@hearth/profile'
import { ProfilesBuilder, compressionOf, formats, readProfile, writeProfile } from '@hearth/profile'
import { describe, expect, test } from 'vitest'
import { nodeCodecs } from '@hearth/codecs'
import { exampleFiles } from '../../testing/example-profiles.ts'
import { expectGolden } from '../../testing/golden.ts'
import { runHearth } from '../../testing/run-hearth.ts'

const file = exampleFiles()

describe('the output of', () => {
  test.each([
    'inspect before.otlp',
    'validate before.otlp',
    'top before.otlp',
    'top --by line --sort total -n 3 before.otlp',
    'top --type alloc_space before.otlp',
    'top --json before.otlp',
    'top --root=thread.name --sort total before.otlp',
    'diff before.otlp after.otlp',
    'diff --normalise --sort total before.otlp after.otlp',
    'diff --json -n 1 before.otlp after.otlp',
    'flame before.otlp',
    'flame --leaf-first --min-percent 20 before.otlp',
    'flame --root=service.name --root=thread.name before.otlp',
    'convert before.otlp -o - --to folded',
    'convert --root=thread.name --type cpu before.otlp -o - --to folded',
    'convert --strict before.otlp -o - --to folded',
  ])('%s', async commandLine => {
    await expectGolden(commandLine, file)
  })

  test.each(['inspect before.otlp', 'top before.otlp'])('%s in a terminal of 60 columns', async commandLine => {
    const { stdout } = await expectGolden(commandLine, file, { columns: 60 })
    if (commandLine.startsWith('top'))
      expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(60)
  })

  test('flame in a terminal with 24-bit colours', async () => {
    await expectGolden('flame before.otlp', file, { columns: 40, colorDepth: 24 })
  })
})

describe('snapshots of the live heap', () => {
  const heaps = [100, 300].map((live, i) => {
    const b = new ProfilesBuilder()
    b.profile({ type: 'inuse_space', unit: 'bytes', timeUnixNano: BigInt(i + 1) * 60_000_000_000n })
    const location = b.location({ lines: [{ function: b.function({ name: 'cache' }), line: 1 }] })
    b.sample({ stack: b.stack([location]), values: [BigInt(live)] })
    const name = file(`heap-${i}.otlp`)
    writeFileSync(name, writeProfile(b.build(), 'otlp').bytes)
    return name
  })

  test.each([
    [[], '200 B (average over time)', '200 B'],
    [['--snapshots', 'latest'], '300 B (latest)', '300 B'],
    [['--snapshots', 'maximum'], '300 B (maximum)', '300 B'],
    [['--snapshots', 'sum'], '400 B (sum of all snapshots)', '400 B'],
  ])('are combined with %j', async (options, total, cache) => {
    for (const command of ['top', 'flame']) {
      const { stdout } = await runHearth([command, ...heaps, ...options])
      expect(stdout).toContain(`inuse_space: ${total} in 2 profiles\n`)
      expect(stdout).toMatch(new RegExp(`${cache} .*cache`))
    }
    const merged = file('merged.otlp')
    await runHearth(['merge', ...heaps, ...options, '-o', merged])
    expect((await runHearth(['top', merged])).stdout).toContain(`inuse_space: ${cache} in 1 profile\n`)
    const both = file('both.otlp')
    await runHearth(['convert', ...heaps, '-o', both])
    const { stdout } = await runHearth(['diff', both, heaps[0], ...options])
    expect(stdout).toContain(`before  inuse_space: ${total} in 2 profiles\nafter   inuse_space: 100 B in 1 profile\n`)
    expect((await runHearth(['inspect', both])).stdout).toContain('200 B')
  })

  test('are reported by merge and in JSON', async () => {
    const { stderr } = await runHearth(['merge', ...heaps, '-o', file('merged.otlp')])
    expect(stderr).toContain('2 × snapshots-averaged: snapshots of a state')
    const { stdout } = await runHearth(['top', '--json', ...heaps])
    expect(JSON.parse(stdout)).toMatchObject({ snapshots: 'average', total: '200' })
  })
})

describe('inspect', () => {
  test('--json has the keys that scripts rely on, 64-bit numbers as strings', async () => {
    const { stdout, status } = await runHearth(['inspect', file('before.otlp'), '--json'])
    expect(status).toBe(0)
    const result = JSON.parse(stdout) as Record<string, unknown>
    expect(result).toMatchObject({
      file: file('before.otlp'),
      format: 'otlp',
      bytes: readFileSync(file('before.otlp')).length,
      compression: 'none',
      notes: [],
      dictionary: { functions: 6, mappings: 2, links: 1 },
    })
    expect(Object.keys(result['dictionary'] as object).toSorted()).toEqual([
      'attributes',
      'functions',
      'links',
      'locations',
      'mappings',
      'stacks',
      'strings',
    ])
    expect((result['profiles'] as unknown[])[0]).toMatchObject({
      type: 'cpu',
      unit: 'ns',
      samples: 3,
      observations: 3,
      total: '6000000000',
      timeUnixNano: '1700000000000000000',
      durationNano: '10000000000',
      periodType: 'cpu',
      periodUnit: 'ns',
      period: '10000000',
      attributes: { 'host.arch': 'amd64' },
    })
  })

  test('hides internal attributes and shortens values unless --all is given', async () => {
    const b = new ProfilesBuilder()
    b.resource({ attributes: [{ key: 'process.command', value: 'x'.repeat(200) }] })
    b.profile({ type: 'cpu', unit: 'ns', attributes: [b.attribute('hearth.pprof.mappings', 'internal')] })
    b.sample({ stack: b.stack([]), values: [1n], attributes: [b.attribute('hearth.pprof.location_ids', 'internal')] })
    writeFileSync(file('long.otlp'), writeProfile(b.build(), 'otlp').bytes)
    const { stdout } = await runHearth(['inspect', file('long.otlp')])
    expect(stdout).toContain(`process.command=${'x'.repeat(79)}…`)
    expect(stdout).not.toContain('hearth.pprof')
    const all = await runHearth(['inspect', '--all', file('long.otlp')])
    expect(all.stdout).toContain(`process.command=${'x'.repeat(200)}`)
    expect(all.stdout).toContain('hearth.pprof.mappings=internal')
    expect(all.stdout).toContain('hearth.pprof.location_ids: 1 value in 1 sample')
  })

  test('--json of several files is an array, with their compression', async () => {
    const packed = gzipSync(readFileSync(file('before.otlp')))
    const { stdout } = await runHearth(['inspect', '-', file('after.otlp'), '--json'], { stdin: packed })
    expect(JSON.parse(stdout)).toMatchObject([
      { file: '-', compression: 'gzip', bytes: packed.length, contentBytes: readFileSync(file('before.otlp')).length },
      { file: file('after.otlp'), compression: 'none' },
    ])
  })
})

describe('validate', () => {
  test('reports a file that cannot be decoded as a problem', async () => {
    const cut = readFileSync(file('before.otlp')).subarray(0, 200)
    const { stdout, status } = await runHearth(['validate', '-', '--from', 'otlp', '--json'], { stdin: cut })
    expect(status).toBe(1)
    const { valid, problems } = JSON.parse(stdout) as { valid: boolean; problems: Record<string, string>[] }
    expect(valid).toBe(false)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({
      rule: 'decodable',
      level: 'must',
      message: expect.stringContaining('at byte') as string,
    })
  })

  test('--json of a valid file has no problems', async () => {
    const { stdout, status } = await runHearth(['validate', file('before.otlp'), '--json'])
    expect([JSON.parse(stdout), status]).toEqual([{ valid: true, problems: [], remarks: [] }, 0])
  })

  test('finds more with --strict, and exits with 1', async () => {
    const builder = new ProfilesBuilder()
    builder.profile({ type: '', unit: '' })
    const stdin = writeProfile(builder.build(), 'otlp').bytes
    expect((await runHearth(['validate', '-'], { stdin })).status).toBe(0)
    const { stdout, status } = await runHearth(['validate', '--strict', '-', '--json'], { stdin })
    expect(status).toBe(1)
    const { problems } = JSON.parse(stdout) as { problems: { level: string }[] }
    expect(new Set(problems.map(({ level }) => level))).toEqual(new Set(['should']))
  })

  test('prints remarks with --strict, and exits with 0', async () => {
    const { stdout, status } = await runHearth(['validate', '--strict', file('before.otlp')])
    expect(status).toBe(0)
    expect(stdout).toMatch(
      /^INFO {4}mapping-build-id {2}dictionary\.mapping_table\[1\].*before\.otlp: valid, strictly\n$/s,
    )
  })

  test('finds nothing with --strict in OTLP that was converted from a file with equal samples', async () => {
    const builder = new ProfilesBuilder()
    const main = builder.location({ lines: [{ function: builder.function({ name: 'main' }) }] })
    builder.profile({ type: 'cpu', unit: 'ns' })
    for (const value of [2n, 3n]) builder.sample({ stack: builder.stack([main]), values: [value] })
    const stdin = writeProfile(builder.build(), 'pprof').bytes
    const converted = await runHearth(['convert', '-', '-o', '-', '--to', 'otlp-json', '--strict'], { stdin })
    expect(converted.stderr).toContain('samples with the same stack, attributes and link as another were added to it')
    expect(converted.stdout).toContain('"values":["5"]')
    const { stdout } = await runHearth(['validate', '-', '--strict', '--json'], {
      stdin: Buffer.from(converted.stdout),
    })
    expect(JSON.parse(stdout)).toEqual({ valid: true, problems: [], remarks: [] })
  })

  test('lists the rules without a file', async () => {
    const { stdout, status } = await runHearth(['validate', '--rules'])
    expect(status).toBe(0)
    expect(stdout).toContain('decodable')
    expect(stdout).toContain('zero-row-present')
  })
})

describe('formats', () => {
  test('lists every format of the registry as text and as JSON', async () => {
    const table = (await runHearth(['formats'])).stdout
    const { formats: result } = JSON.parse((await runHearth(['formats', '--json'])).stdout) as {
      formats: { name: string }[]
    }
    expect(result.map(({ name }) => name)).toEqual(formats.map(({ name }) => name))
    for (const { name } of formats) expect(table).toContain(name)
  })
})

describe('convert', () => {
  test('compresses by extension and reads the result again', async () => {
    for (const [name, compression] of [
      ['x.otlp', 'none'],
      ['x.otlp.gz', 'gzip'],
      ['x.otlp.zst', 'zstd'],
    ] as const) {
      expect(await runHearth(['convert', file('before.otlp'), '-o', file(name)])).toMatchObject({
        status: 0,
        stderr: '',
      })
      const bytes = readFileSync(file(name))
      expect(compressionOf(bytes)).toBe(compression)
      expect(typesOf(readProfile(bytes, { codecs: nodeCodecs }).profiles)).toEqual(['cpu', 'alloc_space', 'cpu'])
    }
  })

  test('writes OTLP for a bare .json', async () => {
    expect(await runHearth(['convert', file('before.otlp'), '-o', file('x.json')])).toMatchObject({
      status: 0,
      stderr: '',
    })
    expect(readProfile(readFileSync(file('x.json'))).format.name).toBe('otlp-json')
  })

  test('keeps several inputs apart, and --type selects', async () => {
    const both = [file('before.otlp'), file('after.otlp')]
    const joined = await runHearth(['convert', ...both, '-o', '-', '--to', 'otlp'])
    expect(typesOf(readProfile(joined.bytes).profiles)).toEqual([
      'cpu',
      'alloc_space',
      'cpu',
      'cpu',
      'alloc_space',
      'cpu',
    ])
    const picked = await runHearth(['convert', ...both, '-o', '-', '--to', 'otlp', '--type', 'alloc_space'])
    const { profiles } = readProfile(picked.bytes)
    expect(typesOf(profiles)).toEqual(['alloc_space', 'alloc_space'])
    expect(profiles.resources.length).toBe(2)
  })

  test('converts standard input to standard output', async () => {
    const stdin = readFileSync(file('before.otlp'))
    const { bytes, status } = await runHearth(['convert', '-', '-o', '-', '--to', 'otlp'], { stdin })
    expect(status).toBe(0)
    expect(Buffer.from(bytes).equals(stdin)).toBe(true)
  })

  test('writes nothing with --strict if data would be lost', async () => {
    const { status, stderr } = await runHearth([
      'convert',
      '--strict',
      file('before.otlp'),
      '-o',
      file('strict.folded'),
    ])
    expect(status).toBe(1)
    expect(stderr).toContain('not written')
    expect(() => readFileSync(file('strict.folded'))).toThrow('ENOENT')
  })

  test('does not write binary data to a terminal', async () => {
    const { status, bytes } = await runHearth(['convert', file('before.otlp'), '-o', '-', '--to', 'otlp'], {
      columns: 80,
    })
    expect([status, bytes.length]).toEqual([2, 0])
  })
})

describe('merge', () => {
  test('sums profiles of the same type and resource', async () => {
    const inputs = [file('before.otlp'), file('after.otlp'), file('after.otlp')]
    expect(await runHearth(['merge', ...inputs, '-o', file('merged.otlp')])).toMatchObject({ status: 0 })
    const result = JSON.parse((await runHearth(['top', file('merged.otlp'), '--json'])).stdout) as { total: string }
    // 6 s + 2 * 7 s of web, 3 * 0.5 s of batch.
    expect(result.total).toBe('21500000000')
    const { profiles } = readProfile(readFileSync(file('merged.otlp')))
    expect(typesOf(profiles)).toEqual(['cpu', 'alloc_space', 'cpu'])
  })
})

describe('cumulative profiles', () => {
  /** Writes a file of a cumulative profile and returns its name. */
  function grown(name: string, [start, end, total]: readonly [number, number, number], temporality = 'cumulative') {
    const b = new ProfilesBuilder()
    b.resource({ attributes: [{ key: 'service.name', value: 'shop' }] })
    b.profile({
      type: 'alloc_space',
      unit: 'bytes',
      timeUnixNano: BigInt(start),
      durationNano: BigInt(end - start),
      attributes: [b.attribute('hearth.profile.aggregation_temporality', temporality)],
    })
    const main = b.location({ lines: [{ function: b.function({ name: 'main' }), line: 1 }] })
    b.sample({ stack: b.stack([main]), values: [BigInt(total)] })
    writeFileSync(file(name), writeProfile(b.build(), 'otlp').bytes)
    return file(name)
  }
  const all = [grown('grown-4.otlp', [100, 110, 4]), grown('grown-6.otlp', [100, 120, 6])]
  const reset = [...all, grown('reset-2.otlp', [120, 130, 2])]
  all.push(grown('grown-10.otlp', [100, 130, 10]))

  async function totalsOf(files: readonly string[]) {
    const [merged, together] = [file('merged.otlp'), file('together.otlp')]
    expect((await runHearth(['merge', ...files, '-o', merged])).status).toBe(0)
    expect((await runHearth(['convert', ...files, '-o', together])).status).toBe(0)
    const outputs: Record<string, readonly string[]> = {
      folded: ['convert', ...files, '-o', '-', '--to', 'folded'],
      mergedFolded: ['merge', ...files, '-o', '-', '--to', 'folded'],
    }
    const of = async (command: readonly string[]) => (await runHearth(command)).stdout
    const json = async (input: string) => (JSON.parse(await of(['top', input, '--json'])) as { total: string }).total
    const pprof = file('together.pb')
    await runHearth(['convert', together, '-o', pprof])
    return {
      top: [await json(together), await json(merged), await json(pprof)],
      flame: (await of(['flame', together])).match(/alloc_space: (\d+) B/)?.[1],
      inspect: (await of(['inspect', together])).match(/alloc_space +bytes .* (\d+) B/)?.[1],
      diff: (await of(['diff', together, grown('none.otlp', [100, 101, 0]), '--json'])).match(/"before": "(\d+)"/)?.[1],
      folded: await Promise.all(
        Object.values(outputs).map(async command => (await of(command)).match(/main (\d+)/)?.[1]),
      ),
    }
  }

  test.each([
    [[0, 1, 2], '10'],
    [[2, 0, 1], '10'],
    [[1, 2, 0], '10'],
  ])('count the last one of a start in the order %j', async (order, total) => {
    expect(await totalsOf(order.map(i => all[i]))).toEqual({
      top: [total, total, total],
      flame: total,
      inspect: total,
      diff: total,
      folded: [total, total],
    })
  })

  test('add up after a reset', async () => {
    const expected = { top: ['8', '8', '8'], flame: '8', inspect: '8', diff: '8', folded: ['8', '8'] }
    expect(await totalsOf(reset)).toEqual(expected)
    expect(await totalsOf(reset.toReversed())).toEqual(expected)
  })

  test('cannot be added to delta profiles of the same series', async () => {
    const files = [all[0], grown('delta.otlp', [110, 120, 1], 'delta')]
    const mixed = file('mixed.otlp')
    await runHearth(['convert', ...files, '-o', mixed])
    for (const command of [
      ['top', mixed],
      ['flame', mixed],
      ['diff', mixed, all[0]],
      ['merge', ...files, '-o', file('never.otlp')],
      ['convert', mixed, '-o', '-', '--to', 'folded'],
    ]) {
      const { status, stderr } = await runHearth(command)
      expect(stderr).toContain(
        'a series of alloc_space has both delta and cumulative profiles, which cannot be added up',
      )
      expect(status).toBe(1)
    }
    expect((await runHearth(['inspect', mixed])).stdout).toMatch(/alloc_space .* - +-/)
  })
})

describe('flame', () => {
  test('writes an HTML file with -o, compressed by extension', async () => {
    expect(await runHearth(['flame', file('before.otlp'), '-o', file('x.html')])).toMatchObject({
      status: 0,
      stdout: '',
    })
    const page = readFileSync(file('x.html'), 'utf8')
    expect(page).toMatch(/^<!doctype html>/i)
    await runHearth(['flame', file('before.otlp'), '-o', file('x.html.gz')])
    expect(gunzipSync(readFileSync(file('x.html.gz'))).toString()).toBe(page)
  })

  test('uses no colours with --no-color and NO_COLOR', async () => {
    const terminal = { columns: 60, colorDepth: 24 }
    const escape = '\u001b['
    expect((await runHearth(['flame', file('before.otlp')], terminal)).stdout).toContain(escape)
    expect((await runHearth(['flame', '--no-color', file('before.otlp')], terminal)).stdout).not.toContain(escape)
    expect(
      (await runHearth(['flame', file('before.otlp')], { ...terminal, env: { NO_COLOR: '1' } })).stdout,
    ).not.toContain(escape)
    expect((await runHearth(['flame', file('before.otlp')])).stdout).not.toContain(escape)
  })
})

function typesOf({ profiles, dictionary }: Profiles): string[] {
  return Array.from({ length: profiles.length }, (_, i) => dictionary.strings.text(profiles.type(i)))
}
