// How the page is built, and served while it is worked on: `npx vite packages/web` beside `hearth serve`.
import { defineConfig } from 'vite'

const HEARTH = process.env['HEARTH_SERVER'] ?? 'http://127.0.0.1:4040'

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the page works below any path of a proxy. Routes are one segment deep for the same reason.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // Workspace packages from their sources, so that no build of theirs can be stale.
  resolve: { conditions: ['hearth-source', 'module', 'browser', 'development|production'] },
  worker: { format: 'es' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // Fonts as files: in the style sheet they would be loaded before the first text.
    assetsInlineLimit: 0,
    // Old browsers would need it; it is inline code, which a strict content policy forbids.
    modulePreload: { polyfill: false },
  },
  server: { host: '127.0.0.1', port: 4041, proxy: { '/api': HEARTH } },
  preview: { host: '127.0.0.1', proxy: { '/api': HEARTH } },
})
