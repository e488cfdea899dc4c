// The playlists feature of pairs, and the policy of mappings.
import { definePlugin, PLAYLIST_POLICY } from '@playhead/sdk'
import { createPlaylistPolicy } from './policy.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(PLAYLIST_POLICY, createPlaylistPolicy())
  },
})
