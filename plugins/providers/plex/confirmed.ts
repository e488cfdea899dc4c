// Tells an answer of Plex from one of something between it and us.
import { readConfirmation, type UpstreamAnswer } from '@playhead/sdk'

const CONTAINER = /^(<\?xml[^>]*\?>\s*)?<MediaContainer\b/

/** Throws `PLH_UPSTREAM_INVALID` for a response of something else, such as a proxy. */
export function confirmed(answer: UpstreamAnswer): Promise<void> {
  return readConfirmation(answer, CONTAINER)
}
