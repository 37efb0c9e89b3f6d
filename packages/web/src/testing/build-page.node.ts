// Builds the UI once before the first browser test. Test files share the build: a second one would delete files that a running
// server is serving.
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const WEB = fileURLToPath(new URL('../..', import.meta.url))

export async function buildPage(): Promise<void> {
  await build({ root: WEB, configFile: `${WEB}vite.config.ts`, logLevel: 'error' })
}

// Vitest calls the export `setup`.
export { buildPage as setup }
