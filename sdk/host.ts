// What a host and its threads take from the SDK without loading the rest of it. Plugins do not import this.
export { tokenOf } from './capability.ts'
export { connectClient } from './client-signal.ts'
export { isPlayheadError, PlayheadError } from './errors.ts'
export type { PlayheadErrorCode, PlayheadErrorOptions } from './errors.ts'
export { ENTERED } from './upstream.ts'
export { createTurns } from './waiting.ts'
