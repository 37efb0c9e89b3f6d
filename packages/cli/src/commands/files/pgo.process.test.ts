// `hearth pgo`, checked with the tools of the compilers: `go tool preprofile` on the profile of a small program, and llvm-profdata.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { ProfilesBuilder, readProfile, writeProfile } from '@hearth/profile'
import { describe, expect, it } from 'vitest'
import { exampleFiles } from '../../testing/example-profiles.ts'
import { runHearth } from '../../testing/run-hearth.ts'

const file = exampleFiles()

const PROGRAM = `package main

import (
	"os"
	"runtime/pprof"
)

type shape interface{ area(n int) int }

type square struct{ side int }

func (s square) area(n int) int { return s.side*s.side + n }

func total(s shape, n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum += s.area(i)
	}
	return sum
}

func main() {
	out, _ := os.Create(os.Args[1])
	pprof.StartCPUProfile(out)
	sum := 0
	for i := 0; i < 300; i++ {
		sum += total(square{i}, 1000000)
	}
	pprof.StopCPUProfile()
	println(sum)
}
`

/** The reason why the test cannot run. Undefined if it can. */
function missing(command: string, ...args: readonly string[]): string | undefined {
  if (spawnSync(command, args).status === 0) return undefined
  console.log(`skipped: ${command} is not installed`)
  return command
}

describe('hearth pgo', () => {
  it.skipIf(missing('go', 'version'))('writes a profile that the Go compiler reads', async () => {
    mkdirSync(file('program'))
    writeFileSync(file('program/main.go'), PROGRAM)
    writeFileSync(file('program/go.mod'), 'module example.test/shapes\n\ngo 1.21\n')
    const go = (...args: readonly string[]) => {
      const { status, stderr } = spawnSync('go', args, { cwd: file('program'), encoding: 'utf8' })
      if (status !== 0) throw new Error(stderr)
      return stderr
    }
    go('build', '-pgo=off', '-o', 'shapes', '.')
    expect(spawnSync(file('program/shapes'), [file('cpu.pb.gz')]).status).toBe(0)
    const { status, stderr } = await runHearth(['pgo', file('cpu.pb.gz'), '-o', file('default.pgo')])
    expect([status, stderr]).toEqual([0, ''])
    // `go build -pgo` starts with this tool. It prints callers, callees, the distance of the call and its weight.
    go('tool', 'preprofile', '-i', file('default.pgo'), '-o', file('default.preprofile'))
    const edges = readFileSync(file('default.preprofile'), 'utf8')
    expect(edges).toMatch(/^GO PREPROFILE V1\n/)
    expect(edges).toMatch(/main\.main\nmain\.total\n5 \d+\n/)
    // Five calls of each stack stay, and lines of the innermost function are summed.
    const { profiles } = readProfile(new Uint8Array(readFileSync(file('default.pgo'))))
    expect(profiles.profiles.length).toBe(1)
    const { stacks } = profiles.dictionary
    const depths = Array.from({ length: stacks.length }, (_, i) => stacks.to(i as never) - stacks.from(i as never))
    expect(Math.max(...depths)).toBeLessThanOrEqual(5)
  })

  it.skipIf(missing('llvm-profdata', '--help'))('writes a sample profile that llvm-profdata reads', async () => {
    writeFileSync(file('native.otlp'), writeProfile(nativeProfile(10n), 'otlp').bytes)
    const { status, stderr } = await runHearth(['pgo', file('native.otlp'), '--for', 'llvm', '-o', file('app.afdo')])
    expect([status, stderr]).toEqual([0, ''])
    const merged = spawnSync('llvm-profdata', ['merge', '--sample', '--text', file('app.afdo'), '-o', '-'], {
      encoding: 'utf8',
    })
    expect([merged.status, merged.stderr]).toEqual([0, ''])
    expect(merged.stdout).toBe(readFileSync(file('app.afdo'), 'utf8'))
  })

  it('explains what a profile lacks', async () => {
    writeFileSync(file('plain.otlp'), writeProfile(nativeProfile(0n), 'otlp').bytes)
    const go = await runHearth(['pgo', file('plain.otlp'), '-o', file('plain.pgo')])
    expect([go.status, go.stderr]).toEqual([1, expect.stringContaining('no function has a first line')])
    const llvm = await runHearth(['pgo', file('plain.otlp'), '--for', 'llvm', '-o', file('plain.afdo')])
    expect([llvm.status, llvm.stderr]).toEqual([1, expect.stringContaining('Add debug files with --symbols')])
    const range = await runHearth(['pgo', file('plain.otlp'), '--range', 'now-1d..', '-o', file('plain.pgo')])
    expect([range.status, range.stderr]).toEqual([2, expect.stringContaining('--range applies to selectors')])
  })
})

/** A function with an inlined call. Without `startLine`, its lines have no distance from the first one. */
function nativeProfile(startLine: bigint) {
  const builder = new ProfilesBuilder()
  builder.profile({ type: 'samples', unit: 'count' })
  const outer = builder.function({ name: 'handle', startLine })
  const inner = builder.function({ name: 'mix', startLine })
  const location = builder.location({
    lines: [
      { function: inner, line: 12n },
      { function: outer, line: 15n },
    ],
  })
  builder.sample({ stack: builder.stack([location]), values: [42n] })
  return builder.build()
}
