import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readOtlp } from '@hearth/profile'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FileExporter } from './file-exporter.ts'
import { problemReporter } from './problem-reporter.ts'
import { someProfiles } from './testing/some-profiles.ts'

let directory: string
const problems: string[] = []
const onProblem = (problem: string): void => void problems.push(problem)
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hearth-output-'))
  problems.length = 0
})
afterEach(() => rmSync(directory, { recursive: true }))

test('FileExporter appends to a file that reads as one', () => {
  const path = join(directory, 'deep', 'out.otlp')
  for (const service of ['one', 'two']) {
    const exporter = new FileExporter({ path, serviceName: service, onProblem })
    exporter.send(someProfiles(service))
    exporter.send(someProfiles(service))
  }
  expect(readOtlp(readFileSync(path), {}).profiles.profiles.length).toBe(4)
  expect(problems).toEqual([])
})

test('FileExporter stops at the size limit of a file', () => {
  const path = join(directory, 'out.otlp')
  const exporter = new FileExporter({ path, serviceName: 'shop', onProblem, limits: { bytes: 300, files: 1 } })
  for (let i = 0; i < 5; i++) exporter.send(someProfiles())
  expect(readFileSync(path).length).toBeLessThanOrEqual(300)
  expect(exporter.dropped).toBeGreaterThan(0)
  expect(problems[0]).toContain('the file has reached 300 bytes')
})

test('FileExporter writes a file per export to a directory, and removes the oldest of the service', () => {
  writeFileSync(join(directory, 'notes.txt'), 'mine')
  writeFileSync(join(directory, '2020-01-01T00-00-00.000Z-other-1-1.otlp'), 'theirs')
  let time = Date.parse('2026-11-15T12:00:00Z')
  const limits = { bytes: 0, files: 3 }
  const now = (): Date => new Date((time += 10_000))
  const exporter = new FileExporter({ path: directory, serviceName: '@shop/check out', onProblem, limits, now })
  for (let i = 0; i < 5; i++) exporter.send(someProfiles())
  expect(readdirSync(directory).toSorted()).toEqual([
    '2020-01-01T00-00-00.000Z-other-1-1.otlp',
    `2026-11-15T12-00-30.000Z-_shop_check_out-${process.pid}-3.otlp`,
    `2026-11-15T12-00-40.000Z-_shop_check_out-${process.pid}-4.otlp`,
    `2026-11-15T12-00-50.000Z-_shop_check_out-${process.pid}-5.otlp`,
    'notes.txt',
  ])
  const last = join(directory, `2026-11-15T12-00-50.000Z-_shop_check_out-${process.pid}-5.otlp`)
  expect(readOtlp(readFileSync(last), {}).profiles.profiles.length).toBe(1)
  expect(problems).toEqual([])
})

test('FileExporter reports a write that fails', () => {
  writeFileSync(join(directory, 'file'), '')
  const exporter = new FileExporter({ path: join(directory, 'file', 'below'), serviceName: 'shop', onProblem })
  exporter.send(someProfiles())
  expect(exporter.dropped).toBe(1)
  expect(problems).toHaveLength(2)
})

test('problemReporter prints the same problem once in ten minutes', () => {
  const lines: string[] = []
  let time = 0
  const report = problemReporter(
    line => lines.push(line),
    () => time,
  )
  report('lost 1\nso far')
  report('lost 2\nso far')
  report('something else')
  time = 600_000
  report('lost 3\nso far')
  expect(lines).toEqual([
    'hearth agent: lost 1 so far\n',
    'hearth agent: something else\n',
    'hearth agent: lost 3 so far\n',
  ])
})
