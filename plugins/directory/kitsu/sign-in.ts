// The sign-in with email or user name, and password (OAuth password grant, which needs no application). The password is used once and
// not stored.
import { isPlayheadError, PlayheadError, Type } from '@playhead/sdk'
import {
  enteredFields,
  providerRoutes,
  routeRow,
  saveWhenValid,
  SERVICE_ERRORS,
  signInAnswer,
  signOutRow,
} from '@playhead/sdk/provider'
import { openApi, readUser, requestTokens } from './api.ts'
import type { Session } from './session.ts'
import type { Profile } from './settings.ts'

const REFUSED = [400, 401]

export const routes = providerRoutes<Profile, Session>({
  'POST login': routeRow({
    summary: 'Sign in to Kitsu',
    body: Type.Object({
      username: Type.Optional(Type.String({ maxLength: 200 })),
      password: Type.Optional(Type.String({ maxLength: 1_000 })),
    }),
    response: { 200: signInAnswer({ name: Type.String({ description: 'The name of the account.' }) }) },
    errors: {
      ...SERVICE_ERRORS,
      400: { ...SERVICE_ERRORS[400], missing_credentials: 'The user name or the password is missing.' },
      401: { invalid_credentials: 'Kitsu refuses the user name or the password.' },
    },
    async run({ kit, instance, profile, body }) {
      const { username = profile.username } = enteredFields(body, ['username'])
      const { password = '' } = body
      if (username === '' || password === '')
        throw new PlayheadError('PLH_INVALID', 'Enter your email or user name, and your password.', {
          wire: 'missing_credentials',
        })
      // Without the refresh token of an earlier sign-in, which may be of another person.
      const none = { access_token: '', refresh_token: '', expires_at: 0 }
      return saveWhenValid(kit, instance, none, async (trial) => {
        const tokens = await signIn(() =>
          requestTokens(trial, { grant_type: 'password', username, password }, { tries: 1 }),
        )
        const user = await readUser(openApi(kit.trial(instance, { ...tokens, refresh_token: '', expires_at: 0 })))
        return { save: { username, ...tokens, user }, result: { name: user.name } }
      })
    },
  }),
  'POST disconnect': signOutRow('Forget the sign-in of a Kitsu profile'),
})

async function signIn<Result>(request: () => Promise<Result>): Promise<Result> {
  try {
    return await request()
  } catch (error) {
    if (isPlayheadError(error) && REFUSED.includes(Number(error.details?.['status'])))
      throw new PlayheadError('PLH_AUTH_FAILED', 'Kitsu refuses the user name or the password.', {
        wire: 'invalid_credentials',
      })
    throw error
  }
}
