// Opens a URL in the browser with the command of each system. Failures are ignored, because the URL is printed as well.
import { spawn } from 'node:child_process'

export function openBrowser(url: string, platform: NodeJS.Platform = process.platform): void {
  const [command, ...args] = commandFor(url, platform)
  const child = spawn(command, args, { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}

/** On Windows, `start` is part of the shell, where & is special and the first quoted word is a title. */
export function commandFor(url: string, platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open', url]
  if (platform === 'win32') return ['cmd', '/c', 'start', '""', url.replaceAll('&', '^&')]
  return ['xdg-open', url]
}
