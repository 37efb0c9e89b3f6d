// Small texts of `perf script`, one for each feature of perf's output or of the reader.
import { encodeUtf8 } from '../../../wire/utf8.ts'

export interface PerfScriptFixture {
  readonly name: string
  readonly bytes: Uint8Array
}

const HEADER = `# ========
# captured on    : Sat Sep  4 10:27:47 2021
# header version : 1
# hostname : box
# os release : 5.11.0-27-generic
# perf version : 5.11.22
# arch : x86_64
# nrcpus online : 4
# cpudesc : Some(R) CPU @ 2.67GHz
# cmdline : /usr/bin/perf record -F 4000 -g dot -Tsvg x.dot 
# event : name = cycles:u, , id = { 118, 119 }, size = 120, { sample_period, sample_freq } = 4000, sample_type = IP|TID|TIME, freq = 1, enable_on_exec = 1
# event : name = cpu/event=0x3c,umask=0x1/, , id = { 120 }, type = 4, { sample_period, sample_freq } = 1000, disabled = 1
# event : name = dummy:HG, , id = { 121 }, type = 1
# missing features: TRACING_DATA BRANCH_STACK 
# ========
#
`

const texts: Readonly<Record<string, string>> = {
  'a callchain': `app  7971  2782.992243:        321 cycles:u: 
\tffffffffa4c7c5c6 native_write_msr+0x6 ([kernel.kallsyms])
\tffffffffc0001010 nfs_read+0x10 ([nfs])
\t           11de5 _dl_name_match_p (/usr/lib64/ld-2.25.so)
\t    7fa4b39f24f8 Lgroovy/text/Template;::run (/tmp/perf-4771.map)
\t6e696c2d646c0036 [unknown] ([unknown])

app  7971  2782.992250:          1 cycles:u: 
\tffffffffa4c7c5c6 native_write_msr+0x6 ([kernel.kallsyms])
\t           11de5 _dl_name_match_p (/usr/lib64/ld-2.25.so)

`,
  'a header': `${HEADER}dot  7564/7571  [002]  2782.992243123:      25000 cycles:u: \n\t     55c7 main+0x7 (/usr/bin/dot)\n\ndot  7564/7571  [003]  2782.992243124:       1000 cpu/event=0x3c,umask=0x1/: \n\t     55c8 main+0x8 (/usr/bin/dot)\n\n`,
  'names with blanks and digits': `Web Content 12  7564/7571  [002]     0.000001:          5 cycles: 
\t              1f a b (c) d(int) (/tmp/my app (deleted))

:123   123 [000]     1.000001:          5 cycles: 
\t               0 [unknown] ([unknown])

kworker/u8:2-ev   44 [001]     2.5:         7 cycles: 
\t              10 operator()(int) (.constprop.0) (/bin/x)

   -1 [001]     3.5:         7 cycles: 
\t              10 f (/bin/x)
`,
  'one line for each sample': `           sleep  5860 [000] 20238.788749:     250000 cpu-clock:  ffffffff81134f60 [unknown] ([kernel.kallsyms])
              cc  5856 [000] 20238.788996:     250000 cpu-clock:      7fec1651f764 memcpy (/lib/x86_64-linux-gnu/libc-2.19.so)
`,
  'without periods': `java  8192 [000]  5076.100000: cpu-clock: \n\t    7fa4b39f24f8 run (/tmp/perf-4771.map)\n\njava  8192 [000]  5076.200000: cpu-clock: \n\t    7fa4b39f24f8 run (/tmp/perf-4771.map)\n\n`,
  'without times': `            app  5860     250000 cpu-clock:  ffffffff81134f60 [unknown] ([kernel.kallsyms])
            app  5860     250000 cpu-clock:  ffffffff81134f60 [unknown] ([kernel.kallsyms])
             cc  5861 [007]     250000 cpu-clock:  ffffffff81134f61 [unknown] ([kernel.kallsyms])
`,
  'inlined calls': `sh 32511  4553.143803:    1001001 cpu-clock: 
\t           1bccb inner (inlined)
\t           1bccb middle+0x55b (inlined)
\t           1bccb outer+0x55b (/usr/lib/ld.so)
\t           20ce7 lost (inlined)
\t           1ab77 _start+0x7 (/usr/lib/ld.so)

sh 32511  4553.143804:    1001001 cpu-clock: 
\t           1bccb outer+0x55b (/usr/lib/ld.so)
`,
  'source lines': `sh 32511  4553.143803:    1001001 cpu-clock: 
\tffffffff821c4f12 mas_wr_store_type+0x72 ([kernel.kallsyms])
  [kernel.kallsyms][ffffffff821c4f12]
\t           1bccb _dl_start_final+0x55b
  rtld.c:497 (inlined)
\t           1bccb _dl_start+0x55b (/usr/lib/ld.so)
  rtld.c:584
\t           1ab77 _start+0x7 (/usr/lib/ld.so)
  :0
\t           1ab79 [unknown] (/usr/lib/ld.so)
  start.S:0
`,
  'build ids in paths': `a 1 1.000000: 1 cycles: 
\t  10 x (/root/.debug/.build-id/4b/ea81c2d3e4f5061728394a5b6c7d8e9f0011aa/vdso)
\t  20 y (/root/.debug/usr/lib/libc.so.6/00112233445566778899aabbccddeeff00112233/elf)
\t  30 z (/usr/lib/plain.so)
`,
  'a tracepoint and other records': `swapper     0 [000]     0.000000: PERF_RECORD_MMAP2 -1/0: [0xffffffff81000000(0x1206448) @ 0xffffffff81000000 <6ecd6ec21ec69416e50a8aa6737e500901ddb47a>]: ---p [kernel.kallsyms]_text
swapper     0 [000]     0.000000: PERF_RECORD_MMAP2 9/9: [0x7fbce3358000(0x1000) @ 0x1000 <1d8f2556ed30c02f74f5a3c1fc68f0ed70ac2477>]: r-xp /usr/lib/libx.so
swapper     0 [000]     0.000000: PERF_RECORD_FORK(1:1):(0:0)
swapper     0 [000]     0.000000: PERF_RECORD_COMM: process_api:1/1
swapper     0 [000]     0.000000: PERF_RECORD_LOST lost 12
foo     9 [001]     7.000000: sched:sched_switch: prev_comm=foo prev_pid=9 prev_state=S ==> next_comm=swapper/1 next_pid=0
\tffffffff81a84281 schedule ([kernel.kallsyms])
\t            1010 wait (/usr/lib/libx.so)
`,
  'blanks instead of tabs, CRLF': `app 7 [000] 1.000000: 12 cycles:\r\n     401000 main (/bin/app)\r\n     401100 dead (/bin/app)\r\n\r\n`,
  'a known clock': `# clockid: monotonic (1)
# reference time: 2026-11-15 10:30:19.938358 = 1794738619.938358 (TOD) = 4562.263119753 (monotonic)
node 32550  4562.463497000:    1000000 cpu-clock:      7f6b698b593e _int_malloc+0x5de (/usr/lib/libc.so.6)
`,
  'the ends of 64 bits': `a 9223372036854775807 [001] 18446744073.709551615: 9223372036854775807 cycles: 
\tffffffffffffffff f+0xffffffff ([kernel.kallsyms])
\t               0 g (/bin/g)

a 9223372036854775807 [001] 0.000000000: 0 cycles: 
\tffffffffffffffff f+0xffffffff ([kernel.kallsyms])
`,
  'no frames': `a 1 1.000000: 5 cycles: \n\na 1 2.000000: 6 cycles: \n\n`,
  'the same time': `b 2 1.000000: 5 cycles: \n\t 1 x (/b)\n\na 1 1.000000: 5 cycles: \n\t 1 x (/b)\n\nb 2 0.500000: 5 cycles: \n\t 1 x (/b)\n\na 1 1.000000: 4 cycles: \n\t 1 x (/b)\n\n`,
}

export const fixtures: readonly PerfScriptFixture[] = Object.entries(texts).map(([name, text]) => ({
  name,
  bytes: encodeUtf8(text),
}))
