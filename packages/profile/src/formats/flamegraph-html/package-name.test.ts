// The guessed package of frames in several languages.
import { describe, expect, test } from 'vitest'
import { packageName } from './package-name.ts'

const nameOf = (name: string, file = '', mapping = '', kind = ''): string => packageName({ name, file, mapping, kind })

describe('packageName', () => {
  test.each([
    ['net/http.(*conn).serve', '/usr/local/go/src/net/http/server.go', 'net/http'],
    ['runtime.mallocgc', '/usr/local/go/src/runtime/malloc.go', 'runtime'],
    ['github.com/gorilla/mux.(*Router).ServeHTTP', '', 'github.com/gorilla/mux'],
    ['github.com/a/b/v2/c.Map[github.com/x/y.T].Get', 'c.go', 'github.com/a/b'],
    ['main.main', '/srv/main.go', 'main'],
    ['io/netty/channel/nio/NioEventLoop:.run', '', 'io.netty'],
    ['Lorg/mozilla/javascript/Node;::call', '', 'org.mozilla'],
    ['org.apache.kafka.clients.Client.poll', '', 'org.apache.kafka'],
    ['java.util.HashMap.get', 'HashMap.java', 'java.util'],
    ['tokio::runtime::task::poll', '/rust/tokio/src/task.rs', 'tokio'],
    ['<core::iter::Map as core::iter::Iterator>::next', '', 'core'],
    ['std::vector<int, std::allocator<int> >::push_back', '', 'std'],
    ['parse', '/srv/node_modules/@babel/core/lib/index.js', '@babel/core'],
    ['inner', '/srv/node_modules/a/node_modules/b/index.js', 'b'],
    ['read', 'node:fs', 'node'],
    ['get', '/usr/lib/python3/dist-packages/requests/api.py', 'requests'],
    ['six', '/venv/lib/python3.11/site-packages/six.py', 'six'],
    ['loads', '/usr/lib/python3.11/json/__init__.py', 'python'],
    ['call', '/usr/lib/ruby/gems/3.2.0/gems/rack-3.0.8/lib/rack.rb', 'rack'],
    ['handle', 'C:\\srv\\shop\\cart.ts', 'srv/shop'],
    ['handle', 'file:///srv/shop/cart.ts', 'srv/shop'],
  ])('of %s in %s', (name, file, expected) => {
    expect(nameOf(name, file)).toBe(expected)
  })

  test('returns the library if nothing better is known', () => {
    expect(nameOf('memcpy', '', '/usr/lib/libc.so.6')).toBe('libc.so')
    expect(nameOf('Heap::alloc', '', '/opt/jvm/libjvm.so', 'native')).toBe('libjvm.so')
    expect(nameOf('Heap::alloc', '', '', 'native')).toBe('Heap')
  })

  test('recognises the kernel by type or by file', () => {
    expect(nameOf('std::x', '/a/node_modules/b/c.js', '', 'kernel')).toBe('kernel')
    for (const file of ['[kernel.kallsyms]', '[guest.kernel.kallsyms]', 'vmlinux', '/lib/modules/6/ext4.ko.xz']) {
      expect(nameOf('do_sys_open', '', file)).toBe('kernel')
    }
  })

  test('falls back to the frame type, or to the empty string', () => {
    expect(nameOf('Interpreter', '', '', 'jit')).toBe('jit')
    expect(nameOf('main')).toBe('')
    expect(nameOf('', '')).toBe('')
  })

  test('takes linear time for very long names', () => {
    for (const part of ['a', 'a/', 'a.', '<', 'a::', '(', ':']) nameOf(part.repeat(500_000), part.repeat(500_000))
    expect(nameOf(`${'<'.repeat(500_000)}::a`)).toBe('')
  })
})
