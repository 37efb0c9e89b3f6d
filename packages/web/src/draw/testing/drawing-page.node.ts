// A page with the drawing code, controlled from Node.
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { build } from 'vite'

/** The page's script, from source. */
export async function pageScript(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['hearth-source', 'module', 'browser', 'development|production'] },
    build: {
      write: false,
      minify: true,
      target: 'es2023',
      lib: { entry: fileURLToPath(new URL('./page.ts', import.meta.url)), formats: ['iife'], name: 'hearthDrawing' },
    },
  })
  const outputs = Array.isArray(built) ? built : [built]
  for (const output of outputs) {
    if (!('output' in output)) continue
    const [chunk] = output.output
    return chunk.code
  }
  throw new Error('the build produced no script')
}

/** Opens a page with an element #graph that fills it. */
export async function openPage(
  browser: Browser,
  script: string,
  size: { width: number; height: number },
  ratio = 1,
): Promise<Page> {
  const page = await browser.newPage({ viewport: size, deviceScaleFactor: ratio })
  await page.setContent(
    '<!doctype html><html lang="en"><title>graph</title><style>body{margin:0}#graph{position:relative;width:100vw;height:100vh}</style><div id="graph"></div>',
  )
  await page.addScriptTag({ content: script })
  return page
}
