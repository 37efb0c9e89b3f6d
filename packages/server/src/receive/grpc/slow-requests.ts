// Ends gRPC calls whose request does not arrive in time, as the HTTP ports do. The part that has arrived holds memory.
import type { ServerHttp2Stream } from 'node:http2'
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js'
import { status } from '@grpc/grpc-js'

/** The part of grpc-js's call that shows when the request is complete. A test fails if it changes. */
interface StreamCall {
  readonly stream: ServerHttp2Stream
}

/** Not for methods whose clients stream messages. */
export function limitArrival(call: ServerInterceptingCallInterface, timeoutMs: number): void {
  if (!hasStream(call)) return
  const { stream } = call
  const timer = setTimeout(() => {
    const details = `the request was not complete after ${timeoutMs / 1000} s`
    call.sendStatus({ code: status.DEADLINE_EXCEEDED, details })
    stream.close()
  }, timeoutMs).unref()
  for (const event of ['end', 'close']) stream.once(event, () => clearTimeout(timer))
}

function hasStream(call: object): call is StreamCall {
  return 'stream' in call && typeof call.stream === 'object' && call.stream !== null && 'close' in call.stream
}
