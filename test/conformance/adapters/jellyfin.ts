// Jellyfin for the conformance kit, with Quick Connect.
import { jellyfinStand } from '../../stands/media-browser.ts'
import { mediaBrowserAdapter } from './media-browser.ts'

export default mediaBrowserAdapter('jellyfin', jellyfinStand)
