// Letterboxd: the newest entries of a diary, by the RSS feed of a member.
import { defineProvider, type FeatureSupport } from '@playhead/sdk/provider'
import { readHistory, readRatings } from './read.ts'
import { openSession, type Session } from './session.ts'
import { CREDENTIALS, missing, normalize, Profile } from './settings.ts'
import { routes } from './sign-in.ts'

const NOTES =
  'Only the newest 50 entries of a public diary can be read, and nothing can be written. For everything else use the export of Letterboxd with the import, and the export in the format of Letterboxd.'

const READ_ONLY = {
  read: true,
  add: false,
  update: false,
  remove: false,
  // Older entries leave the feed.
  observedDeletes: false,
} as const satisfies Partial<FeatureSupport>

export default defineProvider<typeof Profile, Session>({
  profile: Profile,
  group: 'tracker',
  vendor: 'Letterboxd',
  description: 'Reads the newest entries of a Letterboxd diary: watched movies and ratings.',
  bidirectional: false,
  features: {
    history: { ...READ_ONLY, kinds: ['movie'], plays: { read: true, write: false, removeOne: false } },
    ratings: { ...READ_ONLY, kinds: ['movie', 'show'], untimed: true },
  },
  signIn: {
    flow: 'api_keys',
    methods: ['api_key'],
    fields: [
      {
        key: 'letterboxd.username',
        label: 'Username',
        type: 'text',
        required: true,
        placeholder: 'letterboxd.com/name',
      },
    ],
    actions: { start: false, finish: true, refresh: false, disconnect: true },
    verifyUrl: null,
    notes: NOTES,
    // There is no key to enter.
    ways: [
      {
        method: 'api_key',
        kind: 'form',
        title: 'Public diary',
        help: NOTES,
        form: {
          type: 'object',
          properties: { username: { type: 'string', title: 'Username', examples: ['letterboxd.com/name'] } },
          required: ['username'],
        },
        prepare: null,
        start: { method: 'POST', path: '/api/letterboxd/save', query: ['instance'], body: ['username'] },
        poll: null,
        finish: null,
        cancel: null,
        paste: null,
        shows: { code: null, url: null },
      },
    ],
  },
  credentials: CREDENTIALS,
  missing,
  normalize,
  open: openSession,
  async probe({ feed, username }, signal) {
    feed.drop()
    const { name } = await feed.get(signal)
    return { status: 'ok', account: username, user: { id: username, name } }
  },
  read: { history: readHistory, ratings: readRatings },
  write: {},
  routes,
})
