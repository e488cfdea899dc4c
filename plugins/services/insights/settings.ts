// Settings of home pages of other clients, which read them in the section `ui`: which parts are shown, and how many rows. The
// pages of Playhead ignore them.
import { oneOf, Type } from '@playhead/sdk'

const flag = (fallback: boolean) => Type.Boolean({ default: fallback, deprecated: true })
const Recent = {
  ...oneOf(['count:3', 'count:4', 'count:5', 'hours:24', 'hours:48', 'hours:72'], 'count:3'),
  deprecated: true,
}
const Limit = Type.Integer({ default: 3, minimum: 3, maximum: 5, deprecated: true })

export const ShownSettings = Type.Object({
  show_watchlist_preview: flag(true),
  show_playingcard: flag(true),
  show_recent_activity: flag(true),
  show_recent_history_widget: flag(true),
  show_latest_ratings_widget: flag(true),
  show_recent_scrobble_widget: flag(true),
  show_quick_add_desktop: flag(true),
  show_quick_add_mobile: flag(true),
  show_recent_progress_widget: flag(false),
  show_recent_playlists_widget: flag(false),
  recent_activity_display: Recent,
  recent_activity_limit: Limit,
  recent_syncs_display: Recent,
  recent_syncs_limit: Limit,
})
