// Routes: test and store the key, show its state, and remove it.
import { defined, Type } from '@playhead/sdk'
import { keyRow, providerRoutes, routeRow, signOutRow } from '@playhead/sdk/provider'
import { checkKey, openUpstream, type Session } from './session.ts'
import type { Profile } from './settings.ts'

const Status = Type.Object({
  connected: Type.Boolean(),
  instance: Type.String(),
  reason: Type.Optional(Type.String({ description: 'Why it is not connected.' })),
})

export const routes = providerRoutes<Profile, Session>({
  'POST save': keyRow({
    summary: 'Save the API key of a PublicMetaDB profile',
    check: (trial) => checkKey(openUpstream(trial)),
  }),
  'GET status': routeRow({
    summary: 'Whether the API key of a PublicMetaDB profile works',
    response: { 200: Status },
    async run({ kit, instance, profile: { api_key: key } }) {
      const reason = key === '' ? 'api_key_required' : await kit.session(instance).keyProblem.get()
      return { connected: reason === undefined, ...defined({ reason }) }
    },
  }),
  'POST disconnect': signOutRow('Forget the API key of a PublicMetaDB profile'),
})
