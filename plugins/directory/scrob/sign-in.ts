// The sign-in: address, name and API key. Nothing is stored before Scrob answered with the key as the user of that name.
import { isPlayheadError, PlayheadError, Type } from '@playhead/sdk'
import {
  type AccountContext,
  enteredFields,
  findServer,
  isElsewhere,
  providerRoutes,
  routeRow,
  saveWhenValid,
  SERVICE_ERRORS,
  signInAnswer,
  signOutRow,
} from '@playhead/sdk/provider'
import { openApi, openSession, ownerOf, type Session } from './session.ts'
import type { Profile } from './settings.ts'
import { HasUsers } from './wire.ts'

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
      ...SERVICE_ERRORS,
      400: {
        ...SERVICE_ERRORS[400],
        missing_server: 'There is no address.',
        invalid_server: 'This cannot be an address.',
        wrong_product: 'Something answers there, but it is not Scrob.',
        missing_credentials: 'The username or the key is missing.',
        other_user: 'The key is of another user.',
      },
      401: { invalid_api_key: 'Scrob does not accept the key.' },
    },
    async run({ kit, instance, profile, body }) {
      const entered = enteredFields(body, ['server', 'username', 'api_key'])
      const more = body.verify_ssl === undefined ? {} : { verify_ssl: body.verify_ssl }
      const server = await findServer(
        entered.server ?? profile.server,
        (at) => knock(kit.trial(instance, { server: at, ...more })),
        ['scrob'],
      )
      const settings = { server, user_id: 0, ...enteredFields(entered, ['api_key']), ...more }
      return saveWhenValid(kit, instance, settings, async (trial) => {
        const { api_key: key } = trial.profile
        const username = entered.username ?? profile.username
        if (username === '' || key === '')
          throw new PlayheadError('PLH_INVALID', 'Enter your username and the API key of Scrob.', {
            wire: 'missing_credentials',
          })
        const owner = await accepted(() => ownerOf(openSession(trial), username))
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

/** Without a key, because it may be another server. */
async function knock(trial: AccountContext<Profile>): Promise<void> {
  try {
    await openApi(trial, true).json({ path: 'auth/has-users' }, HasUsers)
  } catch (error) {
    if (!isElsewhere(error)) throw error
    throw new PlayheadError('PLH_INVALID', 'Something answers at this address, but it is not Scrob.', {
      wire: 'wrong_product',
    })
  }
}

async function accepted<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw isPlayheadError(error, 'PLH_AUTH_FAILED')
      ? new PlayheadError('PLH_AUTH_FAILED', 'Scrob does not accept the API key.', { wire: 'invalid_api_key' })
      : error
  }
}
