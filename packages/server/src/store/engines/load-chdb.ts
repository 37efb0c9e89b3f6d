// Loads the embedded engine. It is an optional package, because it has 540 MB and a server on ClickHouse does not need it.
import type * as chdb from 'chdb'
import { EngineError } from '../engine.ts'

export type Chdb = typeof chdb

/** The version that Hearth is tested with, as in package.json. */
export const CHDB_VERSION = '3.4.0'

/** Throws EngineError if the package is not installed. */
export async function loadChdb(load: () => Promise<Chdb> = () => import('chdb')): Promise<Chdb> {
  try {
    return await load()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
    const text = isMissing
      ? `the embedded store needs the package chdb, which is not installed; run \`npm install chdb@${CHDB_VERSION}\`, or use ClickHouse with --store`
      : `the embedded store cannot be loaded: ${message}`
    throw new EngineError('unavailable', 0, text, { cause: error })
  }
}
