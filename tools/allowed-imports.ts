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
  cli: ['@hearth/profile', 'commander', 'picocolors', '@cloudpss/zstd', 'node:*'],
  bench: ['@hearth/profile', 'protobufjs', '@bufbuild/protobuf', 'pprof-format', '@cloudpss/zstd', 'node:*'],
  tools: ['@hearth/profile', 'playwright-core', 'node:*'],
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

// Tests (*.test.ts) and testing/ folders may import anything in their own package, what their folder may, and these.
// In packages/profile they still may not touch node:*, because they run in a browser as well; a file named
// *.node.test.ts or, under testing/, *.node.ts runs in Node alone and may.
export const testPackages: readonly string[] = ['vitest', 'fast-check', 'playwright-core']
