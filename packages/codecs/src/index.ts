// The package's door: gzip and zstd for @hearth/profile, as Node has them.
export { nodeCodecs, openZstd, opened } from './node-codecs.ts'
