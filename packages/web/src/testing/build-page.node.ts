// The page as users get it, built once before the first browser test: the files share it, and a server reads it when it
// starts, so that a second build beside it would take the page away from under that server.
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const WEB = fileURLToPath(new URL('../..', import.meta.url))

export async function buildPage(): Promise<void> {
  await build({ root: WEB, configFile: `${WEB}vite.config.ts`, logLevel: 'error' })
}

// The name by which vitest calls it.
export { buildPage as setup }
