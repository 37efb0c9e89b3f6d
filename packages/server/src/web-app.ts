// A light entry point without the server and its engine: the web application with a few files.
export type { ShownFile, ShownFiles } from './api/show-files.ts'
export { showFiles } from './api/show-files.ts'
export { WEB_FOLDER } from './web-folder.ts'
