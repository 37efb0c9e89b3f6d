// The functions of the demo's services: the stacks that their requests run.
import type { SimulatedBinary, Frame, Mix, Stack } from './simulation.ts'

/** Frames from texts such as `rankProducts src/search.ts:41`, root first. */
function stack(...texts: readonly string[]): Stack {
  return texts.map(frame)
}

const frames = new Map<string, Frame>()

function frame(text: string): Frame {
  let found = frames.get(text)
  if (found === undefined) {
    const space = text.lastIndexOf(' ')
    const colon = text.lastIndexOf(':')
    found = { name: text.slice(0, space), file: text.slice(space + 1, colon), line: Number(text.slice(colon + 1)) }
    frames.set(text, found)
  }
  return found
}

/** Native libraries, with build ids of the demo. */
const OPENBLAS: SimulatedBinary = {
  file: '/usr/local/lib/python3.12/site-packages/numpy.libs/libopenblas64_.so',
  buildId: '6b1f0c5d27ae49c1b8d3e0927f5a64e81c03d9b2',
}
const JVM: SimulatedBinary = {
  file: '/usr/lib/jvm/java-21/lib/server/libjvm.so',
  buildId: 'd2a57e4418c96f03ab7c2e6d9015b8f4730e6ca9',
}

/** Native code without names. */
function native(binary: SimulatedBinary, address: number): Frame {
  return { name: '', file: '', line: 0, binary, address }
}

/** The stacks below one root. */
function mix(root: Stack, ...leaves: readonly (readonly [weight: number, ...texts: string[]])[]): Mix {
  return leaves.map(([weight, ...texts]) => [weight, [...root, ...stack(...texts)]])
}

const NODE = stack('processTicksAndRejections node:internal/process/task_queues:105', 'handleRequest src/server.ts:58')
const DISTANCE = 'editDistance src/search/distance.ts:12'
export const STOREFRONT = {
  page: mix(
    NODE,
    [5, 'showProducts src/routes/products.ts:21', 'renderTemplate src/views/render.ts:40'],
    [3, 'showProducts src/routes/products.ts:21', 'stringify <anonymous>:1'],
    [1, 'readCookies src/session.ts:17'],
  ),
  search: mix(
    [...NODE, ...stack('search src/routes/search.ts:14', 'rankProducts src/search/rank.ts:33')],
    [6, DISTANCE],
    [9, DISTANCE, DISTANCE],
    [7, DISTANCE, DISTANCE, DISTANCE],
    [4, 'normalise src/search/text.ts:8'],
    [2, 'score src/search/rank.ts:71', 'exp <anonymous>:1'],
    [2, 'compareScores src/search/rank.ts:90'],
  ),
  order: mix(
    [...NODE, ...stack('placeOrder src/routes/orders.ts:30')],
    [3, 'parseOrder src/routes/orders.ts:77', 'parse <anonymous>:1'],
    [2, 'priceOf src/catalogue.ts:52'],
  ),
  account: mix(NODE, [3, 'showAccount src/routes/account.ts:18', 'renderTemplate src/views/render.ts:40']),
  fetch: stack('fetch node:internal/deps/undici/undici:13484'),
} as const

const GO = stack(
  'net/http.(*conn).serve /usr/local/go/src/net/http/server.go:2102',
  'checkout/api.(*Server).PlaceOrder /src/checkout/api/order.go:64',
)
export const CHECKOUT = {
  validate: mix(
    GO,
    [3, 'encoding/json.Unmarshal /usr/local/go/src/encoding/json/decode.go:103'],
    [
      2,
      'checkout/price.Total /src/checkout/price/total.go:31',
      'math/big.nat.mul /usr/local/go/src/math/big/nat.go:467',
    ],
    [1, 'checkout/price.(*Rules).Discount /src/checkout/price/rules.go:48'],
  ),
  reserve: mix(GO, [1, 'checkout/stock.(*Store).Reserve /src/checkout/stock/store.go:72']),
  encode: mix(
    GO,
    [
      3,
      'encoding/json.Marshal /usr/local/go/src/encoding/json/encode.go:171',
      'runtime.mallocgc /usr/local/go/src/runtime/malloc.go:1055',
    ],
    [1, 'encoding/json.Marshal /usr/local/go/src/encoding/json/encode.go:171'],
  ),
  count: mix(stack('checkout/stock.(*Store).countInventory /src/checkout/stock/inventory.go:19'), [
    1,
    'checkout/stock.(*Store).sum /src/checkout/stock/inventory.go:44',
  ]),
  lock: [
    ...GO,
    ...stack(
      'checkout/stock.(*Store).Reserve /src/checkout/stock/store.go:70',
      'sync.(*Mutex).Lock /usr/local/go/src/sync/mutex.go:46',
    ),
  ],
  query: [
    ...GO,
    ...stack(
      'database/sql.(*DB).QueryContext /usr/local/go/src/database/sql/sql.go:1728',
      'internal/poll.(*FD).Read /usr/local/go/src/internal/poll/fd_unix.go:165',
    ),
  ],
  call: [
    ...GO,
    ...stack(
      'net/http.(*persistConn).roundTrip /usr/local/go/src/net/http/transport.go:2668',
      'internal/poll.runtime_pollWait /usr/local/go/src/runtime/netpoll.go:345',
    ),
  ],
  /** A connection without a request. */
  idle: stack(
    'net/http.(*conn).serve /usr/local/go/src/net/http/server.go:2079',
    'internal/poll.runtime_pollWait /usr/local/go/src/runtime/netpoll.go:345',
  ),
  /** A request that runs. */
  running: GO,
} as const

const JAVA = stack(
  'java.lang.Thread.run Thread.java:1583',
  'com.shop.payments.PaymentResource.charge PaymentResource.java:52',
)
export const PAYMENTS = {
  sign: mix(
    [...JAVA, ...stack('com.shop.payments.Signer.sign Signer.java:31')],
    [5, 'sun.security.provider.SHA2.implCompress0 SHA2.java:182'],
    [2, 'java.math.BigInteger.oddModPow BigInteger.java:2981'],
  ),
  serialize: mix(
    JAVA,
    [3, 'com.fasterxml.jackson.databind.ObjectMapper.writeValueAsBytes ObjectMapper.java:3892'],
    [2, 'java.util.HashMap.resize HashMap.java:702'],
  ),
  cards: mix(
    stack('java.lang.Thread.run Thread.java:1583', 'com.shop.payments.CardResource.list CardResource.java:27'),
    [2, 'com.fasterxml.jackson.databind.ObjectMapper.writeValueAsBytes ObjectMapper.java:3892'],
  ),
  query: [
    ...JAVA,
    ...stack(
      'org.postgresql.core.v3.QueryExecutorImpl.execute QueryExecutorImpl.java:357',
      'java.net.SocketInputStream.socketRead SocketInputStream.java:115',
    ),
  ],
} as const

const PYTHON = stack('run_worker gunicorn/workers/gthread.py:282', 'similar recommendations/views.py:24')
const SCORE = [...PYTHON, ...stack('score_items recommendations/rank.py:41')]
const DOT = [...SCORE, ...stack('dot numpy/core/multiarray.py:741')]
/** The cost of `cosine` in the slow version is higher than in the others. */
export const RECOMMENDATIONS = {
  score: [
    ...mix(
      SCORE,
      [3, 'sorted_by_score recommendations/rank.py:66'],
      [2, 'load_features recommendations/features.py:18'],
    ),
    ...mix(DOT, [2]),
    // The library has no debug information, so that the profiler sends addresses.
    ...[0x1c_84d0, 0x1c_8512, 0x2f_03e4].map(address => [1, [...DOT, native(OPENBLAS, address)]] as const),
  ],
  cosine: mix(SCORE, [1, 'cosine_similarity recommendations/similarity.py:12', 'norm numpy/linalg/linalg.py:2583']),
  read: [...PYTHON, ...stack('get redis/client.py:1861', 'recv socket.py:714')],
} as const

export const COLLECTORS: Readonly<Record<string, Stack>> = {
  storefront: stack('(garbage collector) node:0').map(each => ({ ...each, file: '', line: 0 })),
  checkout: stack('runtime.gcMarkTermination /usr/local/go/src/runtime/mgc.go:1017'),
  payments: stack('VM_G1CollectForAllocation::doit g1VMOperations.cpp:132').map(each => ({
    ...each,
    binary: JVM,
    address: 0x7a_61f0,
  })),
  recommendations: stack('gc_collect_main gcmodule.c:1236'),
}

export const IDLE: Stack = [{ name: '(idle)', file: '', line: 0 }]
