// What kind of code a frame is, as far as the name of its file tells: the text has no other mark.

export type ScriptFrameType = 'kernel' | 'native' | 'jit'

/** Names in brackets that are not of the kernel; all others are its modules. */
const USER_BRACKETS = /^\[(?:vdso|vsyscall|heap|stack|anon|uprobes)/
const KERNEL_FILE = /(?:^|\/)vmlinux|\.ko(?:\.[a-z0-9]+)?$|^bpf_(?:prog|trampoline|dispatcher)_/
/** What run-time compilers tell perf about the code they made. */
const JIT_FILE = /(?:^|\/)perf-\d+\.map$/

/** `file` is empty where it is not known; `addressHi` is the upper half of the address. */
export function frameTypeOf(file: string, addressHi: number): ScriptFrameType | undefined {
  // The kernel is at the upper end of memory on all machines of 64 bits.
  if (file === '') return addressHi >>> 16 === 0xffff ? 'kernel' : undefined
  if (file.startsWith('[')) return USER_BRACKETS.test(file) ? 'native' : 'kernel'
  if (KERNEL_FILE.test(file)) return 'kernel'
  return JIT_FILE.test(file) ? 'jit' : 'native'
}

/**
 * The build id in the path of a file that perf keeps a copy of:
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
