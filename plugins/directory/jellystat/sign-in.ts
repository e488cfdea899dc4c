// The sign-in: addresses and keys of both servers, and the user whose plays are read. Nothing is stored before both accepted.
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
import { openJellystat, openMediaServer } from './api.ts'
import { me, nameOf, openSession, type Session, usersOf } from './session.ts'
import type { Profile } from './settings.ts'
import { ServerInfo, ServerItems, type UserRow } from './wire.ts'

const MOST_NAMES = 20
const Text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

export const routes = providerRoutes<Profile, Session>({
  'POST save': routeRow({
    summary: 'Connect Jellystat and its media server, as one of its users',
    body: Type.Object({
      server: Text(500),
      api_key: Text(500),
      media_server: Text(500),
      media_key: Text(500),
      user: Text(200),
      verify_ssl: Type.Optional(Type.Boolean()),
    }),
    response: {
      200: signInAnswer({
        server: Type.String({ description: 'The address of Jellystat that answered.' }),
        media_server: Type.String({ description: 'The address of the media server that answered.' }),
        user: Type.String({ description: 'The name of the user.' }),
      }),
    },
    errors: {
      ...SERVER_ERRORS,
      400: {
        ...SERVER_ERRORS[400],
        api_key_required: 'A key is missing.',
        user_required: 'The server has several users; enter whose plays are read.',
        unknown_user: 'Jellystat has no such user, or several of that name.',
      },
      401: {
        invalid_api_key: 'Jellystat does not accept its key.',
        invalid_media_key: 'The media server does not accept its key.',
      },
    },
    async run({ kit, instance, profile, body }) {
      const entered = enteredFields(body, ['server', 'api_key', 'media_server', 'media_key', 'user'])
      const more = defined({ verify_ssl: body.verify_ssl })
      const trial = (settings: Partial<Profile>) => kit.trial(instance, { ...settings, ...more })
      const server = await findServer(entered.server ?? profile.server, (at) => knock(trial({ server: at })), {
        product: 'Jellystat',
      })
      const mediaServer = await findServer(
        entered.media_server ?? profile.media_server,
        (at) => openMediaServer(trial({ media_server: at }), true).json({ path: 'System/Info/Public' }, ServerInfo),
        { product: 'Jellyfin or Emby', below: ['jellyfin', 'emby'] },
      )
      const keys = enteredFields(entered, ['api_key', 'media_key'])
      const settings = { server, media_server: mediaServer, user_id: '', ...keys, ...more }
      return saveWhenValid(kit, instance, settings, async (account) => {
        const { api_key: key, media_key: mediaKey } = account.profile
        if (key === '' || mediaKey === '')
          throw new PlayheadError('PLH_INVALID', 'Enter a key of Jellystat and one of the media server.', {
            wire: 'api_key_required',
          })
        const users = await refusedAs(refused('invalid_api_key', 'Jellystat does not accept its API key.'), () =>
          usersOf(openJellystat(account)),
        )
        await refusedAs(refused('invalid_media_key', 'The media server does not accept its API key.'), () =>
          openMediaServer(account).json({ path: 'Items', query: { Limit: 0 } }, ServerItems),
        )
        const user = chosen(users, entered.user ?? (entered.api_key === undefined ? profile.user : ''))
        const name = nameOf(user)
        const saved = { ...settings, api_key: key, media_key: mediaKey, user: name, user_id: user.UserId }
        await me(openSession(kit.trial(instance, saved)), AbortSignal.timeout(30_000))
        return { save: saved, result: { server, media_server: mediaServer, user: name } }
      })
    },
  }),

  'POST disconnect': signOutRow('Forget the addresses and the keys of Jellystat and its media server'),
})

/** Without a key Jellystat answers 401 with a message; anything else is another server. */
async function knock(trial: AccountContext<Profile>): Promise<void> {
  const answer = await openJellystat(trial, true).request({ path: 'stats/getAllUserActivity', accept: [401] })
  const text = await answer.text()
  if (answer.status !== 401 || !/authentication failed/i.test(text))
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'Not the answer of Jellystat.')
}

/** 404: Jellystat has no keys at all. */
function refused(wire: string, message: string) {
  const refusal = { code: 'PLH_AUTH_FAILED', wire, message } as const
  return { PLH_AUTH_FAILED: refusal, PLH_NOT_FOUND: refusal }
}

/** The user with this name or ID; without one the only user. */
function chosen(users: readonly UserRow[], wanted: string): UserRow {
  const name = wanted.toLowerCase()
  const [only, ...more] =
    wanted === '' ? users : users.filter((user) => user.UserId === wanted || nameOf(user).toLowerCase() === name)
  if (only !== undefined && more.length === 0) return only
  const names = users.slice(0, MOST_NAMES).map(nameOf).join(', ')
  throw wanted === ''
    ? new PlayheadError('PLH_INVALID', `Enter whose plays are read. Jellystat has the users ${names}.`, {
        wire: 'user_required',
      })
    : new PlayheadError('PLH_INVALID', `Jellystat has no user, or several, called "${wanted}". It has ${names}.`, {
        wire: 'unknown_user',
      })
}
