// PIN sign-in: a person enters four characters at plex.tv/link while the token is polled.
import type { Session } from '../session.ts'
import { type ProviderKit, type SignInFlow, isPlayheadError, usableLimit } from '@playhead/sdk'
import { createCloud } from '../cloud.ts'
import { nameOf } from './person.ts'
import { type PlexProfile, cloudHosts } from '../settings.ts'
import { type PlexAccount, openConnection } from '../upstream.ts'
import { Pin, type User } from '../wire.ts'

export type PlexKit = ProviderKit<PlexProfile, Session>

const LIFE_S = 300
const INTERVAL_MS = 2_000
const INSPECTION_MS = 15_000
const SIGNED_IN_AS = 'signed-in-as'

export function pinFlow(kit: PlexKit, instance: string): SignInFlow {
  return {
    method: 'device_pin',
    background: true,
    async start(signal) {
      await nameClient(kit.account(instance))
      const pin = await tvOf(kit.account(instance)).json({ method: 'POST', path: '/api/v2/pins', signal }, Pin)
      const seconds = Math.max(1, Math.floor(Math.min(pin.expiresIn ?? LIFE_S, LIFE_S)))
      const expiresAtMs = Date.now() + seconds * 1_000
      return {
        shown: {
          code: pin.code,
          pin_id: pin.id,
          id: pin.id,
          expiresIn: seconds,
          expires_epoch: Math.floor(expiresAtMs / 1_000),
        },
        secret: { pinId: pin.id },
        expiresAtMs,
        intervalMs: INTERVAL_MS,
      }
    },
    async poll(secret, signal) {
      const account = kit.account(instance)
      const { pinId } = secret as { readonly pinId: number }
      const answer = await tvOf(account).request({ path: `/api/v2/pins/${pinId}`, accept: [404], signal })
      if (answer.status === 404) {
        await answer.text()
        return { state: 'expired', reason: 'expired' }
      }
      const { authToken: token } = await answer.json(Pin)
      if (!token) return { state: 'pending' }
      const user = await createCloud(account, { token: () => token, user: '/new' }).user(signal)
      signal.throwIfAborted()
      await keep(kit, instance, token, user)
      await inspect(kit, instance, signal)
      return { state: 'authorized', result: { username: nameOf(user) } }
    },
  }
}

// Data of the previous account must not be used with the new token.
async function keep(kit: PlexKit, instance: string, token: string, user: User): Promise<void> {
  const account = kit.account(instance)
  const before = await account.store.get<number>(SIGNED_IN_AS)
  const isAnother = before !== undefined && before !== user.id
  await account.save({
    account_token: token,
    pms_token: undefined,
    pms_token_server: undefined,
    username: nameOf(user),
    ...(isAnother ? { account_id: undefined, home_pin: undefined, machine_id: undefined, server_url: undefined } : {}),
  })
  if (isAnother) await account.store.clear()
  await account.store.set(SIGNED_IN_AS, user.id)
  await kit.forget(instance)
}

/** Selects the media server. The sign-in is complete even if it does not answer. */
async function inspect(kit: PlexKit, instance: string, signal: AbortSignal): Promise<void> {
  try {
    using limit = usableLimit(INSPECTION_MS, signal)
    await kit.session(instance).server(limit.signal)
  } catch (error) {
    const code = isPlayheadError(error) ? error.code : 'unexpected'
    kit.ctx.log.info({ instance, code }, 'signed in to Plex; its media server could not be checked yet')
  }
}

// A PIN is only visible to the client that requested it, so the client id is stored first.
async function nameClient(account: PlexAccount): Promise<void> {
  if (account.current().client_id === '')
    await account.save({ client_id: crypto.randomUUID().replaceAll('-', '').slice(0, 24) })
}

function tvOf(account: PlexAccount) {
  return openConnection(account, { name: 'pin', baseUrl: cloudHosts(account.profile).tv, timeoutMs: 10_000 })
}

type Settings = Readonly<Record<string, unknown>>

export async function signOut({ account, cloud }: Session, signal: AbortSignal): Promise<void> {
  const { account_token: token } = account.current()
  const { instances, ...first } = account.ctx.config as Settings & {
    readonly instances?: Readonly<Record<string, Settings>>
  }
  const profiles: readonly (readonly [string, Settings])[] = [['default', first], ...Object.entries(instances ?? {})]
  const isShared = profiles.some(([id, settings]) => id !== account.instance && settings['account_token'] === token)
  if (!isShared) await cloud.signOut(signal)
}
