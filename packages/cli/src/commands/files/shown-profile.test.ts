// The type and the frames that commands show by default, from fields that pprof and OTEP 0239 share.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { ProfilesBuilder, writeProfile } from '@hearth/profile'
import { expect, test } from 'vitest'
import { runHearth } from '../../testing/run-hearth.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'hearth-shown-'))

function write(format: string, defaultType: string): string {
  const builder = new ProfilesBuilder()
  builder.scope({
    attributes: defaultType === '' ? [] : [{ key: 'pprof.scope.default_sample_type', value: defaultType }],
  })
  const locations = ['main', 'run', 'malloc', 'lock'].map(name =>
    builder.location({ lines: [{ function: builder.function({ name }) }] }),
  )
  const attributes = [builder.attribute('pprof.profile.drop_frames', 'malloc')]
  for (const type of ['objects', 'space', 'time']) {
    builder.profile({ type, unit: 'count', attributes })
    builder.sample({ stack: builder.stack(locations.toReversed()), values: [5] })
  }
  const file = path.join(folder, `${format}-${defaultType}`)
  writeFileSync(file, writeProfile(builder.build(), format).bytes)
  return file
}

test.each(['pprof', 'otep239', 'otlp'])('%s: top shows the default type, without dropped frames', async format => {
  const file = write(format, 'space')
  const { stdout } = await runHearth(['top', '--json', file])
  const result = JSON.parse(stdout) as { type: string; rows: { name: string }[] }
  expect(result.type).toBe('space')
  expect(result.rows.map(({ name }) => name).toSorted()).toEqual(['main', 'run'])
  const all = JSON.parse((await runHearth(['top', '--json', '--all-frames', file])).stdout) as typeof result
  expect(all.rows.map(({ name }) => name).toSorted()).toEqual(['lock', 'main', 'malloc', 'run'])
  const flame = await runHearth(['flame', file])
  expect(flame.stdout).not.toContain('malloc')
})

test.each(['otep239', 'otlp'])('%s: top shows the first type if there is no default', async format => {
  const { stdout } = await runHearth(['top', '--json', write(format, '')])
  expect((JSON.parse(stdout) as { type: string }).type).toBe('objects')
})

test('convert keeps all frames', async () => {
  const { stdout } = await runHearth(['convert', '--to', 'folded', '-o', '-', write('pprof', 'space')])
  expect(stdout).toContain('main;run;malloc;lock 5')
})
