// Where the built UI is. The path is relative to the package, so this module must stay directly in src: the build puts all
// modules of a package directly into dist.
import { fileURLToPath } from 'node:url'

/** The built UI, next to this package in the repository and when installed. */
export const WEB_FOLDER = fileURLToPath(new URL('../../web/dist', import.meta.url))
