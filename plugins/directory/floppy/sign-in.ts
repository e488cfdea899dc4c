// The sign-in: address and token. Nothing is stored before Floppy answered with the token.
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
import { check, openApi, type Session } from './session.ts'
import type { Profile } from './settings.ts'
import { Info } from './wire.ts'

const Text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

export const routes = providerRoutes<Profile, Session>({
  'POST save': routeRow({
    summary: 'Connect a Floppy server',
    body: Type.Object({ server: Text(500), api_token: Text(4_000), verify_ssl: Type.Optional(Type.Boolean()) }),
    response: { 200: signInAnswer({ server: Type.String({ description: 'The address that answered.' }) }) },
    errors: {
      ...SERVICE_ERRORS,
      400: {
        ...SERVICE_ERRORS[400],
        missing_server: 'There is no address.',
        invalid_server: 'This cannot be an address.',
        wrong_product: 'Something answers there, but it is not Floppy.',
        token_required: 'There is no token for this address.',
        version_too_old: 'Floppy of August 2026 or later is needed.',
      },
      401: { invalid_token: 'Floppy does not accept the token.' },
      403: { missing_permission: 'The token lacks a permission.' },
    },
    async run({ kit, instance, profile, body }) {
      const entered = enteredFields(body, ['server', 'api_token'])
      const more = body.verify_ssl === undefined ? {} : { verify_ssl: body.verify_ssl }
      const server = await findServer(
        entered.server ?? profile.server,
        (at) => knock(kit.trial(instance, { server: at, ...more })),
        ['floppy', 'yamtrack'],
      )
      const settings = { server, ...enteredFields(entered, ['api_token']), ...more }
      return saveWhenValid(kit, instance, settings, async (trial) => {
        const { api_token: token } = trial.profile
        if (token === '') throw new PlayheadError('PLH_INVALID', 'Enter a token of Floppy.', { wire: 'token_required' })
        await accepted(() => check(openApi(trial)))
        return { save: { ...settings, api_token: token }, result: { server } }
      })
    },
  }),

  'POST disconnect': signOutRow('Forget the address and the token of a Floppy server'),
})

/** Without a token, because it may be another server. */
async function knock(trial: AccountContext<Profile>): Promise<void> {
  try {
    await openApi(trial, true).json({ path: 'info/' }, Info)
  } catch (error) {
    if (!isElsewhere(error)) throw error
    throw new PlayheadError('PLH_INVALID', 'Something answers at this address, but it is not Floppy.', {
      wire: 'wrong_product',
    })
  }
}

async function accepted(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (isPlayheadError(error, 'PLH_AUTH_FAILED'))
      throw new PlayheadError('PLH_AUTH_FAILED', 'Floppy does not accept the token.', { wire: 'invalid_token' })
    if (isPlayheadError(error, 'PLH_FORBIDDEN'))
      throw new PlayheadError('PLH_FORBIDDEN', error.message, { wire: 'missing_permission' })
    if (isPlayheadError(error, 'PLH_NOT_FOUND'))
      throw new PlayheadError('PLH_INVALID', 'This Floppy is too old. Update it to one of August 2026 or later.', {
        wire: 'version_too_old',
      })
    throw error
  }
}
