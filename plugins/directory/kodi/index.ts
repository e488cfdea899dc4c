// Kodi: the video library of a box on the network, by its JSON-RPC API (https://kodi.wiki/view/JSON-RPC_API).
import { defineProvider, type FeatureSupport } from '@playhead/sdk/provider'
import { readPlaying, watchPlaying } from './playing.ts'
import { readFeature } from './read.ts'
import { openSession, type Session } from './session.ts'
import { CREDENTIALS, missing, normalize, Profile } from './settings.ts'
import { routes } from './sign-in.ts'
import { Permission } from './wire.ts'
import { writeFeature } from './write.ts'

const MARKS = {
  read: true,
  add: true,
  update: true,
  remove: true,
  needsAnyId: ['imdb', 'tmdb', 'tvdb'],
  maxBatch: 100,
  idempotentAdd: true,
  showsAll: true,
} as const satisfies Partial<FeatureSupport>

export default defineProvider<typeof Profile, Session>({
  profile: Profile,
  group: 'media_server',
  vendor: 'Kodi',
  description: 'Syncs watched movies and episodes, positions and ratings of a Kodi box.',
  bidirectional: true,
  features: {
    history: { ...MARKS, kinds: ['movie', 'episode'], days: 'noon', sharedTime: ['progress'] },
    progress: { ...MARKS, kinds: ['movie', 'episode'] },
    ratings: { ...MARKS, kinds: ['movie', 'show', 'episode'], untimed: true },
  },
  signIn: {
    flow: 'api_keys',
    methods: ['password'],
    fields: [
      {
        key: 'kodi.server',
        label: 'Address of Kodi',
        type: 'text',
        required: true,
        placeholder: 'http://192.168.1.20:8080',
      },
      { key: 'kodi.username', label: 'Username', type: 'text', required: false, placeholder: 'kodi' },
      { key: 'kodi.password', label: 'Password', type: 'password', required: false },
      {
        key: 'kodi.time_zone',
        label: 'Time zone of the box',
        type: 'text',
        required: false,
        placeholder: 'Europe/Berlin',
      },
    ],
    actions: { start: false, finish: true, refresh: false, disconnect: true },
    verifyUrl: null,
    notes:
      'In Kodi, open Settings, Services, Control, and switch on "Allow remote control via HTTP"; port, name and password are shown there. Leave the time zone empty unless you are asked for it.',
  },
  credentials: CREDENTIALS,
  missing,
  normalize,
  open: openSession,
  async probe(session, signal) {
    session.refresh()
    const { account, name } = await session.known.get(signal)
    const allowed = await session.rpc.call('JSONRPC.Permission', {}, Permission, signal)
    const identity = { account, user: { id: account, name } }
    return allowed['UpdateData'] === true
      ? { status: 'ok', ...identity }
      : { status: 'degraded', reasonCode: 'read_only', reason: 'Kodi permits reading only.', ...identity }
  },
  read: { history: readFeature('history'), progress: readFeature('progress'), ratings: readFeature('ratings') },
  write: { history: writeFeature('history'), progress: writeFeature('progress'), ratings: writeFeature('ratings') },
  playback: { playing: readPlaying, watch: watchPlaying },
  routes,
})
