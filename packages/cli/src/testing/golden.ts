// Golden files in testdata/: the output of a command line, named after it. `npx vitest run packages/cli -u` updates them. The
// diff shows what changed for people.
import * as path from 'node:path'
import { expect } from 'vitest'
import type { Outcome, Surroundings } from './run-hearth.ts'
import { runHearth } from './run-hearth.ts'

/** Words without a slash that name a file in `folder` are replaced by its path. The golden file does not contain the folder. */
export async function expectGolden(
  commandLine: string,
  inFolder: (name: string) => string,
  surroundings?: Surroundings,
): Promise<Outcome> {
  const argv = commandLine
    .split(' ')
    .map(word => (!word.startsWith('-') && /\w\.\w/.test(word) ? inFolder(word) : word))
  const outcome = await runHearth(argv, surroundings)
  const hidden = (text: string): string => text.replaceAll(inFolder('') + path.sep, '')
  const parts = [`$ hearth ${commandLine}\n`, hidden(outcome.stdout)]
  if (outcome.stderr !== '') parts.push(`--- standard error\n${hidden(outcome.stderr)}`)
  parts.push(`--- exit status ${outcome.status}\n`)
  const terminal = surroundings?.columns === undefined ? '' : `.${surroundings.columns}-columns`
  const name = commandLine.replaceAll(/[^\w.-]+/g, '.').replaceAll(/\.-+/g, '.')
  await expect(parts.join('')).toMatchFileSnapshot(path.join(import.meta.dirname, `../testdata/${name}${terminal}.txt`))
  return outcome
}
