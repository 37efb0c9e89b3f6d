// Projects: unit tests in Node, those of the server, tests that start processes, the UI in headless Chromium, and the
// library's tests a second time there. The last one exists only if CHROMIUM_PATH names a browser; tools/check.ts finds one and
// sets it.
import { availableParallelism } from 'node:os'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig, type TestProjectConfiguration } from 'vitest/config'
import { chromiumFlags } from './tools/find-chromium.ts'
import { FlakyReporter } from './tools/testing/flaky-reporter.ts'
import { ProjectOrder } from './tools/testing/project-order.ts'

// Unit tests resolve workspace packages to their sources.
const source = 'hearth-source'
const mode = 'development|production'
// Without 'module': that build of @opentelemetry/api does not load in Node.
const conditions = [source, 'node', mode]
/**
 * Tests with processes use the build of the other packages, which tools/build-packages.ts makes before the first one: Node loads
 * it three times as fast as Vitest loads the sources, and each test file loads it again.
 */
const built = {
  ssr: { resolve: { conditions: ['node', mode] } },
  test: { server: { deps: { external: [/\/packages\/[a-z]+\/dist\//] } }, globalSetup: ['tools/build-packages.ts'] },
}
// Only for tests that hang. No test measures time, and a busy machine takes ten times as long.
const patience = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 60_000 } } }
const chromium = process.env['CHROMIUM_PATH'] ?? ''

/** Property tests draw other values each time, so that many short tests find as much as a few long ones. PROPERTY_RUNS=1000 tests longer. */
const propertyRuns = (count: number) => ({
  setupFiles: ['tools/testing/property-runs.ts'],
  provide: { propertyRuns: Number(process.env['PROPERTY_RUNS'] ?? count) },
})

/** One race must not fail a run of CI. FlakyReporter lists what passed only on the second try. */
const retry = process.env['CI'] === undefined ? 0 : 1

/** Tests that need neither a browser nor other processes: `npm run test:unit`. */
const unit: TestProjectConfiguration = {
  ssr: { resolve: { conditions } },
  test: {
    name: 'unit',
    include: ['packages/*/src/**/*.test.ts', 'tools/**/*.test.ts', 'bench/**/*.test.ts'],
    exclude: ['packages/server/**', '**/*.{process,browser}.test.ts', '**/node_modules/**'],
    ...patience,
    ...propertyRuns(40),
    pool: 'threads',
    // Files share a worker's modules, which halves the time for imports. No test changes a module's state.
    isolate: false,
  },
}

/** Tests of the server without the engine and without other processes. */
const server: TestProjectConfiguration = {
  ...built,
  test: {
    ...built.test,
    name: 'server',
    include: ['packages/server/src/**/*.test.ts'],
    exclude: ['**/*.process.test.ts', '**/node_modules/**'],
    ...patience,
    ...propertyRuns(40),
    pool: 'threads',
    // As in `unit`: each file would load the server.
    isolate: false,
  },
}

const mockingFiles = '**/*.mocking.process.test.ts'

/** Tests that start a server with its store, or programs to profile. */
const processes = {
  ...built,
  test: {
    ...built.test,
    name: 'processes',
    include: ['**/*.process.test.ts'],
    exclude: [mockingFiles, '**/node_modules/**'],
    // The embedded engine allows one data directory per process at a time, and a worker thread that used it never ends.
    pool: 'forks',
    // As in `unit`. A file takes about two seconds of CPU less.
    isolate: false,
    retry,
    ...patience,
    // Each run stores and queries data.
    ...propertyRuns(4),
  },
} satisfies TestProjectConfiguration

/** Tests with processes that replace modules, so that each file needs a process of its own. */
const mocking = {
  ...processes,
  test: {
    ...processes.test,
    name: 'mocking',
    include: [mockingFiles],
    exclude: ['**/node_modules/**'],
    isolate: true,
  },
} satisfies TestProjectConfiguration

// The UI over a real server. Without a browser each file prints why it is skipped.
const web: TestProjectConfiguration = {
  ...built,
  test: {
    ...built.test,
    name: 'web',
    include: ['packages/web/src/**/*.browser.test.ts'],
    globalSetup: [...built.test.globalSetup, 'packages/web/src/testing/build-page.node.ts'],
    pool: 'forks',
    // As in `unit`. Files that run in one process share a browser.
    isolate: false,
    retry,
    ...patience,
  },
}

const inChromium: TestProjectConfiguration = {
  resolve: { conditions: [source, 'module', 'browser', mode] },
  // Named here, so the server does not find it mid-run and reload the page under the tests.
  optimizeDeps: { include: ['fast-check'] },
  test: {
    name: 'profile-in-chromium',
    include: ['packages/profile/src/**/*.test.ts'],
    exclude: ['**/*.node.test.ts', '**/node_modules/**'],
    ...patience,
    // Node has tested the same properties with more values. Here each runs to find what a browser lacks.
    ...propertyRuns(5),
    isolate: false,
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({
        launchOptions: {
          executablePath: chromium,
          args: [...chromiumFlags],
        },
      }),
      instances: [{ browser: 'chromium' }],
    },
  },
}

export default defineConfig({
  test: {
    reporters: ['default', new FlakyReporter()],
    sequence: { sequencer: ProjectOrder },
    // Vitest leaves one core free, which of two is half. Many tests wait for processes, pages and time-outs: with three workers, a
    // fifth of the time of two cores was left over. With five, they took 868 s instead of 729 to 790, each once to three times.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    projects: [unit, server, processes, mocking, web, ...(chromium === '' ? [] : [inChromium])],
  },
})
