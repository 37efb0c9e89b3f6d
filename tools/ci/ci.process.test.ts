// The scripts of action.yml and gitlab.yml, run as the CI systems run them, with the built command.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ProfilesBuilder, encodeOtlp } from '@hearth/profile'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..', '..')
const HEARTH = `${process.execPath} ${join(ROOT, 'packages/cli/dist/hearth.js')}`
const folder = mkdtempSync(join(tmpdir(), 'hearth-ci-'))

/** `parse` and `render` with the given numbers of samples. */
function run(parse: number, render: number): Uint8Array {
  const builder = new ProfilesBuilder()
  builder.profile({ type: 'cpu', unit: 'ns', periodType: 'cpu', periodUnit: 'ns', period: 10_000_000n })
  for (const [name, count] of [
    ['parse', parse],
    ['render', render],
  ] as const) {
    const location = builder.location({ lines: [{ function: builder.function({ name }) }] })
    builder.sample({ stack: builder.stack([location]), values: [BigInt(count) * 10_000_000n] })
  }
  return encodeOtlp(builder.build())
}

beforeAll(() => {
  for (const [i, noise] of [0, 15, -12].entries()) {
    writeFileSync(join(folder, `base-${i}.otlp`), run(2000 + noise, 8000 - noise))
    writeFileSync(join(folder, `same-${i}.otlp`), run(2004 - noise, 7996 + noise))
    writeFileSync(join(folder, `half-${i}.otlp`), run(1000 + noise, 4000 - noise))
    writeFileSync(join(folder, `slow-${i}.otlp`), run(3000 + noise, 8000 - noise))
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The steps of a YAML file that is simple enough for a line-based reader. */
function gitlabScript(): string {
  const text = readFileSync(join(ROOT, 'tools/ci/gitlab.yml'), 'utf8')
  const [, block] = /\n {2}script:\n([\s\S]*?)\n {2}artifacts:/.exec(text) ?? []
  const steps = block.split(/\n? {4}- /).filter(step => step.trim() !== '')
  return steps
    .map(step => step.replace(/^>\n/, '').replaceAll(/\n +/g, ' ').trim())
    .map(step => (/^'.*'$/s.test(step) ? step.slice(1, -1) : step))
    .join('\n')
}

function started(script: readonly string[], env: Readonly<Record<string, string>>) {
  const own = { PATH: process.env['PATH'], HEARTH_COMMAND: HEARTH, ...env }
  const { status, stdout, stderr } = spawnSync(script[0], script.slice(1), { cwd: folder, env: own, encoding: 'utf8' })
  return { status, stdout, stderr }
}

describe('action.yml', () => {
  it('fails with annotations, a summary and an output if a function costs more', () => {
    const [summary, output] = [join(folder, 'summary.md'), join(folder, 'output.txt')]
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: output }
    const action = readFileSync(join(ROOT, 'action.yml'), 'utf8')
    expect(action).toContain('run: bash "$GITHUB_ACTION_PATH/tools/ci/gate.sh"')
    const script = ['bash', join(ROOT, 'tools/ci/gate.sh')]
    const failed = started(script, { ...env, HEARTH_GATE_BASE: 'base-*.otlp', HEARTH_GATE_NEW: 'slow-*.otlp' })
    expect(failed.stdout).toContain('::error title=Performance regression::parse (self)')
    expect(failed.status).toBe(1)
    expect(readFileSync(summary, 'utf8')).toContain('| parse |')
    const passed = started(script, { ...env, HEARTH_GATE_BASE: 'base-*.otlp', HEARTH_GATE_NEW: 'same-*.otlp' })
    expect([passed.status, passed.stderr]).toEqual([0, ''])
    // Twice the work with the same shares: only values per run differ.
    const halved = { ...env, HEARTH_GATE_BASE: 'half-*.otlp', HEARTH_GATE_NEW: 'base-*.otlp' }
    expect(started(script, halved).status).toBe(0)
    expect(started(script, { ...halved, HEARTH_GATE_ABSOLUTE: 'true' }).status).toBe(1)
    expect(readFileSync(output, 'utf8')).toBe('passed=false\npassed=true\npassed=true\npassed=false\n')
  })

  it('takes no part of an input as a command', () => {
    const env = {
      HEARTH_GATE_BASE: 'base-0.otlp',
      HEARTH_GATE_NEW: '$(touch owned) base-1.otlp',
      HEARTH_GATE_FUNCTION: '`touch owned`',
    }
    expect(started(['bash', join(ROOT, 'tools/ci/gate.sh')], env).status).not.toBe(0)
    expect(() => readFileSync(join(folder, 'owned'))).toThrow('ENOENT')
  })
})

describe('gitlab.yml', () => {
  it('fails with a report of tests if a function costs more', () => {
    const script = ['bash', '--norc', '-ec', gitlabScript()]
    const limits = { HEARTH_GATE_MAX_INCREASE: '5', HEARTH_GATE_MIN_SHARE: '0.5', HEARTH_GATE_FUNCTION: '' }
    const failed = started(script, { ...limits, HEARTH_GATE_BASE: 'base-*.otlp', HEARTH_GATE_NEW: 'slow-*.otlp' })
    expect([failed.status, failed.stderr]).toEqual([1, ''])
    expect(readFileSync(join(folder, 'hearth-gate.xml'), 'utf8')).toContain(
      '<testcase classname="hearth gate" name="parse (self)">',
    )
    const passed = started(script, { ...limits, HEARTH_GATE_BASE: 'base-*.otlp', HEARTH_GATE_NEW: 'same-*.otlp' })
    expect([passed.status, passed.stderr]).toEqual([0, ''])
  })
})
