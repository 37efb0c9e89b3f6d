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
  // What signals are and how they are written: message types out of tables of fields.
  signals: ['@hearth/profile'],
  // The Broker's protocol, for both ends of a stream: the rules know only the messages, the client only needs both.
  'broker/messages': ['@hearth/profile', '@hearth/signals'],
  'broker/rules': ['broker/messages', 're2js'],
  'broker/client': ['broker/messages', '@hearth/profile', 'node:*'],
  'broker (door)': ['broker/messages', 'broker/rules', 'broker/client'],
  // For browsers too, so nothing of Node.
  client: ['@hearth/profile'],
  // The server: requests come in through receive, which hands them to the store. What signals and limits are stands apart.
  'server/store': ['@hearth/profile', '@hearth/signals', 'chdb', '@clickhouse/client', 'node:*'],
  'server/access': ['zod', 'node:*'],
  'server/config': ['@hearth/profile', 'zod', 'yaml', 'node:*'],
  'server/observe': ['prom-client', 'pino', 'node:*'],
  'server/http': ['fastify', 'node:*'],
  'server/receive': [
    '@hearth/profile',
    '@hearth/codecs',
    '@hearth/signals',
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
  'server/broker': [
    '@hearth/profile',
    '@hearth/signals',
    '@hearth/broker',
    'server/store',
    'server/query',
    'server/access',
    'server/config',
    'server/observe',
    'server/receive',
    '@grpc/grpc-js',
    '@nats-io/transport-node',
    'zod',
    'node:*',
  ],
  'server/query': ['@hearth/profile', '@hearth/signals', 'server/store', 'node:*'],
  'server/pyroscope': [
    '@hearth/profile',
    '@hearth/codecs',
    '@hearth/signals',
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
  'server/testing': ['@hearth/profile', '@hearth/signals', 'server/store', 'node:*'],
  'server/api': [
    '@hearth/profile',
    '@hearth/broker',
    'server/store',
    'server/http',
    'server/query',
    'server/broker',
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
    '@hearth/signals',
    'server/store',
    'server/access',
    'server/config',
    'server/observe',
    'server/receive',
    'server/pyroscope',
    'server/query',
    'server/api',
    'server/broker',
    'node:*',
  ],
  cli: [
    '@hearth/profile',
    '@hearth/codecs',
    '@hearth/client',
    '@hearth/broker',
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
  // Answers what a Broker asks for. Loaded only where one is configured.
  'agent/broker': [
    '@hearth/profile/recording',
    '@hearth/broker',
    '@hearth/codecs',
    'agent/record',
    'agent/export',
    'agent/configuration',
    '@opentelemetry/api',
    'node:*',
  ],
  'agent/configuration': ['@hearth/profile/recording', 'agent/record', 'node:*'],
  'agent/resource': ['@hearth/profile/recording', 'agent/configuration', 'node:*'],
  'agent/testing': ['@hearth/profile', 'node:*'],
  'agent (door)': [
    '@hearth/profile/recording',
    'agent/record',
    'agent/export',
    'agent/broker',
    'agent/configuration',
    'agent/resource',
    '@opentelemetry/api',
    'node:*',
  ],
  // The page: tree and draw know nothing of the framework, so that they can be tested and measured without it.
  'web/tree': ['@hearth/profile'],
  'web/timeline': ['@hearth/profile'],
  // What addresses say, and what they mean: one codec each, both ways.
  'web/address': ['@hearth/profile', '@hearth/client', 'web/tree', 'web/timeline'],
  'web/draw': ['@hearth/profile', 'web/tree', 'web/timeline'],
  'web/worker': ['@hearth/profile', 'web/tree', 'web/timeline', 'zstddec'],
  'web/api': ['@hearth/profile', '@hearth/client', 'web/tree', 'web/timeline', 'web/worker', 'web/address'],
  'web/state': ['@preact/signals', 'preact', '@hearth/client', 'web/api', 'web/tree', 'web/draw', 'web/address'],
  'web/widgets': [
    'preact',
    '@preact/signals',
    'uplot',
    '@hearth/profile',
    '@hearth/client',
    'web/tree',
    'web/timeline',
    'web/draw',
    'web/api',
    'web/state',
    'web/address',
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
    'web/address',
  ],
  'web/styles': [],
  'web/testing': ['@hearth/profile', '@hearth/client', 'tools', 'node:*'],
  'web (door)': [
    'preact',
    '@preact/signals',
    'web/address',
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
    '@hearth/broker',
    '@hearth/signals',
    'protobufjs',
    '@bufbuild/protobuf',
    'pprof-format',
    '@cloudpss/zstd',
    '@pyroscope/nodejs',
    '@nats-io/transport-node',
    '@opentelemetry/api',
    '@opentelemetry/sdk-trace-node',
    'playwright-core',
    'vite',
    'tools',
    'node:*',
  ],
  // Other people's code, as it were: the doors of packages and nothing behind them.
  examples: ['@hearth/agent', '@opentelemetry', 'node:*'],
  tools: ['@hearth/profile', '@hearth/server/administration', 'playwright-core', 'vitest', 'node:*'],
}

// Folders whose sub-folders stay independent: each may use the files directly in the parent and its shared sub-folders, but
// no other sub-folder, unless listed. Adding a format then never means reading another one. A list may also name folders
// outside the parent: the formats that draw pictures use analyze.
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

// Sub-folders that every sub-folder of the same parent may use.
export const sharedSubfolders: Readonly<Record<string, readonly string[]>> = {
  'profile/formats': ['former-drafts', 'recordings'],
}

// Tests (*.test.ts) and testing/ folders may import anything in their own package, the testing/ folders of others, what
// their folder may, and these.
// In packages/profile they still may not touch node:*, because they run in a browser as well; a file named
// *.node.test.ts or, under testing/, *.node.ts runs in Node alone and may.
export const testPackages: readonly string[] = ['vitest', 'fast-check', 'playwright-core']

// Whole families of packages that tests of one package of ours may use: the server is tested with other people's senders.
export const testFamilies: Readonly<Record<string, readonly string[]>> = {
  server: [
    '@opentelemetry/',
    '@grpc/grpc-js',
    '@hearth/client',
    '@hearth/codecs',
    '@connectrpc/',
    '@bufbuild/',
    '@pyroscope/',
  ],
  agent: ['@opentelemetry/', '@grpc/grpc-js', '@hearth/profile'],
  signals: ['@opentelemetry/', 'node:'],
  broker: ['@bufbuild/', '@grpc/grpc-js', 'node:'],
  web: ['vite', 'axe-core', 'node:'],
}
