// The frames of this thread's code, each once: as V8 reports them, and after source maps as in the source. Rows live as long as
// a batch of samples refers to the table. A table beyond its limit (code made by `eval` under ever new names) is replaced by
// a new one, so that memory stays bounded.
import { fileURLToPath } from 'node:url'
import type { V8Node } from '../sources/native-module.ts'

/** About 100 bytes each. Large services have about 20,000. */
const MAX_FRAMES = 100_000

export interface Frame {
  readonly name: string
  readonly systemName: string
  readonly file: string
  /** From 1. 0 means unknown. */
  readonly startLine: number
  readonly line: number
  readonly column: number
  readonly type: 'v8js' | 'native'
  /** The position before a source map was applied. */
  readonly generatedPosition?: string
  readonly generatedStartLine?: number
}

/** V8's frames that are not functions, and the agent's own. */
export const IDLE = '(idle)'
export const PROGRAM = '(program)'
export const GARBAGE_COLLECTOR = '(garbage collector)'
export const OTHER_THREADS = '(non-JavaScript threads)'
export const EVENT_LOOP = '(event loop)'
/** All stacks that did not fit into a capture. */
export const TRUNCATED = '(truncated)'

/** The rows of frames that samples refer to. */
export interface Frames {
  readonly rows: readonly Frame[]
}

export class FrameTable implements Frames {
  readonly rows: Frame[] = []
  readonly #index = new Map<string, number>()
  /** Rows from here on have not been mapped to their sources. */
  mappedTo = 0

  get isFull(): boolean {
    return this.rows.length >= MAX_FRAMES
  }

  rowOf(node: V8Node): number {
    const { name = '', scriptName, lineNumber = 0, columnNumber = 0 } = node
    // The inspector uses -1 for "none". After adding 1 that is 0.
    const key = `${lineNumber}:${columnNumber}:${name}\n${scriptName}`
    let row = this.#index.get(key)
    if (row === undefined) {
      row = this.rows.length
      this.rows.push(frameOf(name, scriptName, lineNumber, columnNumber))
      this.#index.set(key, row)
    }
    return row
  }

  special(name: string): number {
    return this.rowOf({ name, scriptName: '' })
  }
}

export function specialFrame(name: string): Frame {
  return frameOf(name, '', 0, 0)
}

function frameOf(name: string, scriptName: string, line: number, column: number): Frame {
  return {
    name: name === '' ? '(anonymous)' : name,
    systemName: '',
    file: pathOf(scriptName),
    startLine: line,
    line,
    column,
    // Functions of V8 and of addons have no script.
    type: scriptName === '' ? 'native' : 'v8js',
  }
}

/** Modules are named by URL, CommonJS files by path, Node's own files by `node:…`. */
export function pathOf(scriptName: string): string {
  if (!scriptName.startsWith('file://')) return scriptName
  try {
    // Loaders add `?…` to load a module twice. It is not part of the file name.
    return fileURLToPath(scriptName)
  } catch {
    return scriptName.slice('file://'.length)
  }
}
