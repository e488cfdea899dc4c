// The answer to a request for something that is not there.
import { PlayheadError } from '@playhead/sdk'

export function notFound(wire: string, message: string): PlayheadError {
  return new PlayheadError('PLH_NOT_FOUND', message, { wire })
}
