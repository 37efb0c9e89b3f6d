// `hearth view FILE…`: shows local files in the UI, without storing them.
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { ShownFile } from '@hearth/server/web-app'
import { InvalidArgumentError, type Command } from 'commander'
import type { Context } from '../../context.ts'
import { CliError, aboutFile, shownName } from '../../errors.ts'
import { checkInputs, readStored } from '../../files/open-input.ts'
import { openBrowser } from '../../terminal/open-browser.ts'
import { examples, wholeNumber } from '../../options.ts'
import { print } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'

interface ViewOptions {
  readonly port?: number
  readonly open: boolean
}

/** One file, or two to compare. */
const MAX_FILES = 2

export function addView(program: Command, context: Context): void {
  program
    .command('view')
    .summary('show files in the browser')
    .description(
      'Opens the UI with profiles of any format: flame graph, table, sandwich, source lines, and a timeline if the file has ' +
        'timestamps. Two files are compared. The UI is served from this machine and reads the files ' +
        'in the browser. Nothing is stored or sent elsewhere. Ctrl-C stops it.',
    )
    .argument('<file...>', 'one profile, or two to compare, in any format; `-` is standard input')
    .option('--port <port>', 'port to listen on; default: any free port', portNumber)
    .option('--no-open', 'only print the URL')
    .addHelpText(
      'after',
      examples(
        ['hearth view cpu.pb.gz', 'one file'],
        ['hearth view before.jfr after.jfr', 'compare two files'],
        ['perf script | hearth view -', 'the output of another command'],
      ),
    )
    .action(async (files: readonly string[], options: ViewOptions) => view(files, options, context))
}

async function view(files: readonly string[], { open, port }: ViewOptions, context: Context): Promise<void> {
  checkInputs(files)
  if (files.length > MAX_FILES) {
    throw new CliError(
      2,
      `at most ${MAX_FILES} files can be shown, not ${files.length}`,
      'Merge some with `hearth merge` first.',
    )
  }
  const shown: ShownFile[] = []
  for (const file of files) shown.push(await readable(file, context))
  // Registered before the URL is printed: a reader of the URL may stop the command at once.
  const stopped = new Promise<void>(resolve => context.onStop(resolve))
  // Loaded only here, and without the store: other commands need no web server.
  const { showFiles, WEB_FOLDER } = await import('@hearth/server/web-app')
  if (!existsSync(join(WEB_FOLDER, 'index.html'))) {
    throw new CliError(1, 'the UI is not built', 'Run `npm run build` in the directory of Hearth.')
  }
  const page = await showFiles(WEB_FOLDER, shown, port).catch((error: unknown) => {
    throw listenError(error, port)
  })
  const names = files.map(file => printable(shownName(file))).join(' and ')
  await print(context.stdout, `Open ${names} at\n  ${page.url}\nNothing leaves this machine. Press Ctrl-C to stop.\n`)
  if (open) openBrowser(page.url)
  await stopped
  await page.close()
}

function portNumber(text: string): number {
  const port = wholeNumber(text)
  if (port > 65_535) throw new InvalidArgumentError('It must be from 1 to 65535.')
  return port
}

function listenError(error: unknown, port: number | undefined): unknown {
  if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) return error
  return new CliError(1, `port ${port} is in use`, 'Choose another --port, or remove it to use any free port.', {
    cause: error,
  })
}

/** Files are read when the UI requests them. Unreadable ones are reported now. */
async function readable(file: string, context: Context): Promise<ShownFile> {
  if (file === '-') return { name: 'stdin', content: await readStored(file, context) }
  try {
    accessSync(file, constants.R_OK)
    const { size } = statSync(file)
    // Pipes and devices have no size and can be read once. `readStored` reports folders and empty files.
    return { name: file, content: size === 0 || !statSync(file).isFile() ? await readStored(file, context) : file }
  } catch (error) {
    throw aboutFile(error, file)
  }
}
