// The 404 response of the analyzer's routes.
import { PlayheadError } from '@playhead/sdk'

export function notFound(wire: string, message: string): PlayheadError {
  return new PlayheadError('PLH_NOT_FOUND', message, { wire })
}
