// Writes are answered with nothing or with an empty container, which some servers send as XML whatever they are asked
// for.
import { readConfirmation, type UpstreamAnswer } from '@playhead/sdk'

const CONTAINER = /^(<\?xml[^>]*\?>\s*)?<MediaContainer\b/

/** Throws `PLH_UPSTREAM_INVALID` for the answer of somebody else. */
export function confirmed(answer: UpstreamAnswer): Promise<void> {
  return readConfirmation(answer, CONTAINER)
}
