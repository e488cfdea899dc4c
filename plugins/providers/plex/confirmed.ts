// Distinguishes responses of Plex from responses of a proxy in between.
import type { UpstreamAnswer } from '@playhead/sdk'
import { readConfirmation } from '@playhead/sdk/provider'

const CONTAINER = /^(<\?xml[^>]*\?>\s*)?<MediaContainer\b/

/** Throws `PLH_UPSTREAM_INVALID` for a response that does not come from Plex, such as that of a proxy. */
export function confirmed(answer: UpstreamAnswer): Promise<void> {
  return readConfirmation(answer, CONTAINER)
}
