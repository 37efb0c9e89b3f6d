// Parameters of an address. The client package has them, because assistants read saved views too.
export type { Field, Fields } from '@hearth/client/address'
export { choice, flag, list, nested, readFields, text, texts, writeFields } from '@hearth/client/address'
