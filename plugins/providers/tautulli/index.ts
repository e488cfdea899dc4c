import { defineProvider, type ProviderDefinition, type SignInDescription, type Support } from '@playhead/sdk/provider'
import { openSession, probe, type Session } from './session.ts'
import { readHistory } from './read-history.ts'
import { routes } from './routes.ts'
import { CREDENTIALS, missing, normalize, Profile } from './settings.ts'

const FEATURES: Support = {
  history: {
    read: true,
    add: false,
    update: false,
    remove: false,
    kinds: ['movie', 'episode'],
    // Deleting a log row does not mean unwatched.
    observedDeletes: false,
    plays: { read: true, write: false, removeOne: false },
  },
}

const SIGN_IN: SignInDescription = {
  flow: 'api_keys',
  methods: ['api_key'],
  fields: [
    {
      key: 'statsA.server_url',
      label: 'Server',
      type: 'text',
      required: true,
      placeholder: 'http://192.168.1.20:8181',
    },
    { key: 'statsA.api_key', label: 'API key', type: 'password', required: true },
    { key: 'statsA.verify_ssl', label: 'Verify the certificate', type: 'bool', required: false },
    { key: 'statsA.history.user_id', label: 'User ID', type: 'text', required: false },
  ],
  actions: { start: false, finish: true, refresh: false, disconnect: true },
  verifyUrl: null,
  notes:
    'The API key is in Tautulli under Settings, Web Interface. If several people use the server, enter the ID of the user whose plays are read.',
}

const definition: ProviderDefinition<typeof Profile, Session> = {
  profile: Profile,
  group: 'other',
  vendor: 'Tautulli',
  bidirectional: false,
  features: FEATURES,
  signIn: SIGN_IN,
  credentials: CREDENTIALS,
  missing,
  normalize,
  open: openSession,
  probe,
  read: { history: readHistory },
  write: {},
  routes,
}

export default defineProvider(definition)
