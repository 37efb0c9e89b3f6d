import { fileURLToPath } from 'node:url'

/** The built command, for tests that start it. tools/build-packages.ts builds it before the first test. */
export const BUILT_HEARTH = fileURLToPath(new URL('../../dist/hearth.js', import.meta.url))
