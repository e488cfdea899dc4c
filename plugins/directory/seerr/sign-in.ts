// The sign-in: with the API key, which acts as the user that the person names, or with the person's own name and password.
// Nothing is stored before Seerr answered as that user.
import { defined, isPlayheadError, PlayheadError, Type, type UpstreamAccount } from '@playhead/sdk'
import {
  enteredFields,
  findServer,
  type ProviderKit,
  providerRoutes,
  refusedAs,
  routeRow,
  saveWhenValid,
  SERVER_ERRORS,
  signInAnswer,
  signOutRow,
} from '@playhead/sdk/provider'
import { openApi } from './api.ts'
import { usersOf } from './lists.ts'
import { createdOf, nameOf, openSession, type Session, textOf } from './session.ts'
import type { Profile } from './settings.ts'
import { PublicSettings, User } from './wire.ts'

const MOST_NAMES = 20
const Text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))
const verify = Type.Optional(Type.Boolean())

const Answer = signInAnswer({
  server: Type.String({ description: 'The address that answered.' }),
  user: Type.String({ description: 'The name of the user in Seerr.' }),
  user_id: Type.Integer(),
})
const ERRORS = { ...SERVER_ERRORS, 400: { ...SERVER_ERRORS[400], not_set_up: 'Seerr is not set up yet.' } }

type Kit = ProviderKit<Profile, Session>

export const routes = providerRoutes<Profile, Session>({
  'POST save': routeRow({
    summary: 'Connect Seerr with its API key, as one of its users',
    body: Type.Object({ server: Text(500), api_key: Text(500), user: Text(200), verify_ssl: verify }),
    response: { 200: Answer },
    errors: {
      ...ERRORS,
      400: {
        ...ERRORS[400],
        api_key_required: 'There is no key for this address.',
        user_required: 'Seerr has several users; enter whose requests these are.',
        unknown_user: 'Seerr has no such user, or several of that name.',
      },
      401: { invalid_api_key: 'Seerr does not accept the key.' },
    },
    async run({ kit, instance, profile, body }) {
      const entered = enteredFields(body, ['server', 'api_key', 'user'])
      const more = defined({ verify_ssl: body.verify_ssl })
      const server = await serverAt(kit, instance, entered.server ?? profile.server, more)
      const key = entered.api_key === undefined ? {} : { api_key: entered.api_key }
      const settings = { server, ...key, session: '', user_id: 0, user_created: '', ...more }
      return saveWhenValid(kit, instance, settings, async (trial) => {
        if (trial.profile.api_key === '')
          throw new PlayheadError('PLH_INVALID', 'Enter the API key of Seerr.', { wire: 'api_key_required' })
        const users = await refusedAs(refused('invalid_api_key', 'Seerr does not accept the API key.'), () =>
          usersOf(openApi(trial, 'admin')),
        )
        const user = chosen(users, entered.user ?? (entered.api_key === undefined ? profile.user : ''))
        const saved = { ...settings, api_key: trial.profile.api_key, ...facts(user) }
        await openSession(kit.trial(instance, saved)).me()
        return { save: saved, result: { server, user: nameOf(user), user_id: user.id } }
      })
    },
  }),

  'POST login': routeRow({
    summary: 'Sign in to Seerr with name and password',
    body: Type.Object({ server: Text(500), user: Text(200), password: Text(1_000), verify_ssl: verify }),
    response: { 200: Answer },
    errors: {
      ...ERRORS,
      400: { ...ERRORS[400], missing_credentials: 'Name or password is missing.' },
      401: { invalid_credentials: 'Seerr does not accept the name or the password.' },
    },
    async run({ kit, instance, profile, body }) {
      const entered = enteredFields(body, ['server', 'user', 'password'])
      const more = defined({ verify_ssl: body.verify_ssl })
      const { user: name, password } = entered
      if (name === undefined || password === undefined)
        throw new PlayheadError('PLH_INVALID', 'Enter name and password.', { wire: 'missing_credentials' })
      const server = await serverAt(kit, instance, entered.server ?? profile.server, more)
      const settings = { server, api_key: '', session: '', user_id: 0, user_created: '', ...more }
      return saveWhenValid(kit, instance, settings, async (trial) => {
        const session = await refusedAs(
          refused(
            'invalid_credentials',
            'Seerr does not accept the name or the password. People of Plex use the API key instead.',
          ),
          () => logIn(openApi(trial, 'anonymous'), name, password),
        )
        const signedIn = kit.trial(instance, { ...settings, session })
        const user = await openApi(signedIn, 'user').json({ path: 'auth/me' }, User)
        const saved = { ...settings, session, ...facts(user) }
        await openSession(kit.trial(instance, saved)).me()
        return { save: saved, result: { server, user: nameOf(user), user_id: user.id } }
      })
    },
  }),

  'POST disconnect': signOutRow('Forget the address and the sign-in of Seerr'),
})

const facts = (user: User) => ({ user: nameOf(user), user_id: user.id, user_created: createdOf(user) })

/** Seerr answers there, and is set up. Without a credential, because it may be another server. */
async function serverAt(kit: Kit, instance: string, entered: string, more: Partial<Profile>): Promise<string> {
  let settings: PublicSettings | undefined
  const look = async (server: string) => {
    const api = openApi(kit.trial(instance, { server, ...more }), 'anonymous')
    settings = await api.json({ path: 'settings/public' }, PublicSettings)
  }
  const server = await findServer(entered, look, { product: 'Seerr' })
  if (settings?.initialized === true) return server
  throw new PlayheadError('PLH_INVALID', 'Seerr is not set up yet. Open it in the browser first.', {
    wire: 'not_set_up',
  })
}

/** A refusal of the key, or of the name and the password. */
function refused(wire: string, message: string) {
  const refusal = { code: 'PLH_AUTH_FAILED', wire, message } as const
  return { PLH_AUTH_FAILED: refusal, PLH_FORBIDDEN: refusal }
}

/** The user with this name, address or ID; without one the only user. */
function chosen(users: readonly User[], wanted: string): User {
  const names = users.slice(0, MOST_NAMES).map(nameOf).join(', ')
  const [only, ...more] = wanted === '' ? users : users.filter((user) => isCalled(user, wanted))
  if (only !== undefined && more.length === 0) return only
  throw wanted === ''
    ? new PlayheadError('PLH_INVALID', `Enter whose requests these are. Seerr has the users ${names}.`, {
        wire: 'user_required',
      })
    : new PlayheadError(
        'PLH_INVALID',
        `Seerr has ${only === undefined ? 'no user' : 'several users'} "${wanted}". It has ${names}. An ID always works.`,
        { wire: 'unknown_user' },
      )
}

function isCalled({ id, displayName, username, email, plexUsername, jellyfinUsername }: User, wanted: string): boolean {
  const name = wanted.toLowerCase()
  return (
    String(id) === wanted ||
    [displayName, username, email, plexUsername, jellyfinUsername].some((one) => textOf(one)?.toLowerCase() === name)
  )
}

/** The session of Seerr's own users, or of those of its media server. */
async function logIn(api: UpstreamAccount, name: string, password: string): Promise<string> {
  const { localLogin, mediaServerType } = await api.json({ path: 'settings/public' }, PublicSettings)
  const ways = [
    ...(localLogin !== false && name.includes('@') ? ['local'] : []),
    ...(mediaServerType === 2 || mediaServerType === 3 ? ['jellyfin'] : []),
  ]
  let failure: unknown
  for (const way of ways.length === 0 ? ['local'] : ways) {
    try {
      const json = way === 'local' ? { email: name, password } : { username: name, password }
      const answer = await api.request({ method: 'POST', path: `auth/${way}`, json })
      await answer.json(User)
      const session = /(?:^|[\s,;])connect\.sid=([^;,\s]+)/.exec(answer.headers['set-cookie'] ?? '')?.[1]
      if (session !== undefined) return session
      throw new PlayheadError('PLH_UPSTREAM_INVALID', 'Seerr accepted the password and gave no session.')
    } catch (error) {
      failure = error
      if (!isPlayheadError(error, 'PLH_AUTH_FAILED') && !isPlayheadError(error, 'PLH_FORBIDDEN')) throw error
    }
  }
  throw failure
}
