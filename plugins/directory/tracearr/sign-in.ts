// The sign-in: address, key, and the person whose plays are read. Nothing is stored before Tracearr accepted the key.
import { isPlayheadError, PlayheadError, Type } from '@playhead/sdk'
import {
  type AccountContext,
  enteredFields,
  findServer,
  providerRoutes,
  routeRow,
  saveWhenValid,
  SERVICE_ERRORS,
  signInAnswer,
  signOutRow,
} from '@playhead/sdk/provider'
import { nameOf, openApi, peopleOf, type Session } from './session.ts'
import type { Profile } from './settings.ts'
import { type Person, textOf } from './wire.ts'

const MOST_NAMES = 20
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
      ...SERVICE_ERRORS,
      400: {
        ...SERVICE_ERRORS[400],
        missing_server: 'There is no address.',
        invalid_server: 'This cannot be an address.',
        wrong_product: 'Something answers there, but it is not Tracearr with a public API.',
        api_key_required: 'There is no key for this address.',
        user_required: 'Tracearr knows several people; enter whose plays are read.',
        unknown_user: 'Tracearr has no person of that name, or several.',
      },
      401: { invalid_api_key: 'Tracearr does not accept the key.' },
    },
    async run({ kit, instance, profile, body }) {
      const entered = enteredFields(body, ['server', 'api_key', 'user'])
      const more = body.verify_ssl === undefined ? {} : { verify_ssl: body.verify_ssl }
      const server = await findServer(
        entered.server ?? profile.server,
        (at) => knock(kit.trial(instance, { server: at, ...more })),
        ['tracearr'],
      )
      const settings = { server, user_id: '', ...enteredFields(entered, ['api_key']), ...more }
      return saveWhenValid(kit, instance, settings, async (trial) => {
        const { api_key: key } = trial.profile
        if (key === '')
          throw new PlayheadError('PLH_INVALID', 'Enter the API key of Tracearr.', { wire: 'api_key_required' })
        const people = await accepted(() => peopleOf(openApi(trial)))
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
  const isOne = await answer.json().then(
    () => answer.status === 401,
    () => false,
  )
  if (!isOne)
    throw new PlayheadError(
      'PLH_INVALID',
      'Something answers at this address, but it is not Tracearr with a public API.',
      { wire: 'wrong_product' },
    )
}

async function accepted<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw isPlayheadError(error, 'PLH_AUTH_FAILED')
      ? new PlayheadError('PLH_AUTH_FAILED', 'Tracearr does not accept the API key.', { wire: 'invalid_api_key' })
      : error
  }
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
