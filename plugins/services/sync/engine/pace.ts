export { createPace, type Pace } from '@playhead/sdk'
