// Derives the type of a frame from its file name. The text has no other indication.

export type ScriptFrameType = 'kernel' | 'native' | 'jit'

/** Names in brackets that are not part of the kernel. All others are its modules. */
const USER_BRACKETS = /^\[(?:vdso|vsyscall|heap|stack|anon|uprobes)/
const KERNEL_FILE = /(?:^|\/)vmlinux|\.ko(?:\.[a-z0-9]+)?$|^bpf_(?:prog|trampoline|dispatcher)_/
/** The map files in which JIT compilers describe their code for perf. */
const JIT_FILE = /(?:^|\/)perf-\d+\.map$/

/** `file` is empty if it is unknown; `addressHi` is the upper half of the address. */
export function frameTypeOf(file: string, addressHi: number): ScriptFrameType | undefined {
  // On all 64-bit machines the kernel is at the upper end of memory.
  if (file === '') return addressHi >>> 16 === 0xffff ? 'kernel' : undefined
  if (file.startsWith('[')) return USER_BRACKETS.test(file) ? 'native' : 'kernel'
  if (KERNEL_FILE.test(file)) return 'kernel'
  return JIT_FILE.test(file) ? 'jit' : 'native'
}

/**
 * Finds the build id in the path of a file in perf's cache:
 *
 *   ~/.debug/.build-id/4b/ea81c2…/elf    ~/.debug/usr/lib/libc.so.6/4bea81c2…/elf    /usr/lib/debug/.build-id/4b/ea81c2….debug
 */
export function buildIdInPath(file: string): string | undefined {
  const [, first, rest] = /\/\.build-id\/([0-9a-f]{2})\/([0-9a-f]{14,38})(?:[/.]|$)/.exec(file) ?? []
  if (first !== undefined) return first + rest
  const folders = file.split('/')
  const cache = folders.indexOf('.debug')
  return cache < 0 ? undefined : folders.slice(cache).find(folder => /^[0-9a-f]{40}$/.test(folder))
}
