// The error while the configuration cannot be read.
import { PlayheadError } from '@playhead/sdk'

export type UnavailableReason = 'unreadable' | 'key_missing' | 'key_wrong' | 'not_loaded'

/** Thrown by every reader of an unavailable configuration; the HTTP response is 503 without the cause. */
export class ConfigUnavailableError extends PlayheadError {
  readonly reason: UnavailableReason

  constructor(reason: UnavailableReason, message: string, cause?: unknown) {
    super('PLH_NOT_READY', message, { wire: 'Service unavailable', cause })
    this.name = 'ConfigUnavailableError'
    this.reason = reason
  }
}
