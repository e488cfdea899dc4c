// The Plex provider plugin: watch state of an account in the cloud and on its media server.
import { defineProvider } from '@playhead/sdk/provider'
import { migrations } from './library/table.ts'
import { lists } from './lists/lists.ts'
import { readPlaying } from './playback/playing.ts'
import { watchPlaying } from './playback/watch.ts'
import { parseWebhook, webhookSupport } from './playback/webhook.ts'
import { pictureAddress } from './library/pictures.ts'
import { users } from './sign-in/people.ts'
import { probe } from './sign-in/probe.ts'
import { readHistory } from './read/history.ts'
import { readProgress, readRatings } from './read/states.ts'
import { readWatchlist } from './read/watchlist.ts'
import { registerRoutes } from './sign-in/sign-in-routes.ts'
import { openSession } from './session.ts'
import { CREDENTIALS, libraryChoice, normalizeProfile, PlexProfile } from './settings.ts'
import { pinFlow, signOut } from './sign-in/sign-in.ts'
import { features, signIn } from './support.ts'
import { writeHistory } from './write/history.ts'
import { writeProgress } from './write/progress.ts'
import { writeRatings } from './write/ratings.ts'
import { writeWatchlist } from './write/watchlist.ts'

export default defineProvider({
  profile: PlexProfile,
  group: 'media_server',
  vendor: 'Plex',
  features,
  signIn,
  credentials: CREDENTIALS,
  missing: ({ account_token: token }) => (token === '' ? 'not_configured' : undefined),
  normalize: normalizeProfile,
  libraryChoice,
  migrations,
  open: openSession,
  probe,
  read: { watchlist: readWatchlist, history: readHistory, ratings: readRatings, progress: readProgress },
  write: { watchlist: writeWatchlist, history: writeHistory, ratings: writeRatings, progress: writeProgress },
  lists,
  playback: { playing: readPlaying, watch: watchPlaying, webhook: { ...webhookSupport, parse: parseWebhook } },
  pictures: pictureAddress,
  users,
  titlePage({ native }, { profile, account }) {
    const server = account?.split('/')[0] ?? profile.machine_id
    // An id of the cloud, as in the watchlist, has letters.
    if (server === '' || !/^\d+$/.test(native?.item_id ?? '')) return undefined
    const key = encodeURIComponent(`/library/metadata/${native!.item_id}`)
    return `https://app.plex.tv/desktop/#!/server/${encodeURIComponent(server)}/details?key=${key}`
  },
  libraries: async (session, signal) => (await session.server(signal)).sections(signal),
  signOut,
  signInFlow: (kit, instance, method) => (method === 'device_pin' ? pinFlow(kit, instance) : undefined),
  routes: registerRoutes,
})
