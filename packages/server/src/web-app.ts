// A third door: the web page with a few files and nothing behind it, without the server and its engine.
export type { ShownFile, ShownFiles } from './api/show-files.ts'
export { showFiles } from './api/show-files.ts'
