// action.yml and gitlab.yml, run as the CI systems run them: with their inputs, defaults, variables and scripts, and the built command.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ProfilesBuilder, encodeOtlp } from '@hearth/profile'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'

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

type Texts = Readonly<Record<string, string>>

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>
  readonly outputs: Readonly<Record<string, { readonly value: string }>>
  readonly runs: { readonly steps: readonly { readonly id: string; readonly env: Texts; readonly run: string }[] }
}

interface Job {
  readonly variables: Texts
  readonly script: readonly string[]
  readonly artifacts: { readonly reports: { readonly junit: string } }
}

const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as Action
const job = (parse(readFileSync(join(ROOT, 'tools/ci/gitlab.yml'), 'utf8')) as Record<string, Job>)['.hearth-gate']

function started(command: readonly string[], env: Texts) {
  const own = { PATH: process.env['PATH'], ...env }
  const { status, stdout, stderr } = spawnSync(command[0], command.slice(1), {
    cwd: folder,
    env: own,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

/** Runs the only step of the action as a runner does. Returns its result and its outputs. */
function ranAction(inputs: Texts) {
  const [step] = action.runs.steps
  const valueOf = (name: string): string => {
    const input = action.inputs[name]
    const value = { hearth: HEARTH, ...inputs }[name] ?? input.default
    if (value === undefined) throw new Error(`the input ${name} has no value`)
    return value
  }
  const env = Object.fromEntries(
    Object.entries(step.env).map(([key, value]) => [
      key,
      value.replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => valueOf(name)),
    ]),
  )
  const [summary, output] = [join(folder, 'summary.md'), join(folder, 'output.txt')]
  for (const file of [summary, output]) writeFileSync(file, '')
  const runner = {
    GITHUB_ACTIONS: 'true',
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_OUTPUT: output,
    GITHUB_ACTION_PATH: ROOT,
  }
  const result = started(['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], { ...runner, ...env })
  return { ...result, summary: readFileSync(summary, 'utf8'), output: readFileSync(output, 'utf8') }
}

/** Runs the script of the job as GitLab does, with its own variables unless others are given. */
function ranJob(variables: Texts) {
  const result = started(['bash', '--norc', '-ec', job.script.join('\n')], {
    ...job.variables,
    HEARTH_COMMAND: HEARTH,
    ...variables,
  })
  return { ...result, report: readFileSync(join(folder, job.artifacts.reports.junit), 'utf8') }
}

describe('action.yml', () => {
  it('fails with annotations, a summary and an output if a function costs more', () => {
    const failed = ranAction({ base: 'base-*.otlp', new: 'slow-*.otlp' })
    expect(failed.stdout).toContain('::error title=Performance regression::parse (self)')
    expect([failed.status, failed.output]).toEqual([1, 'passed=false\n'])
    expect(failed.summary).toContain('| parse |')
    expect(action.outputs['passed'].value).toBe('${{ steps.gate.outputs.passed }}')
    expect(action.runs.steps.map(({ id }) => id)).toEqual(['gate'])
  })

  it('passes without an increase, and uses its inputs', () => {
    const passed = ranAction({ base: 'base-*.otlp', new: 'same-*.otlp' })
    expect([passed.status, passed.stderr, passed.output]).toEqual([0, '', 'passed=true\n'])
    // Twice the work with the same shares: only values per run differ.
    const halved = { base: 'half-*.otlp', new: 'base-*.otlp' }
    expect(ranAction(halved).status).toBe(0)
    expect(ranAction({ ...halved, absolute: 'true' }).status).toBe(1)
    expect(ranAction({ base: 'base-*.otlp', new: 'slow-*.otlp', function: '^render$' }).status).toBe(0)
    expect(() => ranAction({ base: 'base-*.otlp' })).toThrow('the input new has no value')
  })

  it('takes no part of an input as a command', () => {
    const { status } = ranAction({ base: 'base-0.otlp', new: '$(touch owned) base-1.otlp', function: '`touch owned`' })
    expect(status).not.toBe(0)
    expect(() => readFileSync(join(folder, 'owned'))).toThrow('ENOENT')
  })
})

describe('gitlab.yml', () => {
  it('fails with a report of tests if a function costs more', () => {
    const failed = ranJob({ HEARTH_GATE_BASE: 'base-*.otlp', HEARTH_GATE_NEW: 'slow-*.otlp' })
    expect([failed.status, failed.stderr]).toEqual([1, ''])
    expect(failed.report).toContain('<testcase classname="hearth gate" name="parse (self)">')
    const passed = ranJob({ HEARTH_GATE_BASE: 'base-*.otlp', HEARTH_GATE_NEW: 'same-*.otlp' })
    expect([passed.status, passed.stderr]).toEqual([0, ''])
    expect(passed.report).toContain('failures="0"')
  })
})
