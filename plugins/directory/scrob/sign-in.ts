// The sign-in: address, name and API key. Nothing is stored before Scrob answered with the key as the user of that name.
import { defined, PlayheadError, Type } from '@playhead/sdk'
import {
  enteredFields,
  findServer,
  providerRoutes,
  refusedAs,
  routeRow,
  saveWhenValid,
  SERVER_ERRORS,
  signInAnswer,
  signOutRow,
} from '@playhead/sdk/provider'
import { openApi, openSession, ownerOf, type Session } from './session.ts'
import type { Profile } from './settings.ts'
import { HasUsers } from './wire.ts'

const REFUSALS = { PLH_AUTH_FAILED: { wire: 'invalid_api_key', message: 'Scrob does not accept the API key.' } }
const Text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

export const routes = providerRoutes<Profile, Session>({
  'POST save': routeRow({
    summary: 'Connect a Scrob server',
    body: Type.Object({
      server: Text(500),
      username: Text(200),
      api_key: Text(500),
      verify_ssl: Type.Optional(Type.Boolean()),
    }),
    response: {
      200: signInAnswer({
        server: Type.String({ description: 'The address that answered.' }),
        name: Type.String({ description: 'The user.' }),
      }),
    },
    errors: {
      ...SERVER_ERRORS,
      400: {
        ...SERVER_ERRORS[400],
        missing_credentials: 'The username or the key is missing.',
        other_user: 'The key is of another user.',
      },
      401: { invalid_api_key: 'Scrob does not accept the key.' },
    },
    async run({ kit, instance, profile, body }) {
      const entered = enteredFields(body, ['server', 'username', 'api_key'])
      const more = defined({ verify_ssl: body.verify_ssl })
      const look = (server: string) =>
        openApi(kit.trial(instance, { server, ...more }), true).json({ path: 'auth/has-users' }, HasUsers)
      const at = { product: 'Scrob', below: ['scrob'] }
      const server = await findServer(entered.server ?? profile.server, look, at)
      const settings = { server, user_id: 0, ...enteredFields(entered, ['api_key']), ...more }
      return saveWhenValid(kit, instance, settings, async (trial) => {
        const { api_key: key } = trial.profile
        const username = entered.username ?? profile.username
        if (username === '' || key === '')
          throw new PlayheadError('PLH_INVALID', 'Enter your username and the API key of Scrob.', {
            wire: 'missing_credentials',
          })
        const owner = await refusedAs(REFUSALS, () => ownerOf(openSession(trial), username))
        if (owner === undefined)
          throw new PlayheadError('PLH_INVALID', `The key is not of the user "${username}".`, { wire: 'other_user' })
        return {
          save: { ...settings, api_key: key, username: owner.name, user_id: owner.id },
          result: { server, name: owner.name },
        }
      })
    },
  }),

  'POST disconnect': signOutRow('Forget the address and the key of a Scrob server'),
})
