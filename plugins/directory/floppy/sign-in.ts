// The sign-in: address and token. Nothing is stored before Floppy answered with the token.
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
import { check, openApi, type Session } from './session.ts'
import type { Profile } from './settings.ts'
import { Info } from './wire.ts'

const REFUSALS = {
  PLH_AUTH_FAILED: { wire: 'invalid_token', message: 'Floppy does not accept the token.' },
  PLH_FORBIDDEN: { wire: 'missing_permission' },
  PLH_NOT_FOUND: {
    code: 'PLH_INVALID',
    wire: 'version_too_old',
    message: 'This Floppy is too old. Update it to one of August 2026 or later.',
  },
} as const
const Text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

export const routes = providerRoutes<Profile, Session>({
  'POST save': routeRow({
    summary: 'Connect a Floppy server',
    body: Type.Object({ server: Text(500), api_token: Text(4_000), verify_ssl: Type.Optional(Type.Boolean()) }),
    response: { 200: signInAnswer({ server: Type.String({ description: 'The address that answered.' }) }) },
    errors: {
      ...SERVER_ERRORS,
      400: {
        ...SERVER_ERRORS[400],
        token_required: 'There is no token for this address.',
        version_too_old: 'Floppy of August 2026 or later is needed.',
      },
      401: { invalid_token: 'Floppy does not accept the token.' },
      403: { missing_permission: 'The token lacks a permission.' },
    },
    async run({ kit, instance, profile, body }) {
      const entered = enteredFields(body, ['server', 'api_token'])
      const more = defined({ verify_ssl: body.verify_ssl })
      const look = (server: string) =>
        openApi(kit.trial(instance, { server, ...more }), true).json({ path: 'info/' }, Info)
      const at = { product: 'Floppy', below: ['floppy', 'yamtrack'] }
      const server = await findServer(entered.server ?? profile.server, look, at)
      const settings = { server, ...enteredFields(entered, ['api_token']), ...more }
      return saveWhenValid(kit, instance, settings, async (trial) => {
        const { api_token: token } = trial.profile
        if (token === '') throw new PlayheadError('PLH_INVALID', 'Enter a token of Floppy.', { wire: 'token_required' })
        await refusedAs(REFUSALS, () => check(openApi(trial)))
        return { save: { ...settings, api_token: token }, result: { server } }
      })
    },
  }),

  'POST disconnect': signOutRow('Forget the address and the token of a Floppy server'),
})
