import { describe, expect, it } from 'vitest'
import type { FrameRow } from '../tree/frame-table.ts'
import { framesOfRows } from '../tree/frame-table.ts'
import { treeOfFolded, shown } from '../testing/tree-of.ts'
import { frameOrigin, originsIn } from './frame-origin.ts'
import { applyTransform } from './transform.ts'

const originOf = (row: FrameRow): string | undefined => frameOrigin(framesOfRows([row]), 0)

describe('frameOrigin', () => {
  it.each([
    [{ name: 'runtime.gcBgMarkWorker', type: 'go' }, 'go-runtime'],
    [{ name: 'net/http.(*conn).serve', file: '/usr/local/go/src/net/http/server.go' }, 'go-runtime'],
    [
      { name: 'github.com/gorilla/mux.(*Router).ServeHTTP', file: '/root/go/pkg/mod/github.com/gorilla/mux@v1/mux.go' },
      'go-libraries',
    ],
    [{ name: 'next', file: '/srv/node_modules/express/lib/router.js' }, 'node-libraries'],
    [{ name: 'processTicks', file: 'node:internal/process/task_queues' }, 'node-runtime'],
    [{ name: '(garbage collector)' }, 'node-runtime'],
    [{ name: 'java.util.HashMap.get', type: 'jvm' }, 'jvm-runtime'],
    [{ name: 'io/netty/channel/nio/NioEventLoop.run' }, 'jvm-libraries'],
    [{ name: 'send', file: '/venv/lib/python3.12/site-packages/requests/sessions.py' }, 'python-libraries'],
    [{ name: 'loads', file: '/usr/lib/python3.12/json/__init__.py' }, 'python-runtime'],
    [{ name: 'core::iter::Iterator::next' }, 'rust-runtime'],
    [{ name: 'poll', file: '/home/me/.cargo/registry/src/index-1/tokio-1.2.0/src/task.rs' }, 'rust-libraries'],
    [{ name: 'System.Threading.Thread.Start', type: 'dotnet' }, 'dotnet-runtime'],
    [{ name: 'memcpy', mapping: '/lib/x86_64-linux-gnu/libc.so.6' }, 'native-libraries'],
    [{ name: 'tcp_sendmsg_[k]' }, 'kernel'],
  ] satisfies [FrameRow, string][])('recognises %o', (row, origin) => {
    expect(originOf(row)).toBe(origin)
  })

  it.each([
    { name: 'main.handle', type: 'go', file: '/app/main.go' },
    { name: 'github.com/acme/shop/cart.Load', file: '/app/cart/load.go' },
    { name: 'checkout', file: '/app/src/checkout.ts' },
    { name: 'com.acme.shop.Cart.load', type: 'jvm' },
    { name: 'handle', file: '/app/shop/views.py' },
    { name: 'shop::cart::load' },
    { name: 'main', mapping: '/app/shop' },
    { name: 'java.lang', attribute: 'service.name' },
  ] satisfies FrameRow[])('takes %o for own code', row => {
    expect(originOf(row)).toBeUndefined()
  })

  it('lists the origins that occur', () => {
    const frames = framesOfRows([
      { name: 'main.a', type: 'go' },
      { name: 'read_[k]' },
      { name: 'runtime.x', type: 'go' },
    ])
    expect(originsIn(frames)).toEqual(['go-runtime', 'kernel'])
  })
})

describe('merge-origin', () => {
  it('adds the time of the frames to their callers', () => {
    const tree = treeOfFolded('app;runtime.call;handle 3\napp;read_[k] 2')
    expect(shown(applyTransform(tree, { kind: 'merge-origin', origin: 'go-runtime' }))).toEqual([
      'app 5',
      '  handle 3 self 3',
      '  read 2 self 2',
    ])
  })
})
