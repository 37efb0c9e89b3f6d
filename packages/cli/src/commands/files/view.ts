// `hearth view FILE…`: the web page on files of this machine, without a server that keeps anything.
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ShownFile } from '@hearth/server/web-app'
import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { CliError, aboutFile, shownName } from '../../errors.ts'
import { checkInputs, readStored } from '../../files/input.ts'
import { openBrowser } from '../../terminal/open-browser.ts'
import { examples } from '../../options.ts'
import { print } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'

interface ViewOptions {
  readonly open: boolean
}

const PAGE = fileURLToPath(new URL('../../../../web/dist', import.meta.url))
/** One, or one before and one after. */
const MOST_FILES = 2

export function addView(program: Command, context: Context): void {
  program
    .command('view')
    .summary('look at files in the browser')
    .description(
      'Opens the web page on profiles of any format: flame graph, table, sandwich, source lines, and calls in the order of ' +
        'time where the file has times. Two files become a comparison. The page comes from this machine and reads the files ' +
        'in the browser; nothing is kept and nothing is sent elsewhere. Ctrl-C ends it.',
    )
    .argument('<file...>', 'one profile, or two to compare, in any format; `-` is standard input')
    .option('--no-open', 'only print the address')
    .addHelpText(
      'after',
      examples(
        ['hearth view cpu.pb.gz', 'one file'],
        ['hearth view before.jfr after.jfr', 'what has changed'],
        ['perf script | hearth view -', 'what another command wrote'],
      ),
    )
    .action(async (files: readonly string[], options: ViewOptions) => view(files, options, context))
}

async function view(files: readonly string[], { open }: ViewOptions, context: Context): Promise<void> {
  checkInputs(files)
  if (files.length > MOST_FILES) {
    throw new CliError(2, `at most ${MOST_FILES} files are shown`, 'Put some together with `hearth merge` first.')
  }
  const shown: ShownFile[] = []
  for (const file of files) shown.push(await readable(file, context))
  if (!existsSync(join(PAGE, 'index.html'))) {
    throw new CliError(1, 'the web page is not built', '`npm run build` in Hearth’s directory builds it.')
  }
  // Listening only from here on: whoever reads the address may end it at once.
  const stopped = new Promise<void>(resolve => context.onStop(resolve))
  // Loaded only here, and without the store: other commands need no web server.
  const { showFiles } = await import('@hearth/server/web-app')
  const page = await showFiles(PAGE, shown)
  const names = files.map(file => printable(shownName(file))).join(' and ')
  await print(context.stdout, `Look at ${names} at\n  ${page.url}\nNothing leaves this machine. Ctrl-C ends it.\n`)
  if (open) openBrowser(page.url)
  await stopped
  await page.close()
}

/** Files are read when the page asks for them, however large; what cannot be read is told now. */
async function readable(file: string, context: Context): Promise<ShownFile> {
  if (file === '-') return { name: 'stdin', content: await readStored(file, context) }
  try {
    accessSync(file, constants.R_OK)
    const { size } = statSync(file)
    // Pipes and devices have no size and can be read once; `readStored` says what is wrong with folders and empty files.
    return { name: file, content: size === 0 || !statSync(file).isFile() ? await readStored(file, context) : file }
  } catch (error) {
    throw aboutFile(error, file)
  }
}
