// The owner and limits of the account: the first request of a client after signing in.
import type { Context } from './context.ts'
import type { Reply } from './replies.ts'
import { iso } from './summary.ts'

/** Favourites have the same limit for every plan. */
const FAVORITES = 100

/** Settings of the website; clients must keep them. */
const BROWSING = {
  watch_popup_action: 'ask',
  hide_watching_now: false,
  other_site_ratings: true,
  release_date_ignore_runtime: false,
  display_early_ratings: false,
  hide_episode_type_tags: false,
  hide_unsaved_filters_prompt: false,
  spoilers: { episodes: 'show', shows: 'show', movies: 'show', comments: 'hide', ratings: 'show', actors: 'show' },
  calendar: {
    period: 'month',
    start_day: 'mon',
    layout: 'grid',
    image_type: 'poster',
    hide_specials: false,
    autoscroll: false,
  },
  progress: {
    on_deck: { sort_how: 'asc', refresh: false, simple_progress: false, only_favorites: false },
    watched: {
      refresh: false,
      simple_progress: false,
      include_specials: false,
      include_watchlisted: false,
      include_collected: false,
      sort_how: 'asc',
      use_last_activity: false,
      grid_view: false,
    },
  },
  watchnow: { favorites: [], only_favorites: false },
  // The string 'null', as the service documents it.
  welcome: { exit_step: 'null' },
  genres: {},
  comments: { blocked_uids: [] },
  recommendations: { ignore_collected: false, ignore_watchlisted: false },
  rewatching: { adjust_percentage: false },
  profile: {
    favorites: { sort_by: 'rank', sort_how: 'asc', tab: 'all' },
    most_watched_shows: { sort_by: 'plays', tab: 'all' },
    most_watched_movies: { sort_by: 'plays', tab: 'all' },
  },
} as const

export function readSettings({ account }: Context): Reply {
  const { username, plan, browsing, joinedAtMs } = account
  return {
    status: 200,
    json: {
      user: {
        username,
        name: username,
        private: false,
        vip: plan.vip,
        vip_ep: false,
        vip_og: false,
        vip_years: plan.vip ? 1 : 0,
        director: false,
        joined_at: iso(joinedAtMs),
        images: { avatar: { full: '' } },
        ids: { slug: username, uuid: `uuid-of-${username}` },
      },
      account: { timezone: 'Europe/Amsterdam', date_format: 'dmy', time_24hr: true },
      browsing: { ...BROWSING, watch_only_once: browsing.watchOnlyOnce },
      permissions: { commenting: true, liking: true, following: true },
      limits: {
        list: { count: plan.lists, item_count: plan.listItems },
        watchlist: { item_count: plan.watchlist },
        favorites: { item_count: FAVORITES },
      },
    },
  }
}
