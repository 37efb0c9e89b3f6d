// Small folded files, one per feature of the format or of one of its writers.
import { encodeUtf8 } from '../../../wire/utf8.ts'

export interface FoldedFixture {
  readonly name: string
  readonly bytes: Uint8Array
}

export function utf16(text: string, order: 'little' | 'big'): Uint8Array {
  const marked = `\ufeff${text}`
  const bytes = new Uint8Array(2 * marked.length)
  const view = new DataView(bytes.buffer)
  for (let i = 0; i < marked.length; i++) view.setUint16(2 * i, marked.charCodeAt(i), order === 'little')
  return bytes
}

const TRACE = '0x01020304010203040102030401020304'
const SPAN = '0x9999999999999999'

const texts: Readonly<Record<string, string>> = {
  plain: 'main;parse;read 12\nmain;parse 3\nmain;run;gc 40\nmain;run 7\n',
  'equal stacks on several lines': 'a;b;c 1\na;b;c 1\na;b;d 4\na;b;c 3\na;b 5',
  'CRLF, blank lines and comments': '# taken on a Tuesday\r\n\r\na;b;c 1\r\na;b 5\r\n',
  'spaces and symbols in names': 'std::vector<int, a>::push back;operator new [](unsigned long) 3\nλ;日本;🔥 4\n',
  'numbers at the end of names': 'pool;worker 1 10\npool;worker 2 20\npool 5\n',
  'modules, threads, unknown frames': '[java tid=12];[libc.so.6];[unknown];read 8\n[java tid=13];0x7f00 2\n',
  annotations: 'java;call_stub_[j];run_[j];get_[i];put_[i];read;vfs_read_[k] 7\njava;wake_up_[k];swapper_[w] 2\n',
  'an inlined root': 'lost_[i];found_[i];end 3\nlost_[i] 1\n',
  'values at the ends of 64 bits':
    'a;max 9223372036854775807\na;min -9223372036854775808\na;zero 0\na;odd 9007199254740993\n',
  decimals: 'a;b 0.125\na;c 12.5\na;d 3\n',
  differential: 'main;parse 12 10\nmain;run 0 33\nmain;old 4 0\n',
  'the example of the arrays draft': `foo;bar;baz 100 region=us,trace_id=${TRACE},span_id=${SPAN} 1687841528000000\nfoo;bar 200 region=us\n`,
  'all lines timed':
    'a;b 5 thread=1 1700000000000000001\na;b 7 thread=1 1700000000000000000\na 1 thread=2 18446744073709551615\n',
  'a header':
    '# dialect=extended type=cpu unit=nanoseconds period_type=cpu period_unit=nanoseconds period=10000000 time_unix_nano=1700000000000000000 duration_nano=1000000000\nmain;a%3Bb%25 20000000 k=a%2Cb%3Dc\n',
  'timestamps without values':
    '# dialect=extended type=samples unit=count shape=timestamps\nmain;run 1 1700000000000000005\nmain;run 1 cpu=3 1700000000000000007\n',
  'names that begin with #': ' #new;run 3\n #old 4\n',
}

export const fixtures: readonly FoldedFixture[] = [
  ...Object.entries(texts).map(([name, text]) => ({ name, bytes: encodeUtf8(text) })),
  { name: 'UTF-8 with a byte order mark', bytes: encodeUtf8('\ufeffa;b 1\n') },
  { name: 'UTF-16, little-endian', bytes: utf16('a;b;c 1\r\na;é;🔥 4\r\n', 'little') },
  { name: 'UTF-16, big-endian', bytes: utf16('a;b;c 1\r\na;é;🔥 4\r\n', 'big') },
]
