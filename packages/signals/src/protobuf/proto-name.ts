// The names of fields: `droppedAttributesCount` in objects and in JSON is `dropped_attributes_count` in protobuf.

export function protoName(name: string): string {
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}
