// Small handmade files of every legacy dialect.
import { encodeUtf8 } from '../../../wire/utf8.ts'

const MEMORY_MAP = `MAPPED_LIBRARIES:
build=/home/me/bin
00400000-00402000 r--p 00000000 08:01 12 /bin/app
00402000-00500000 r-xp 00002000 08:01 12 /bin/app
7f0000000000-7f0000100000 r-xp 00000000 08:01 13 /lib/libc.so.6
0x7f0000200000-0x7f0000300000 $build/plugin (@ff00) abc123
`

/** A CPU profile of the given words, header first. */
export function cpuProfile(
  words: readonly (bigint | number)[],
  size: 4 | 8,
  littleEndian: boolean,
  tail = '',
): Uint8Array {
  const text = encodeUtf8(tail)
  const bytes = new Uint8Array(words.length * size + text.length)
  const view = new DataView(bytes.buffer)
  for (const [i, word] of words.entries()) {
    if (size === 8) view.setBigUint64(i * 8, BigInt(word), littleEndian)
    else view.setUint32(i * 4, Number(word), littleEndian)
  }
  bytes.set(text, words.length * size)
  return bytes
}

const CPU_WORDS = [
  0, 3, 0, 10_000, 0, 2, 3, 0x402100, 0x402200, 0x402300, 1, 2, 0x402101, 0x402400, 5, 1, 0x402100, 0, 1, 0,
]
const JAVA_WORDS = [0, 3, 1, 10_000, 0, 2, 3, 6, 7, 8, 1, 1, 9, 0, 1, 0]
const JAVA_LOCATIONS = ` 0x00000006 com.example.Work.run (Work.java:16)
 0x00000007 com.example.Main.main (Main.java:-1)
 0x00000008 JVM_Start (/usr/lib/libjvm.so)
 0x0000000b never seen
`

export const SYMBOLS = `--- symbol
binary=/home/me/bin/app
0x0000000000402100 work(int)--inlined::step()
0x00000000004021ff run(Options const&)
0x00000000004022ff main
0x402101 Counter::operator--(int)
0x00000000004023ff 0x00000000004023ff
---
`

/** Puts text before a file. */
export function prefixed(text: string, bytes: Uint8Array): Uint8Array {
  const start = encodeUtf8(text)
  const joined = new Uint8Array(start.length + bytes.length)
  joined.set(start)
  joined.set(bytes, start.length)
  return joined
}

export const texts = {
  heap: `heap profile:      3:     4096 [    10:    40960] @ heap_v2/524288
     1:     1024 [     2:     2048] @ 0x402201 0x402301
     2:     3072 [     8:    38912] @ 0x402205 0x7f0000000011
     0:        0 [     1:       16] @
${MEMORY_MAP}`,
  growth: `heap profile:      2:     8192 [     2:     8192] @ growth
     2:     8192 [     2:     8192] @ 0x402201 0x402301
`,
  goroutine: `goroutine profile: total 5
4 @ 0x402201 0x402301
# labels: {"a":"b"}
#	0x402200	main.inlined+0x20	/src/main.go:7
#	0x402200	main.wait+0x20	/src/main.go:12
#	0x402300	main.main+0x80	/src/main.go:30

1 @ 0x402301
#	0x402300	main.main+0x80	/src/main.go:30
`,
  contention: `--- contentionz 1 ---
cycles/second = 2000000000
sampling period = 100
ms since reset = 16502
discarded samples = 3
  19490304       27 @ 0x402201 0x402301
       768        1 @ 0x402205
--- Memory map: ---
  00400000-00500000: /bin/app
`,
  mutex: `--- mutex:
cycles/second=1000000000
sampling period=5
12 3 @ 0x402201 0x402301
#	0x402200	main.lock+0x20	/src/main.go:7
`,
  threads: `--- threadz 1 ---

--- Thread 7f794ab90940 (name: main/14748) stack: ---
  PC:  0x00402201: helper(arg *)
  0x00402301: main
--- Thread 7f794964e700 (name: worker/1/14751) stack: ---
  PC:  0x00402205: nanosleep
      creator: 0x402401
--- Thread 7f7948978700 (name: worker/2/14759) stack: ---
  [same as previous thread]
--- Memory map: ---
  00400000-00500000: /bin/app
`,
  javaHeap: `--- heapz 1 ---
format = java
resolution = bytes
  1024       2 @ 0x00000006 0x00000007
  9000       1 @ 0x00000009
${JAVA_LOCATIONS}`,
  javaContention: `--- contentionz 1 ---
format = java
resolution = microseconds
sampling period = 100
ms since reset = 6019923
  14         1 @ 0x00000006 0x00000007
${JAVA_LOCATIONS}`,
}

export const fixtures: readonly { name: string; bytes: Uint8Array }[] = [
  { name: 'CPU, 64 bits', bytes: cpuProfile(CPU_WORDS, 8, true, MEMORY_MAP) },
  { name: 'CPU, 64 bits, big-endian', bytes: cpuProfile(CPU_WORDS, 8, false, MEMORY_MAP) },
  { name: 'CPU, 32 bits', bytes: cpuProfile(CPU_WORDS, 4, true, MEMORY_MAP) },
  { name: 'CPU, 32 bits, big-endian', bytes: cpuProfile(CPU_WORDS, 4, false, MEMORY_MAP) },
  { name: 'CPU of Java', bytes: cpuProfile(JAVA_WORDS, 4, true, JAVA_LOCATIONS) },
  {
    name: 'symbolized CPU',
    bytes: prefixed(`${SYMBOLS}--- profile\n`, cpuProfile(CPU_WORDS, 8, true, MEMORY_MAP)),
  },
  { name: 'symbolized heap', bytes: encodeUtf8(`${SYMBOLS}--- heap\n${texts.heap}`) },
  ...Object.entries(texts).map(([name, text]) => ({ name, bytes: encodeUtf8(text) })),
]
