// The TMDB account provider plugin.
import { defineProvider } from '@playhead/sdk'
import { definition } from './provider.ts'

export default defineProvider(definition)
