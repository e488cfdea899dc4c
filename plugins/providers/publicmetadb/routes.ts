// Sign-in routes: test and store the key, show its state, and remove it.
import { defined, isMasked, isPlayheadError, isRecent, type PluginApp, Type } from '@playhead/sdk'
import {
  InstanceQuery,
  KEY_REFUSALS,
  keyCode,
  PROFILE_ERRORS,
  type ProviderKit,
  saveWhenValid,
  sendRefusal,
  SERVICE_ERRORS,
  SignInDone,
  signOutRoute,
} from '@playhead/sdk/provider'
import { openUpstream, type Session } from './session.ts'
import type { Profile } from './settings.ts'
import { Page } from './wire.ts'

const VALIDATION_MS = 12_000
const STATUS_CACHE_MS = 15_000
const Status = Type.Object({
  connected: Type.Boolean(),
  instance: Type.String(),
  reason: Type.Optional(Type.String({ description: 'Why it is not connected.' })),
})
const Entered = Type.Object({ api_key: Type.Optional(Type.Union([Type.String(), Type.Null()])) })

export function registerRoutes(app: PluginApp, kit: ProviderKit<Profile, Session>): void {
  const schema = (summary: string, more: object = {}) => ({ summary, querystring: InstanceQuery, ...more })
  const checks = new Map<string, { readonly key: string; readonly atMs: number; readonly reason: string | undefined }>()

  app.post<{ Body: typeof Entered.static }>(
    '/api/metaB/save',
    {
      schema: schema('Save the API key of a PublicMetaDB profile', {
        body: Entered,
        response: { 200: SignInDone },
        errors: { ...SERVICE_ERRORS, 200: { ...KEY_REFUSALS, api_key_required: 'The key is missing.' } },
      }),
    },
    async (request, reply) => {
      const instance = kit.instanceOf(request)
      const { api_key: entered } = request.body
      if (isMasked(entered)) {
        return kit.profile(instance).api_key === ''
          ? { ok: false, error: 'api_key_required', instance }
          : { ok: true, instance }
      }
      const key = String(entered).trim()
      try {
        return await saveWhenValid(kit, instance, { api_key: key }, async (trial) => {
          await checkKey(openUpstream(trial))
          return { save: { api_key: key }, result: { ok: true, instance } }
        })
      } catch (error) {
        return sendRefusal(reply, error, (refusal) => ({ error: keyCode(refusal), instance }))
      }
    },
  )

  app.get(
    '/api/metaB/status',
    {
      schema: schema('Whether the API key of a PublicMetaDB profile works', {
        response: { 200: Status },
        errors: PROFILE_ERRORS,
      }),
    },
    async (request) => {
      const instance = kit.instanceOf(request)
      const { api_key: key } = kit.profile(instance)
      if (key === '') return { connected: false, instance, reason: 'api_key_required' }
      const known = checks.get(instance)
      const isKnown = known !== undefined && known.key === key && isRecent(known.atMs, Date.now(), STATUS_CACHE_MS)
      const reason = isKnown ? known.reason : await check(instance)
      if (!isKnown) checks.set(instance, { key, atMs: Date.now(), reason })
      return { connected: reason === undefined, instance, ...defined({ reason }) }
    },
  )

  signOutRoute(app, kit, '/api/metaB/disconnect', 'Forget the API key of a PublicMetaDB profile')

  async function check(instance: string): Promise<string | undefined> {
    try {
      await checkKey(kit.session(instance).upstream)
      return undefined
    } catch (error) {
      if (!isPlayheadError(error)) throw error
      return keyCode(error)
    }
  }
}

/** Requests the first list; throws for an invalid key. */
async function checkKey(upstream: Session['upstream']): Promise<void> {
  await upstream.json({ path: '/lists', query: { page: 1, perPage: 1 }, timeoutMs: VALIDATION_MS }, Page)
}
