// Finds the built UI. The path is relative to the package, so this module must stay directly in src: the build puts all
// modules of a package directly into dist.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const PUBLISHED = fileURLToPath(new URL('../web', import.meta.url))

/** The built UI: a part of the published package, or the package next to this one in the repository. */
export const WEB_FOLDER = existsSync(PUBLISHED) ? PUBLISHED : fileURLToPath(new URL('../../web/dist', import.meta.url))
