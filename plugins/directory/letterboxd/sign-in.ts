// The sign-in: only the name of a public profile.
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
import { openFeed, readFeed } from './feed.ts'
import type { Session } from './session.ts'
import { nameIn, type Profile } from './settings.ts'

const LIMIT_MS = 30_000

export const routes = providerRoutes<Profile, Session>({
  'POST save': routeRow({
    summary: 'Connect a member of Letterboxd',
    body: Type.Object({ username: Type.Optional(Type.String({ maxLength: 200 })) }),
    response: { 200: signInAnswer({ username: Type.String({ description: 'The member.' }) }) },
    errors: {
      ...SERVICE_ERRORS,
      400: { ...SERVICE_ERRORS[400], invalid_username: 'This is not a name of Letterboxd.' },
      404: { ...SERVICE_ERRORS[404], unknown_member: 'Letterboxd has no public member with this name.' },
      502: { blocked: 'Letterboxd keeps programs out at the moment.' },
    },
    run({ kit, instance, body }) {
      const username = nameIn(enteredFields(body, ['username']).username ?? '')
      if (username === undefined)
        throw new PlayheadError('PLH_INVALID', 'Enter the name in the address of the profile: letterboxd.com/name.', {
          wire: 'invalid_username',
        })
      return saveWhenValid(kit, instance, { username }, async (trial) => {
        try {
          await readFeed(openFeed(trial), username, AbortSignal.timeout(LIMIT_MS))
        } catch (error) {
          if (isPlayheadError(error) && error.details?.['reason'] === 'blocked')
            throw new PlayheadError('PLH_UPSTREAM', 'Letterboxd keeps programs out at the moment. Try again later.', {
              wire: 'blocked',
            })
          throw error
        }
        return { save: { username }, result: { username } }
      })
    },
  }),
  'POST disconnect': signOutRow('Forget a member of Letterboxd'),
})
