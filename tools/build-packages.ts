// Builds the packages before the first test that starts a process of Hearth. A process that runs from the build starts with
// 2 s of CPU; run from source, with tsx, it needs 5 s.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

function build(): void {
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-b', 'tsconfig.build.json'], {
    cwd: ROOT,
    stdio: 'inherit',
  })
}

// Vitest calls the export `setup`.
export function setup(project: TestProject): void {
  build()
  project.onTestsRerun(async () => build())
}
