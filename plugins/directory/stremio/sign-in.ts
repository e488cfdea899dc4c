// The sign-in: email and password are exchanged for the key of a session, and only that is stored.
import { PlayheadError, Type } from '@playhead/sdk'
import {
  enteredFields,
  providerRoutes,
  routeRow,
  saveWhenValid,
  SERVICE_ERRORS,
  signInAnswer,
  signOutRow,
} from '@playhead/sdk/provider'
import { openApi } from './api.ts'
import type { Session } from './session.ts'
import type { Profile } from './settings.ts'

const LIMIT_MS = 30_000

export const routes = providerRoutes<Profile, Session>({
  'POST login': routeRow({
    summary: 'Sign in to Stremio',
    body: Type.Object({
      email: Type.Optional(Type.String({ maxLength: 320 })),
      password: Type.Optional(Type.String({ maxLength: 1_000 })),
    }),
    response: { 200: signInAnswer({ email: Type.String({ description: 'The account.' }) }) },
    errors: {
      ...SERVICE_ERRORS,
      400: { ...SERVICE_ERRORS[400], missing_credentials: 'Email or password is missing.' },
      401: { invalid_credentials: 'Stremio does not know this email and password.' },
    },
    run({ kit, instance, body }) {
      const { email } = enteredFields(body, ['email'])
      // Spaces may be a part of a password.
      const { password = '' } = body
      if (email === undefined || password === '')
        throw new PlayheadError('PLH_INVALID', 'Enter the email and the password of your Stremio account.', {
          wire: 'missing_credentials',
        })
      return saveWhenValid(kit, instance, {}, async (trial) => {
        const { authKey, user } = await openApi(trial).signIn(email, password, AbortSignal.timeout(LIMIT_MS))
        return { save: { email, auth_key: authKey, user_id: user._id }, result: { email } }
      })
    },
  }),
  'POST disconnect': signOutRow('Sign out of Stremio'),
})
