import { embyStand } from '../../stands/media-browser.ts'
import { mediaBrowserAdapter } from './media-browser.ts'

export default mediaBrowserAdapter('emby', embyStand)
