// Opens an address in the person's browser, by what each system has for that. Whether it worked is theirs to see: the address
// is printed as well.
import { spawn } from 'node:child_process'

export function openBrowser(url: string, platform: NodeJS.Platform = process.platform): void {
  const [command, ...args] = commandFor(url, platform)
  const child = spawn(command, args, { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}

/** On Windows `start` is part of the shell, to which & is a sign of its own and the first quoted word a title. */
export function commandFor(url: string, platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open', url]
  if (platform === 'win32') return ['cmd', '/c', 'start', '""', url.replaceAll('&', '^&')]
  return ['xdg-open', url]
}
