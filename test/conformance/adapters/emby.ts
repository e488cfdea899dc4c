import { startEmby } from '../../upstreams/emby.ts'
import { mediaBrowserAdapter } from './media-browser.ts'

export default mediaBrowserAdapter('/api/mediaC', startEmby)
