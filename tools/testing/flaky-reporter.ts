// Lists the browser tests that failed once and passed when vitest.config.ts had them retried, so that a race is seen without failing
// the whole run. On a quiet machine the list is empty.
import type { Reporter, TestCase } from 'vitest/node'

export class FlakyReporter implements Reporter {
  readonly #flaky: string[] = []

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky === true) this.#flaky.push(`${test.module.relativeModuleId} > ${test.fullName}`)
  }

  onTestRunEnd(): void {
    if (this.#flaky.length === 0) return
    console.log(`\nFlaky: ${this.#flaky.length} tests failed once and passed when retried:`)
    for (const name of this.#flaky) console.log(`  ${name}`)
  }
}
