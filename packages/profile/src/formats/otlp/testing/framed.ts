// Frames messages like the Collector's file exporter: each after its length in four bytes, most significant first.

export function framed(...messages: readonly Uint8Array[]): Uint8Array {
  const file = new Uint8Array(messages.reduce((size, message) => size + 4 + message.length, 0))
  const view = new DataView(file.buffer)
  let at = 0
  for (const message of messages) {
    view.setUint32(at, message.length)
    file.set(message, at + 4)
    at += 4 + message.length
  }
  return file
}
