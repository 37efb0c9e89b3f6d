import { describe, expect, test } from 'vitest'
import { nameParts, packageOf, shortNameOf, shortestNameOf, splitName } from './package-name.ts'

describe('packageOf', () => {
  test.each([
    // name, file, mapping, type, package
    ['net/http.(*conn).serve', '/usr/lib/go/src/net/http/server.go', '', '', 'net/http'],
    ['runtime.gcBgMarkWorker.func2', '/usr/lib/go/src/runtime/mgc.go', '', 'go', 'runtime'],
    ['github.com/org/repo/v2/pkg.(*T).Method', '', '', '', 'github.com/org/repo/v2/pkg'],
    ['github.com/org/repo/v2.Run', 'x.go', '', '', 'github.com/org/repo'],
    ['main.main', 'main.go', '', '', 'main'],
    ['slices.SortFunc[go.shape.[]github.com/a/b.T,go.shape.int]', 'sort.go', '', '', 'slices'],
    ['gopkg.in/yaml%2ev3.Unmarshal', 'yaml.go', '', '', 'gopkg.in/yaml.v3'],
    ['org.apache.kafka.clients.NetworkClient.poll', 'NetworkClient.java', '', '', 'org.apache.kafka'],
    ['java/lang/Thread.run', '', '', 'jvm', 'java.lang'],
    ['java.util.concurrent.ThreadPoolExecutor$Worker.run', '', '', '', 'java.util.concurrent'],
    ['parse', '/app/node_modules/@babel/parser/lib/index.js', '', '', '@babel/parser'],
    ['x', '/app/node_modules/a/node_modules/b/i.js', '', '', 'b'],
    ['x', '/app/node_modules/.pnpm/vite@8.0.0/node_modules/vite/dist/i.js', '', '', 'vite'],
    ['readFile', 'node:fs', '', '', 'node:fs'],
    ['processTicks', 'node:internal/process/task_queues', '', '', 'node:internal'],
    ['(garbage collector)', '', '', '', 'v8'],
    ['get', '/venv/lib/python3.12/site-packages/requests/sessions.py', '', '', 'requests'],
    ['load', '/usr/lib/python3/dist-packages/yaml.py', '', '', 'yaml'],
    ['loads', '/usr/lib/python3.12/json/decoder.py', '', '', 'json'],
    ['_find', '<frozen importlib._bootstrap>', '', '', 'importlib'],
    [
      'serde_json::de::from_str',
      '/root/.cargo/registry/src/index.crates.io-6f17/serde_json-1.0.2/src/de.rs',
      '',
      '',
      'serde_json',
    ],
    ['core::ptr::drop', '/rustc/abc123/library/core/src/ptr/mod.rs', '', '', 'core'],
    ['<tokio::task::Cell as core::future::Future>::poll', '', '', '', 'tokio'],
    ['std::vector<int>::push_back', '', '', '', 'std'],
    ['void v8::internal::Heap::Collect()', '', '', '', 'v8'],
    ['(anonymous namespace)::app::run()', '', '', '', 'app'],
    ['tcp_sendmsg', '', '[kernel.kallsyms]', '', 'kernel'],
    ['do_syscall_64', '', '', 'kernel', 'kernel'],
    ['checkout', '/srv/app/handlers/orders.py', '', '', 'app/handlers'],
    ['malloc', '', '/usr/lib/x86_64-linux-gnu/libc.so.6', '', 'libc'],
    ['http.Server.Serve', '', '', '', 'http'],
    ['main', '', '', '', ''],
  ])('%s in %s %s %s returns %s', (name, file, mapping, type, expected) => {
    expect(packageOf({ name, file, mapping, type })).toBe(expected)
  })
})

describe('shortNameOf and shortestNameOf', () => {
  test.each([
    ['github.com/org/repo/pkg.(*T).Method', '(*T).Method'],
    ['net/http.HandlerFunc.ServeHTTP', 'HandlerFunc.ServeHTTP'],
    ['alloc::vec::Vec<T>::push', 'Vec<T>::push'],
    ['std::map<std::string, a::b::C>::find(std::string const&) const', 'map<std::string, a::b::C>::find'],
    ['org.apache.kafka.clients.NetworkClient.poll', 'NetworkClient.poll'],
    ['json.Parse', 'json.Parse'],
    ['main', 'main'],
    ['', ''],
    ['<', '<'],
    ['a<b', 'a<b'],
  ])('%s: %s', (name, expected) => {
    expect(shortNameOf(name)).toBe(expected)
  })

  test.each([
    ['vector<std::pair<int, int>>::push_back', 'vector<…>::push_back'],
    ['<serde_json::de::Deserializer<R> as serde::de::Deserializer>::deserialize', 'deserialize'],
    ['operator<', 'operator<'],
    ['operator<<', 'operator<<'],
    ['f<a->b>', 'f<…>'],
    ['a<b', 'a<b'],
    ['<anonymous>', '<…>'],
  ])('shortest, %s: %s', (name, expected) => {
    expect(shortestNameOf(name)).toBe(expected)
  })
})

describe('splitName', () => {
  test.each([
    ['github.com/org/repo/pkg.(*T).Method', 'github.com/org/repo/pkg.', '(*T).Method'],
    ['org.apache.kafka.clients.NetworkClient.poll', 'org.apache.kafka.clients.', 'NetworkClient.poll'],
    ['std::map<K, V>::find(K const&) const', 'std::', 'map<K, V>::find(K const&) const'],
    ['main', '', 'main'],
  ])('divides %s before its class or method', (name, qualifier, method) => {
    expect(splitName(name)).toEqual([qualifier, method])
  })
})

describe('nameParts', () => {
  test.each([
    ['github.com/org/repo/pkg.(*T).Method', ['github.com/org/repo/pkg.', '(*T).', 'Method', '']],
    ['runtime.scanobject', ['', 'runtime.', 'scanobject', '']],
    ['main.serve.func1.2', ['', 'main.', 'serve.func1.2', '']],
    ['alloc::vec::Vec<T>::push', ['alloc::vec::', 'Vec<T>::', 'push', '']],
    ['java.util.HashMap.resize', ['java.util.', 'HashMap.', 'resize', '']],
    ['processTicksAndRejections', ['', '', 'processTicksAndRe', 'jections']],
    ['Object.<anonymous>', ['', 'Object.', '<anonymous>', '']],
    ['trailing.', ['', '', 'trailing.', '']],
    ['', ['', '', '', '']],
  ])('%s is shortened from left to right in %j', (name, parts) => {
    expect(nameParts(name)).toEqual(parts)
    expect(nameParts(name).join('')).toBe(name)
  })
})
