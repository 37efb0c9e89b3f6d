// The reference of the command line as a page: what every command says of itself. docs/cli.md is this page, written by
// tools/cli-reference.ts.
import { runHearth } from './run-hearth.ts'

const HEAD = `<!-- Made by \`npm run cli-reference\` from what the commands say of themselves; not to be edited. -->

# The command line

What \`hearth --help\` and \`hearth COMMAND --help\` say. How it behaves in scripts, and the shapes of its JSON, are in
[packages/cli](../packages/cli/README.md).

| exit status | |
|---|---|
| 0 | done; for \`validate\`, no rule is broken |
| 1 | the input or the answer is bad: it cannot be read or written, a rule is broken, \`--strict\` found a loss |
| 2 | wrong usage: an unknown command, option or format |
`

export async function referencePage(): Promise<string> {
  return [HEAD, ...(await sectionsOf([]))].join('\n')
}

/** The command itself, then those below it. */
async function sectionsOf(command: readonly string[]): Promise<string[]> {
  const help = await helpOf(command)
  const sections = [section(command, help)]
  for (const name of commandsIn(help)) sections.push(...(await sectionsOf([...command, name])))
  return sections
}

/** Standard output is no terminal here, so lines have the same width everywhere. */
async function helpOf(command: readonly string[]): Promise<string> {
  const { stdout, status } = await runHearth([...command, '--help'])
  if (status !== 0) throw new Error(`hearth ${command.join(' ')} --help ends with status ${status}`)
  return stdout.trim().replaceAll(/ +$/gm, '')
}

function section(command: readonly string[], help: string): string {
  const level = '#'.repeat(Math.max(2, command.length + 1))
  return `${level} ${['hearth', ...command].join(' ')}\n\n\`\`\`text\n${help}\n\`\`\`\n`
}

/** The names in the list of commands; all but `help`, which says the same again. */
function commandsIn(overview: string): string[] {
  const [, list = ''] = overview.split('\nCommands:\n')
  const names = [...list.split('\n\n')[0].matchAll(/^ {2}([a-z-]+)/gm)].map(match => match[1])
  return names.filter(name => name !== 'help')
}
