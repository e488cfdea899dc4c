// The parts of the SDK for a host and its threads. Not for plugins.
export { tokenOf } from './capability.ts'
export { connectClient } from './client-signal.ts'
export { isPlayheadError, PlayheadError } from './errors.ts'
export type { PlayheadErrorCode, PlayheadErrorOptions } from './errors.ts'
export { ENTERED } from './upstream.ts'
export { createTurns } from './waiting.ts'
export { createByteList } from './webhooks/byte-list.ts'
export { RECEIVED_AT_HEADER } from './webhooks/received-at.ts'
