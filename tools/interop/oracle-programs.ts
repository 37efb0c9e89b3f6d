// Programs with debug information of every kind, compiled where the compilers are, and binaries of the distribution.
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runTool } from './symbolizers.ts'

export interface OracleProgram {
  readonly name: string
  readonly file: string
  /** The file that the other symbolizers read, if they cannot read `file` itself. Its code is the same. */
  readonly reference?: string
  readonly language: 'c' | 'go' | 'rust'
  /** The folder with .dwo and .dwp files and supplements. */
  readonly folder: string
}

const CPP = `
#include <algorithm>
#include <map>
#include <string>
#include <vector>
#include <cstdio>
namespace shop {
struct Item { std::string name; long price; };
static inline long rounded(long price) { return (price + 5) / 10 * 10; }
template <class T> inline long sum(const std::vector<T>& items) { long s = 0; for (auto& i : items) s += rounded(i.price); return s; }
class Cart { std::vector<Item> items; std::map<std::string, long> stock; public:
  void add(std::string n, long p) { items.push_back({n, p}); stock[n] += p; }
  __attribute__((noinline)) long total() const { return sum(items); }
  __attribute__((noinline)) void sort() { std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.price < b.price; }); }
};
}
int main(int argc, char**) { shop::Cart c; for (int i = 0; i < 100 * argc; i++) c.add("item" + std::to_string(i % 7), i * 37 % 101); c.sort(); std::printf("%ld\\n", c.total()); }
`
const C = `
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static inline int mix(int a, int b) { return (a * 31) ^ (b >> 3); }
static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
__attribute__((noinline)) static int hash(const char* s) { int h = 7; while (*s) h = mix(h, *s++); return h; }
int main(int argc, char** argv) { int v[64]; for (int i = 0; i < 64; i++) v[i] = mix(i, hash(argv[0])); qsort(v, 64, sizeof *v, compare); printf("%d\\n", v[argc]); return 0; }
`
const RUST = `
use std::collections::HashMap;
#[inline(always)] fn rounded(x: u64) -> u64 { (x + 5) / 10 * 10 }
fn main() { let mut m: HashMap<String, u64> = HashMap::new(); for i in 0..100u64 { *m.entry(format!("k{}", i % 7)).or_default() += rounded(i); }
  let mut v: Vec<_> = m.into_iter().collect(); v.sort_by(|a, b| b.1.cmp(&a.1)); println!("{:?}", v); }
`
/** Without the C library, so that the compiler needs nothing else of the target. */
const FREESTANDING = `
static inline int mix(int a, int b) { return (a * 31) ^ (b >> 3); }
__attribute__((noinline)) static int hash(const char* s) { int h = 7; while (*s) h = mix(h, *s++); return h; }
__attribute__((noinline)) static int sum(const int* v, int n) { int s = 0; for (int i = 0; i < n; i++) s += mix(v[i], i); return s; }
void _start(void) { volatile int paid = 0; int v[64]; for (int i = 0; i < 64; i++) v[i] = mix(i, hash("shop")); for (;;) paid += sum(v, 64); }
`
/** A release for each version of the table of functions, the first and the last of some. */
const GO_RELEASES = ['1.2.2', '1.9', '1.15.15', '1.16.15', '1.18.8', '1.20.14', '1.27.3']
const GO = `package main
import ("fmt"; "sort"; "strings")
func rounded(x int) int { return (x + 5) / 10 * 10 }
func main() { m := map[string]int{}; for i := 0; i < 100; i++ { m[strings.Repeat("k", i%7)] += rounded(i) }
 var v []string; for k := range m { v = append(v, k) }; sort.Strings(v); fmt.Println(v) }
`

/** Builds the programs below `folder`. Returns also why some could not be built. */
export function buildPrograms(folder: string): { programs: OracleProgram[]; skipped: string[] } {
  const programs: OracleProgram[] = []
  const skipped: string[] = []
  const add = (
    name: string,
    language: OracleProgram['language'],
    build: (folder: string, file: string) => string | void,
  ) => {
    const own = join(folder, name.replaceAll(/\W+/g, '-'))
    mkdirSync(own, { recursive: true })
    const file = join(own, 'program')
    try {
      const reference = build(own, file)
      programs.push({ name, file, language, folder: own, ...(typeof reference === 'string' ? { reference } : {}) })
    } catch (error) {
      const [reason] = (error as Error).message.split('\n')
      skipped.push(`${name}: ${reason.replaceAll(folder, '')}`)
    }
  }
  const compiled =
    (compiler: string, source: string, ...flags: string[]) =>
    (own: string, file: string) => {
      const text = join(own, source === C ? 'main.c' : 'main.cc')
      writeFileSync(text, source)
      runTool(compiler, ['-O2', '-g', ...flags, text, '-o', file], '', own)
    }
  for (const [compiler, source, label] of [
    ['gcc', C, 'C, gcc'],
    ['g++', CPP, 'C++, g++'],
    ['clang++', CPP, 'C++, clang'],
  ] as const) {
    add(`${label}, DWARF 5`, 'c', compiled(compiler, source, '-gdwarf-5'))
    add(`${label}, DWARF 4`, 'c', compiled(compiler, source, '-gdwarf-4'))
    add(`${label}, split DWARF 5`, 'c', compiled(compiler, source, '-gdwarf-5', '-gsplit-dwarf'))
    add(`${label}, split DWARF 4`, 'c', compiled(compiler, source, '-gdwarf-4', '-gsplit-dwarf'))
  }
  for (const target of ['i386-linux-gnu', 'aarch64-linux-gnu', 'mips-linux-gnu']) {
    add(`C, clang, ${target}`, 'c', (own, file) => {
      writeFileSync(join(own, 'main.c'), FREESTANDING)
      const linked = ['-ffreestanding', '-nostdlib', '-static', '-fuse-ld=lld']
      runTool('clang', ['-O2', '-g', `--target=${target}`, ...linked, join(own, 'main.c'), '-o', file], '', own)
    })
  }
  const changed = (change: (plain: string, file: string, own: string) => void) => (own: string, file: string) => {
    const plain = join(own, 'plain')
    compiled('g++', CPP, '-gdwarf-5')(own, plain)
    copyFileSync(plain, file)
    change(plain, file, own)
    return plain
  }
  for (const kind of ['zlib', 'zlib-gnu', 'zstd']) {
    add(
      `C++, g++, sections compressed with ${kind}`,
      'c',
      changed((_, file) => runTool('objcopy', [`--compress-debug-sections=${kind}`, file])),
    )
  }
  add(
    'C++, g++, dwz with a supplement',
    'c',
    changed((plain, file, own) => {
      const other = join(own, 'other')
      copyFileSync(plain, other)
      runTool('dwz', ['-m', join(own, 'supplement'), file, other])
    }),
  )
  add(
    'C++, g++, separate debug file',
    'c',
    changed((plain, file) => runTool('objcopy', ['--only-keep-debug', plain, file])),
  )
  add('C++, g++, mini debug info', 'c', (own, file) => {
    const plain = join(own, 'plain')
    compiled('g++', CPP)(own, plain)
    const mini = join(own, 'mini')
    runTool('objcopy', ['--strip-debug', plain, mini])
    copyFileSync(mini, `${mini}-packed`)
    runTool('xz', ['--force', `${mini}-packed`])
    runTool('objcopy', ['--strip-all', '--add-section', `.gnu_debugdata=${mini}-packed.xz`, plain, file])
    return mini
  })
  add('Rust, rustc', 'rust', (own, file) => {
    writeFileSync(join(own, 'main.rs'), RUST)
    runTool('rustc', ['-O', '-g', join(own, 'main.rs'), '-o', file], '', own)
  })
  for (const [label, flags] of [
    ['Go', []],
    ['Go, stripped', ['-ldflags=-s -w']],
  ] as const) {
    add(label, 'go', (own, file) => {
      writeFileSync(join(own, 'main.go'), GO)
      runTool('go', ['build', ...flags, '-o', file, 'main.go'], '', own)
    })
  }
  for (const release of GO_RELEASES) {
    add(`Go ${release}, stripped`, 'go', (own, file) => {
      writeFileSync(join(own, 'main.go'), GO)
      // The go command fetches the release. GOFLAGS of later ones may be unknown to it.
      const env = { ...process.env, GOTOOLCHAIN: `go${release}`, GOENV: 'off', GOFLAGS: '', CGO_ENABLED: '0' }
      execFileSync('go', ['build', '-ldflags', '-s -w', '-o', file, 'main.go'], { cwd: own, env, stdio: 'pipe' })
    })
  }
  for (const [name, file] of [
    ['libc6-dbg, libc.so.6', '/lib/x86_64-linux-gnu/libc.so.6'],
    ['libc6-dbg, libm.so.6', '/lib/x86_64-linux-gnu/libm.so.6'],
    ['libbinutils-dbg, libbfd', '/usr/lib/x86_64-linux-gnu/libbfd-2.40-system.so'],
    ['python3.11-dbg, python3.11', '/usr/bin/python3.11'],
  ] as const) {
    const [, id = ''] = existsSync(file) ? (/Build ID: (\w+)/.exec(runTool('readelf', ['-n', file])) ?? []) : []
    const debug = `/usr/lib/debug/.build-id/${id.slice(0, 2)}/${id.slice(2)}.debug`
    if (id !== '' && existsSync(debug))
      programs.push({ name, file: debug, reference: file, language: 'c', folder: '/usr/lib/debug/.dwz' })
    else skipped.push(`${name}: no debug file`)
  }
  for (const [name, file, language] of [
    ['libstdc++6-12-dbg, libstdc++.so.6', '/usr/lib/x86_64-linux-gnu/debug/libstdc++.so.6', 'c'],
    ['Go, Debian package fzf', '/usr/bin/fzf', 'go'],
  ] as const) {
    if (existsSync(file)) programs.push({ name, file, language, folder: '/usr/lib/debug/.dwz' })
    else skipped.push(`${name}: not installed`)
  }
  return { programs, skipped }
}
