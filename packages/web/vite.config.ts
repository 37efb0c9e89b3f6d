// Builds the UI, and serves it during development: `npx vite packages/web` beside `hearth serve`.
import type { ProxyOptions } from 'vite'
import { defineConfig } from 'vite'

const HEARTH = process.env['HEARTH_SERVER'] ?? 'http://127.0.0.1:4040'
/** The server rejects the origin of other ports. */
const proxy: Record<string, ProxyOptions> = {
  '/api': { target: HEARTH, configure: server => server.on('proxyReq', request => request.removeHeader('origin')) },
}

export default defineConfig({
  root: import.meta.dirname,
  // A relative base, so that the UI works below any path of a proxy. Routes have one segment for the same reason.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // Uses the sources of workspace packages, so that no stale build is used.
  resolve: { conditions: ['hearth-source', 'module', 'browser', 'development|production'] },
  worker: { format: 'es' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // Fonts stay files. Inlined in the style sheet they would delay the first text.
    assetsInlineLimit: 0,
    // The polyfill for old browsers is inline code, which the content security policy forbids.
    modulePreload: { polyfill: false },
    // Otherwise `npm start` prints which plugins took how long on a slow machine.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  server: { host: '127.0.0.1', port: 4041, proxy },
  preview: { host: '127.0.0.1', proxy },
})
