// Emby for the conformance kit.
import { startEmby } from '../../upstreams/emby.ts'
import { mediaBrowserAdapter } from './media-browser.ts'

export default mediaBrowserAdapter('/api/mediaC', startEmby)
