// Who may import whom. This table is the architecture in force; tools/check-imports.ts holds the code to it.
//
//   wire ◄── model ◄── formats            an arrow points at what is imported
//              ▲── analyze, symbols       data flows the other way: bytes, formats, model, analyze, view
//
// A key is a folder; its list names the folders and packages its files may import, besides files of its own folder.
//   'profile/wire'      packages/profile/src/wire and everything below it
//   'profile (door)'    the files directly in packages/profile/src: what the package shows to the world
//   'cli'               packages/cli/src, wherever no longer key fits
// A package is written as imported ('commander' covers 'commander/esm' too); 'node:*' is all of Node.
// A folder without a key may not hold code: add it here first.

export type ImportTable = Readonly<Record<string, readonly string[]>>

export const allowedImports: ImportTable = {
  'profile/wire': [],
  'profile/model': ['profile/wire'],
  'profile/formats': ['profile/wire', 'profile/model'],
  'profile/analyze': ['profile/model'],
  'profile/symbols': ['profile/wire', 'profile/model'],
  'profile (door)': ['profile/wire', 'profile/model', 'profile/formats', 'profile/analyze', 'profile/symbols'],
  codecs: ['@hearth/profile', '@cloudpss/zstd', 'node:*'],
  // For browsers too, so nothing of Node.
  client: ['@hearth/profile'],
  // The server: requests come in through receive, which hands them to the store. What signals and limits are stands apart.
  'server/signals': ['@hearth/profile'],
  'server/store': ['@hearth/profile', 'server/signals', 'chdb', '@clickhouse/client', 'node:*'],
  'server/access': ['zod', 'node:*'],
  'server/config': ['zod', 'yaml', 'node:*'],
  'server/observe': ['prom-client', 'pino', 'node:*'],
  'server/http': ['fastify', 'node:*'],
  'server/receive': [
    '@hearth/profile',
    '@hearth/codecs',
    'server/signals',
    'server/store',
    'server/access',
    'server/config',
    'server/observe',
    'server/http',
    '@grpc/grpc-js',
    'fastify',
    '@fastify/cors',
    'node:*',
  ],
  'server/query': ['@hearth/profile', 'server/signals', 'server/store', 'node:*'],
  'server/pyroscope': [
    '@hearth/profile',
    '@hearth/codecs',
    'server/signals',
    'server/store',
    'server/query',
    'server/receive',
    'server/access',
    'server/api',
    '@grpc/grpc-js',
    'fastify',
    'node:*',
  ],
  // What the tests of the whole server share.
  'server/testing': ['@hearth/profile', 'server/signals', 'server/store', 'node:*'],
  'server/api': [
    '@hearth/profile',
    'server/store',
    'server/http',
    'server/query',
    'server/access',
    'server/config',
    'server/observe',
    'fastify',
    '@fastify/cors',
    'zod',
    'node:*',
  ],
  'server (door)': [
    '@hearth/agent',
    '@hearth/profile',
    '@hearth/profile/recording',
    'server/store',
    'server/access',
    'server/config',
    'server/observe',
    'server/receive',
    'server/pyroscope',
    'server/query',
    'server/api',
    'node:*',
  ],
  cli: [
    '@hearth/profile',
    '@hearth/codecs',
    '@hearth/client',
    '@hearth/server',
    '@hearth/server/administration',
    '@hearth/server/web-app',
    'commander',
    'picocolors',
    'node:*',
  ],
  // The agent: record makes profiles, export sends them, the door ties both to a process.
  // Through the library's small door: an agent is to be as little of a load as can be.
  'agent/record': ['@hearth/profile/recording', '@datadog/pprof', '@opentelemetry/api', 'node:*'],
  'agent/export': [
    '@hearth/profile/recording',
    '@hearth/codecs',
    '@grpc/grpc-js',
    'agent/record',
    'agent/configuration',
    'node:*',
  ],
  'agent/configuration': ['agent/record', 'node:*'],
  'agent/resource': ['@hearth/profile/recording', 'agent/configuration', 'node:*'],
  'agent/testing': ['@hearth/profile', 'node:*'],
  'agent (door)': [
    '@hearth/profile/recording',
    'agent/record',
    'agent/export',
    'agent/configuration',
    'agent/resource',
    '@opentelemetry/api',
    'node:*',
  ],
  // The page: tree and draw know nothing of the framework, so that they can be tested and measured without it.
  'web/tree': ['@hearth/profile', '@hearth/client'],
  'web/draw': ['@hearth/profile', 'web/tree'],
  'web/worker': ['@hearth/profile', 'web/tree', 'zstddec'],
  'web/api': ['@hearth/profile', '@hearth/client', 'web/tree', 'web/worker', 'web (door)'],
  'web/state': ['@preact/signals', 'preact', '@hearth/client', 'web/api', 'web/tree', 'web (door)'],
  'web/widgets': [
    'preact',
    '@preact/signals',
    'uplot',
    '@hearth/profile',
    '@hearth/client',
    'web/tree',
    'web/draw',
    'web/api',
    'web/state',
    'web (door)',
  ],
  'web/screens': [
    'preact',
    '@preact/signals',
    '@hearth/profile',
    '@hearth/client',
    'web/tree',
    'web/draw',
    'web/worker',
    'web/api',
    'web/state',
    'web/widgets',
    'web (door)',
  ],
  'web/styles': [],
  'web/testing': ['@hearth/profile', '@hearth/client', 'node:*'],
  'web (door)': [
    'preact',
    '@preact/signals',
    'web/api',
    'web/state',
    'web/widgets',
    'web/screens',
    'web/styles',
    'web/tree',
  ],
  bench: [
    '@hearth/profile',
    '@hearth/agent',
    'protobufjs',
    '@bufbuild/protobuf',
    'pprof-format',
    '@cloudpss/zstd',
    '@pyroscope/nodejs',
    '@opentelemetry/api',
    '@opentelemetry/sdk-trace-node',
    'playwright-core',
    'vite',
    'node:*',
  ],
  // Other people's code, as it were: the doors of packages and nothing behind them.
  examples: ['@hearth/agent', '@opentelemetry', 'node:*'],
  tools: ['@hearth/profile', '@hearth/server/administration', 'playwright-core', 'node:*'],
}

// Folders whose sub-folders stand apart: each may use the files directly in the parent (the shape they share), but
// not one another, unless listed. Adding a format then never means reading another one. What a sub-folder may use beyond
// its parent's list stands here too: formats that are pictures draw what analyze makes.
export const subfoldersApart: Readonly<Record<string, ImportTable>> = {
  'profile/formats': {
    callgrind: ['profile/analyze'],
    'chrome-trace': ['cpuprofile'],
    dot: ['profile/analyze'],
    'events-text': ['events'],
    'flamegraph-html': ['profile/analyze'],
    'flamegraph-svg': ['profile/analyze'],
    heapprofile: ['cpuprofile'],
    otep239: ['otlp'],
    'otlp-json': ['otlp'],
  },
}

// Tests (*.test.ts) and testing/ folders may import anything in their own package, the testing/ folders of others, what
// their folder may, and these.
// In packages/profile they still may not touch node:*, because they run in a browser as well; a file named
// *.node.test.ts or, under testing/, *.node.ts runs in Node alone and may.
export const testPackages: readonly string[] = ['vitest', 'fast-check', 'playwright-core']

// Whole families of packages that tests of one package of ours may use: the server is tested with other people's senders.
export const testFamilies: Readonly<Record<string, readonly string[]>> = {
  server: ['@opentelemetry/', '@grpc/grpc-js', '@hearth/client', '@connectrpc/', '@bufbuild/', '@pyroscope/'],
  agent: ['@opentelemetry/', '@grpc/grpc-js', '@hearth/profile'],
  web: ['vite', 'axe-core', 'node:'],
}
