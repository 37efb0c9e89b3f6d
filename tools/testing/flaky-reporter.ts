// Lists the tests that failed once and passed when vitest.config.ts had them retried, with the error of the first try, so that a
// race is seen and can be found without failing the whole run. On a quiet machine the list is empty.
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, TestCase } from 'vitest/node'

/** Lines of an error: a difference between long texts could fill the screen. */
const MAX_LINES = 40

export class FlakyReporter implements Reporter {
  readonly #flaky: string[] = []

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky !== true) return
    const errors = (test.result().errors ?? []).map(({ message, diff, stack }) =>
      [message, diff, stack].filter(part => part !== undefined).join('\n'),
    )
    const lines = stripVTControlCharacters(errors.join('\n')).split('\n').slice(0, MAX_LINES)
    this.#flaky.push([`${test.module.relativeModuleId} > ${test.fullName}`, ...lines].join('\n    '))
  }

  onTestRunEnd(): void {
    if (this.#flaky.length === 0) return
    console.log(`\nFlaky: ${this.#flaky.length} tests failed once and passed when retried:`)
    for (const test of this.#flaky) console.log(`  ${test}`)
  }
}
