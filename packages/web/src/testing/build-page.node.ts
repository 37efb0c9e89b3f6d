// Builds the UI once before the first browser test. Test files share the build: a second one would replace files that a running
// server is serving.
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const WEB = fileURLToPath(new URL('../..', import.meta.url))

export async function buildPage(): Promise<void> {
  // The documentation is built into a folder of the UI, and the tests of packages expect it.
  const output = { emptyOutDir: false }
  await build({ root: WEB, configFile: `${WEB}vite.config.ts`, logLevel: 'error', build: output })
}

// Vitest calls the export `setup`.
export { buildPage as setup }
