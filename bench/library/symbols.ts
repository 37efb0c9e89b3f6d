// The figures of native symbols in docs/benchmarks.md: npm run bench:symbols -- [FILE…] [--write]. Without a file it builds one of
// 100 MB with g++ and objcopy: copies of a unit of C++, linked into one library. For each debug file: the time and the
// memory to index it, the size of the index, the time to open the index, and lookups per second: the functions at an address with
// their files and lines.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'
import { SymbolIndex, readSymbols } from '@hearth/profile'
import { writeFigures } from '../write-figures.ts'

interface Indexed {
  readonly name: string
  readonly bytes: number
  readonly indexMs: number
  /** The largest growth of the resident memory, with the file itself. */
  readonly memoryBytes: number
  readonly indexBytes: number
  readonly openMs: number
  readonly lookupsPerSecond: number
}

const LOOKUPS = 2_000_000
const MEBIBYTE = 2 ** 20
/** The message of a thread that has made the index. */
const INDEXED = 'indexed'

/** Runs in a thread of its own, as in the server. The main thread watches the memory of the process. */
function indexed(path: string): Omit<Indexed, 'memoryBytes'> {
  const started = performance.now()
  const content = readFileSync(path)
  const bytes = new Uint8Array(content.buffer, content.byteOffset, content.length)
  const { index } = readSymbols(bytes)
  const indexMs = performance.now() - started
  // The lookups below need memory of their own.
  parentPort?.postMessage(INDEXED)
  const opening = performance.now()
  const symbols = SymbolIndex.open(index)
  const openMs = performance.now() - opening
  const { starts, base } = symbols
  // Random addresses all over the code, prepared before the clock starts.
  const addresses = BigUint64Array.from(
    { length: LOOKUPS },
    (_, i) => base.address + BigInt(starts[(i * 7919) % starts.length]),
  )
  const before = performance.now()
  let found = 0
  for (const address of addresses) found += symbols.lookup(address).length
  const lookupsPerSecond = Math.round((1000 * LOOKUPS) / (performance.now() - before))
  if (found === 0) throw new Error('no address was found')
  return { name: basename(path), bytes: bytes.length, indexMs, indexBytes: index.length, openMs, lookupsPerSecond }
}

async function measured(path: string): Promise<Indexed> {
  globalThis.gc?.()
  const base = process.memoryUsage().rss
  let most = base
  // The limits of the server's indexing thread.
  const resourceLimits = {
    maxYoungGenerationSizeMb: 12,
    maxOldGenerationSizeMb: 256 + (4 * statSync(path).size) / 2 ** 20,
  }
  const worker = new Worker(new URL(import.meta.url), { workerData: path, resourceLimits })
  const look = (): void => void (most = Math.max(most, process.memoryUsage().rss))
  const watch = setInterval(look, 5)
  try {
    const result = await new Promise<Omit<Indexed, 'memoryBytes'>>((resolve, reject) => {
      worker.on('message', (message: typeof INDEXED | Omit<Indexed, 'memoryBytes'>) => {
        if (message !== INDEXED) return resolve(message)
        look()
        clearInterval(watch)
      })
      worker.once('error', reject)
    })
    return { ...result, memoryBytes: most - base }
  } finally {
    clearInterval(watch)
    await worker.terminate()
  }
}

function tableOf(results: readonly Indexed[]): string {
  const mib = (bytes: number): string => `${(bytes / MEBIBYTE).toFixed(1)} MiB`
  return [
    '| debug file | size | indexed in | memory | of the file | index | opened in | lookups per second |',
    '|---|--:|--:|--:|--:|--:|--:|--:|',
    ...results.map(
      ({ name, bytes, indexMs, memoryBytes, indexBytes, openMs, lookupsPerSecond }) =>
        `| ${name} | ${mib(bytes)} | ${(indexMs / 1000).toFixed(2)} s | ${mib(memoryBytes)} | ${(memoryBytes / bytes).toFixed(1)}× ` +
        `| ${mib(indexBytes)} | ${openMs.toFixed(2)} ms | ${(lookupsPerSecond / 1e6).toFixed(1)} M |`,
    ),
  ].join('\n')
}

/** The standard library makes a unit of 8.5 MB from a few lines. */
const UNIT = `
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>
namespace shop {
struct Item { std::string name; long price; std::variant<int, std::string, double> note; };
std::map<std::string, std::vector<Item>> stock;
std::unordered_map<std::string, std::function<long(const Item&)>> rules;
long parse(const std::string& text) {
  std::regex pattern("([a-z]+)=([0-9]+)(,|$)");
  std::wregex wide(L"x+y*");
  long count = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at, count++)
    stock[(*at)[1]].push_back({(*at)[1], std::stol((*at)[2]), 1});
  return count;
}
long sort() {
  long sum = 0;
  for (auto& [name, items] : stock) {
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.price < b.price; });
    std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.name < b.name; });
    for (auto& item : items)
      sum += rules.count(name) ? rules[name](item)
        : std::visit([](auto& x) { std::ostringstream o; o << x; return (long)o.str().size(); }, item.note);
  }
  return sum;
}
void run() {
  std::thread t([] { auto p = std::make_shared<Item>(); rules["a"] = [p](const Item& i) { return i.price + p->price; }; });
  t.join();
}
}
`
const UNITS = 36

/** Symbols of each copy get a prefix, so that the linker keeps all of them. */
function builtFile(folder: string): string {
  const run = (program: string, ...args: string[]): void =>
    void execFileSync(program, args, { cwd: folder, stdio: 'ignore' })
  writeFileSync(join(folder, 'unit.cc'), UNIT)
  run('g++', '-std=c++17', '-O2', '-g', '-fPIC', '-c', 'unit.cc')
  const prefixes = Array.from({ length: UNITS }, (_, i) => `u${i}_`)
  for (const prefix of prefixes) run('objcopy', `--prefix-symbols=${prefix}`, 'unit.o', `${prefix}.o`)
  const handles = prefixes.map(prefix => `${prefix}__dso_handle`)
  writeFileSync(join(folder, 'handles.s'), handles.map(h => `.globl ${h}\n.hidden ${h}\n${h}: .quad 0\n`).join(''))
  run('g++', '-c', 'handles.s')
  const linked = ['handles.o', ...prefixes.map(prefix => `${prefix}.o`)]
  run('g++', '-shared', '-nostdlib', '-Wl,--unresolved-symbols=ignore-all', ...linked, '-o', 'library.so')
  run('objcopy', '--only-keep-debug', 'library.so', 'library.debug')
  return join(folder, 'library.debug')
}

if (isMainThread) {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-bench-symbols-'))
  const results: Indexed[] = []
  try {
    const given = process.argv.slice(2).filter(argument => !argument.startsWith('--'))
    for (const file of given.length === 0 ? [builtFile(folder)] : given) results.push(await measured(file))
  } finally {
    rmSync(folder, { recursive: true })
  }
  const table = tableOf(results)
  console.log(table)
  writeFigures('bench:symbols', table)
} else {
  parentPort?.postMessage(indexed(workerData as string))
}
