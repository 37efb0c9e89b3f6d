// The folders and packages that each folder may import. tools/check-imports.ts checks it, and ARCHITECTURE.md shows it.
//
//   wire ◄── model ◄── formats            an arrow points at what is imported
//              ▲── analyze, symbols       data flows the other way: bytes, formats, model, analyze, view
//
// A key is a folder. Its list names the folders and packages that its files may import, besides files of the same folder.
//   'profile/wire'      packages/profile/src/wire and everything below it
//   'profile (door)'    the files directly in packages/profile/src: the public API of the package
//   'cli'               packages/cli/src, unless a longer key matches
// A package is written as imported ('commander' includes 'commander/esm'). 'node:*' is all of Node.
// Code in a folder without a key fails the check: add the key here and in folder-purposes.ts.

export type ImportTable = Readonly<Record<string, readonly string[]>>

export const allowedImports: ImportTable = {
  'profile/wire': [],
  'profile/model': ['profile/wire'],
  'profile/formats': ['profile/wire', 'profile/model'],
  'profile/analyze': ['profile/model'],
  'profile/symbols': ['profile/wire', 'profile/model'],
  'profile (door)': ['profile/wire', 'profile/model', 'profile/formats', 'profile/analyze', 'profile/symbols'],
  codecs: ['@hearth/profile', '@cloudpss/zstd', 'node:*'],
  signals: ['@hearth/profile'],
  'broker/messages': ['@hearth/profile', '@hearth/signals'],
  'broker/rules': ['broker/messages', 're2js'],
  'broker/client': ['broker/messages', '@hearth/profile', 'node:*'],
  'broker (door)': ['broker/messages', 'broker/rules', 'broker/client'],
  // Runs in browsers too, so it must not import Node.
  client: ['@hearth/profile'],
  'server/store': ['@hearth/profile', '@hearth/signals', 'chdb', '@clickhouse/client', 'node:*'],
  'server/access': ['zod', 'node:*'],
  'server/config': ['@hearth/profile', '@hearth/signals', 'zod', 'yaml', 'node:*'],
  'server/observe': ['prom-client', 'pino', 'node:*'],
  'server/http': ['server/access', 'fastify', 'node:*'],
  'server/workers': ['node:*'],
  'server/receive': [
    '@hearth/profile',
    '@hearth/codecs',
    '@hearth/signals',
    'server/store',
    'server/access',
    'server/config',
    'server/observe',
    'server/http',
    'server/workers',
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
    'server/http',
    '@grpc/grpc-js',
    'fastify',
    'node:*',
  ],
  'server/testing': ['@hearth/profile', '@hearth/signals', 'server/store', 'node:*'],
  'server/api': [
    '@hearth/profile',
    '@hearth/signals',
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
    'server/workers',
    'node:*',
  ],
  cli: [
    '@hearth/profile',
    '@hearth/codecs',
    '@hearth/client',
    '@hearth/signals',
    '@hearth/broker',
    '@hearth/server',
    '@hearth/server/administration',
    '@hearth/server/web-app',
    'commander',
    'picocolors',
    'node:*',
  ],
  // The agent imports only the small entry point of the library, because it must load fast.
  'agent/record': ['@hearth/profile/recording', '@datadog/pprof', '@opentelemetry/api', 'node:*'],
  'agent/export': [
    '@hearth/profile/recording',
    '@hearth/codecs',
    '@grpc/grpc-js',
    'agent/record',
    'agent/configuration',
    'node:*',
  ],
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
  // tree, timeline and draw do not import the framework, so that they can be tested and measured without it.
  'web/tree': ['@hearth/profile'],
  'web/timeline': ['@hearth/profile'],
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
    'node:*',
  ],
  // Examples use public APIs only, like the code of users.
  examples: ['@hearth/agent', '@opentelemetry', 'node:*'],
  tools: ['@hearth/profile', '@hearth/server/administration', 'playwright-core', 'esbuild', 'vitest', 'node:*'],
  // Tests against other projects' programs start a server as the tests of the command line do.
  'tools/interop': ['@hearth/profile', 'vitest', 'node:*'],
}

// Folders whose sub-folders are independent. Each may import the files directly in the parent and its shared sub-folders, but
// no other sub-folder, unless listed. A list may also name folders outside the parent: formats that draw pictures import analyze.
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
    validation: ['arrays-draft', 'events', 'events-text', 'otep239', 'otlp', 'otlp-json'],
  },
}

// Sub-folders that every sub-folder of the same parent may import.
export const sharedSubfolders: Readonly<Record<string, readonly string[]>> = {
  'profile/formats': ['former-drafts', 'recordings'],
}

// Tests (*.test.ts) and testing/ folders may import anything in their own package, the testing/ folders of others, everything
// that their folder may import, and these packages. In packages/profile they must not import node:*, because they run in a
// browser too. A file named *.node.test.ts or, under testing/, *.node.ts runs only in Node and may.
export const testPackages: readonly string[] = ['vitest', 'fast-check', 'playwright-core']

// Families of packages that the tests of a package may import: the server is tested with other senders.
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
