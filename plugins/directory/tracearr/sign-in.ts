// The sign-in: address, key, and the person whose plays are read. Nothing is stored before Tracearr accepted the key.
import { defined, PlayheadError, Type } from '@playhead/sdk'
import {
  type AccountContext,
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
import { nameOf, openApi, peopleOf, type Session } from './session.ts'
import type { Profile } from './settings.ts'
import { type Person, textOf } from './wire.ts'

const MOST_NAMES = 20
const REFUSALS = { PLH_AUTH_FAILED: { wire: 'invalid_api_key', message: 'Tracearr does not accept the API key.' } }
const Text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

export const routes = providerRoutes<Profile, Session>({
  'POST save': routeRow({
    summary: 'Connect Tracearr, as one of its people',
    body: Type.Object({
      server: Text(500),
      api_key: Text(500),
      user: Text(200),
      verify_ssl: Type.Optional(Type.Boolean()),
    }),
    response: {
      200: signInAnswer({
        server: Type.String({ description: 'The address that answered.' }),
        user: Type.String({ description: 'The name of the person.' }),
      }),
    },
    errors: {
      ...SERVER_ERRORS,
      400: {
        ...SERVER_ERRORS[400],
        api_key_required: 'There is no key for this address.',
        user_required: 'Tracearr knows several people; enter whose plays are read.',
        unknown_user: 'Tracearr has no person of that name, or several.',
      },
      401: { invalid_api_key: 'Tracearr does not accept the key.' },
    },
    async run({ kit, instance, profile, body }) {
      const entered = enteredFields(body, ['server', 'api_key', 'user'])
      const more = defined({ verify_ssl: body.verify_ssl })
      const look = (server: string) => knock(kit.trial(instance, { server, ...more }))
      const at = { product: 'Tracearr with a public API', below: ['tracearr'] }
      const server = await findServer(entered.server ?? profile.server, look, at)
      const settings = { server, user_id: '', ...enteredFields(entered, ['api_key']), ...more }
      return saveWhenValid(kit, instance, settings, async (trial) => {
        const { api_key: key } = trial.profile
        if (key === '')
          throw new PlayheadError('PLH_INVALID', 'Enter the API key of Tracearr.', { wire: 'api_key_required' })
        const people = await refusedAs(REFUSALS, () => peopleOf(openApi(trial)))
        const person = chosen(people, entered.user ?? (entered.api_key === undefined ? profile.user : ''))
        const name = nameOf(person)
        return { save: { ...settings, api_key: key, user: name, user_id: person.id }, result: { server, user: name } }
      })
    },
  }),

  'POST disconnect': signOutRow('Forget the address and the key of Tracearr'),
})

/** Without a key the public API answers 401 with JSON; a page, or another status, is another server. */
async function knock(trial: AccountContext<Profile>): Promise<void> {
  const answer = await openApi(trial, true).request({ path: 'api/v2/public/users', accept: [401] })
  await answer.json()
  if (answer.status !== 401) throw new PlayheadError('PLH_UPSTREAM_INVALID', 'An answer without a key.')
}

/** The person with this name, address or ID; without one the only person. */
function chosen(people: readonly Person[], wanted: string): Person {
  const name = wanted.toLowerCase()
  const isCalled = ({ id, username, email, accounts = [] }: Person) =>
    id === wanted ||
    [username, email, ...accounts.map((one) => one.username)].some((one) => textOf(one)?.toLowerCase() === name)
  const [only, ...more] = wanted === '' ? people : people.filter(isCalled)
  if (only !== undefined && more.length === 0) return only
  const names = people.slice(0, MOST_NAMES).map(nameOf).join(', ')
  throw wanted === ''
    ? new PlayheadError('PLH_INVALID', `Enter whose plays are read. Tracearr knows ${names || 'no people yet'}.`, {
        wire: 'user_required',
      })
    : new PlayheadError('PLH_INVALID', `Tracearr has no person, or several, called "${wanted}". It knows ${names}.`, {
        wire: 'unknown_user',
      })
}
