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
  const overview = await helpOf([])
  const sections = [section('hearth', overview)]
  for (const command of commandsIn(overview)) sections.push(section(`hearth ${command}`, await helpOf([command])))
  return [HEAD, ...sections].join('\n')
}

/** Standard output is no terminal here, so lines have the same width everywhere. */
async function helpOf(command: readonly string[]): Promise<string> {
  const { stdout, status } = await runHearth([...command, '--help'])
  if (status !== 0) throw new Error(`hearth ${command.join(' ')} --help ends with status ${status}`)
  return stdout.trim().replaceAll(/ +$/gm, '')
}

function section(name: string, help: string): string {
  return `## ${name}\n\n\`\`\`text\n${help}\n\`\`\`\n`
}

/** The names in the list of commands; all but `help`, which says the same again. */
function commandsIn(overview: string): string[] {
  const [, list = ''] = overview.split('\nCommands:\n')
  const names = [...list.split('\n\n')[0].matchAll(/^ {2}([a-z-]+)/gm)].map(match => match[1])
  return names.filter(name => name !== 'help')
}
