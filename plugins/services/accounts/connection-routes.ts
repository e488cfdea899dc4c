// Accounts for generic clients: connections with their health, and the sign-in steps that are the same for all
// providers.
import {
  skipSerializer,
  isPlayheadError,
  oneOf,
  orNull,
  orWhenAborted,
  PlayheadError,
  type FlowState,
  type PluginApp,
  type SignInMethod,
  Type,
  usableLimit,
} from '@playhead/sdk'
import { profileOf } from './accounts.ts'
import type { LiveProvider } from './directory.ts'
import type { Parts } from './parts.ts'
import { readLabel } from './profile-input.ts'
import { answerWithin, isWorking, targetOf } from './probes.ts'

const Text = Type.String()
const TextOrNull = orNull(Text)
const Seconds = orNull(Type.Integer({ description: 'Epoch seconds.' }))
const Usage = Type.Object(
  {
    feature: Text,
    label: Text,
    enabled: Type.Boolean(),
    pair_id: Type.Optional(Text),
    ...Object.fromEntries(
      ['role', 'route_id', 'endpoint_id', 'mapping_id', 'provider', 'instance', 'sink', 'sink_instance'].map((name) => [
        name,
        Type.Optional(Text),
      ]),
    ),
  },
  { additionalProperties: true },
)
const Profile = Type.Object({
  id: Text,
  uid: Text,
  label: Text,
  display_label: Text,
  configured: Type.Boolean(),
  status: oneOf<string>(['ok', 'degraded', 'down', 'auth_failed', 'not_configured', 'unknown']),
  connected: Type.Boolean(),
  reason_code: TextOrNull,
  reason: TextOrNull,
  user: orNull(Type.Object({ id: Text, name: Text })),
  acts_as: orNull(
    Type.Object(
      { via: Type.String({ description: 'The profile that signed in.' }), name: Text },
      { description: 'The user as whom the profile acts through the sign-in of another one.' },
    ),
  ),
  account: TextOrNull,
  latency_ms: orNull(Type.Number()),
  quota: orNull(Type.Object({ limit: orNull(Type.Number()), remaining: orNull(Type.Number()), reset_at: Seconds })),
  credential_ends_at: Seconds,
  features: Type.Record(Text, Type.Boolean()),
  checked_at: Seconds,
  used_by: Type.Array(Usage),
})
const Connections = Type.Object({
  ok: Type.Boolean(),
  generated_at: Type.Integer(),
  connections: Type.Array(
    Type.Object({ provider: Text, token: Text, label: Text, group: Text, profiles: Type.Array(Profile) }),
  ),
})
const Libraries = Type.Object({
  ok: Type.Boolean(),
  instance: Text,
  libraries: Type.Array(Type.Object({ id: Text, title: Text, kind: Text })),
  reason: TextOrNull,
})
const FlowAnswer = Type.Object({
  ok: Type.Boolean(),
  provider: Text,
  instance: Text,
  method: Text,
  status: oneOf<string>(['none', 'pending', 'authorized', 'denied', 'expired', 'failed']),
  pending: Type.Boolean(),
  configured: Type.Boolean(),
  code: TextOrNull,
  url: TextOrNull,
  paste: Type.Boolean({ description: 'The page shows a value to copy, which `paste` of the method accepts.' }),
  interval: Type.Integer({ description: 'Seconds between two polls.' }),
  expires_at: Seconds,
  reason: TextOrNull,
})
const ByProvider = Type.Object({ provider: Type.String({ maxLength: 64 }) })
const ByProfile = Type.Object({ provider: ByProvider.properties.provider, instance: Type.String({ maxLength: 64 }) })
const FlowBody = Type.Object({
  instance: Type.String({ default: 'default', maxLength: 64 }),
  method: Type.String({ maxLength: 40 }),
})

interface Flow {
  readonly Params: { readonly provider: string }
  readonly Body: { readonly instance: string; readonly method: SignInMethod }
}
interface OfProfile {
  readonly Params: { readonly provider: string; readonly instance: string }
}

const CODES = ['user_code', 'code']
const ADDRESSES = ['verification_url', 'verification_uri', 'login_url', 'authorize_url', 'auth_url']
const POLL_SECONDS = 3

export function registerConnectionRoutes(
  app: PluginApp,
  { directory, uids, usages, probes, forget, limitMs }: Parts,
): void {
  async function profilesOf(
    provider: LiveProvider,
    uidOf: (provider: string, instance: string) => string,
    fresh: boolean,
    limit: AbortSignal,
  ) {
    const { about, profiles } = provider
    return Promise.all(
      profiles.map(async (profile) => {
        const [{ health, checkedAtMs }, used] = await Promise.all([
          answerWithin(limit, probes, targetOf(provider, profile), fresh ? 'now' : 'usual'),
          orWhenAborted(
            usages.of(about.id, profile.id, { profiles }).catch(() => []),
            limit,
            [],
          ),
        ])
        const { quota } = health
        return {
          id: profile.id,
          uid: uidOf(about.id, profile.id),
          label: profile.label,
          display_label: profile.label || (profile.id === 'default' ? 'Default' : profile.id),
          configured: profile.configured,
          status: health.status,
          connected: isWorking(health),
          reason_code: health.reasonCode ?? null,
          reason: health.reason ?? null,
          user: health.user ?? null,
          acts_as: profile.actsAs === undefined ? null : { via: profile.actsAs.via, name: profile.actsAs.name },
          account: health.account ?? null,
          latency_ms: health.latencyMs ?? null,
          quota:
            quota === undefined
              ? null
              : {
                  limit: quota.limit ?? null,
                  remaining: quota.remaining ?? null,
                  reset_at: toSeconds(quota.resetAtMs),
                },
          // People need no expiry date for a sign-in that is renewed automatically.
          credential_ends_at: profile.credentialRenews === true ? null : toSeconds(profile.credentialEndsAtMs),
          features: health.features ?? {},
          checked_at: toSeconds(checkedAtMs),
          used_by: used,
        }
      }),
    )
  }

  app.get<{ Querystring: { fresh: number } }>(
    '/api/connections',
    {
      ...skipSerializer,
      schema: {
        summary: 'All accounts with their health and their usage',
        querystring: Type.Object({
          fresh: Type.Integer({ default: 0, description: 'Not 0: checks every account now.' }),
        }),
        response: { 200: Connections },
      },
    },
    async ({ query }) => {
      using limit = usableLimit(limitMs)
      const { providers, uidOf } = await uids.reconcile(directory.live)
      const connections = await Promise.all(
        providers.map(async (provider) => {
          const { id, token, label, group } = provider.about
          return {
            provider: id,
            token,
            label,
            group,
            profiles: await profilesOf(provider, uidOf, query.fresh !== 0, limit.signal),
          }
        }),
      )
      return { ok: true, generated_at: toSeconds(Date.now()), connections }
    },
  )

  app.get<OfProfile>(
    '/api/connections/:provider/:instance/libraries',
    {
      ...skipSerializer,
      schema: { summary: 'The libraries of an account', params: ByProfile, response: { 200: Libraries } },
    },
    async ({ params }) => {
      const provider = await directory.find(params.provider)
      const instance = profileOf(provider, params.instance).id
      try {
        const libraries = await provider.handle.libraries(instance)
        return {
          ok: true,
          instance,
          libraries: libraries.map(({ key, title, type }) => ({ id: key, title, kind: type })),
          reason: null,
        }
      } catch (error) {
        if (!isPlayheadError(error)) throw error
        return { ok: false, instance, libraries: [], reason: error.wire }
      }
    },
  )

  app.put<OfProfile & { Body: { readonly label: string } }>(
    '/api/connections/:provider/:instance/label',
    {
      ...skipSerializer,
      schema: {
        summary: 'Rename a profile',
        params: ByProfile,
        body: Type.Object({ label: Type.String({ maxLength: 200 }) }),
        response: { 200: Type.Object({ ok: Type.Boolean(), label: Text }) },
      },
    },
    async ({ params, body }) => {
      const provider = await directory.find(params.provider)
      const { id } = profileOf(provider, params.instance)
      const { rename } = provider.handle
      if (rename === undefined)
        throw new PlayheadError('PLH_UNSUPPORTED', `Profiles of ${provider.about.label} cannot be named.`)
      await rename(id, readLabel(body.label) ?? '')
      forget(provider.about.id)
      return {
        ok: true,
        label: (await directory.find(params.provider)).profiles.find((one) => one.id === id)?.label ?? '',
      }
    },
  )

  app.post<Flow>(
    '/api/auth/sign-in/:provider/poll',
    {
      ...skipSerializer,
      schema: {
        summary: 'Progress of a sign-in, asked at the service',
        params: ByProvider,
        body: FlowBody,
        response: { 200: FlowAnswer },
      },
    },
    async ({ params, body }) => {
      const provider = await directory.find(params.provider)
      const { id } = profileOf(provider, body.instance)
      const flow = await provider.handle.pollSignIn?.(id, body.method)
      const { configured } = profileOf(await directory.find(params.provider), body.instance)
      return answerOf(provider, id, body.method, configured, flow ?? undefined)
    },
  )

  app.post<Flow>(
    '/api/auth/sign-in/:provider/cancel',
    {
      ...skipSerializer,
      schema: {
        summary: 'Cancel a sign-in',
        params: ByProvider,
        body: FlowBody,
        response: { 200: Type.Object({ ok: Type.Boolean(), cancelled: Type.Boolean() }) },
      },
    },
    async ({ params, body }) => {
      const provider = await directory.find(params.provider)
      const { id } = profileOf(provider, body.instance)
      return { ok: true, cancelled: (await provider.handle.cancelSignIn?.(id, body.method)) ?? false }
    },
  )
}

function answerOf(
  { about }: LiveProvider,
  instance: string,
  method: SignInMethod,
  configured: boolean,
  flow: FlowState | undefined,
) {
  // After a redirect through the service's page the flow has ended: the profile is either signed in or not.
  const isBack = flow === undefined && method === 'oauth' && configured
  const status = flow?.state ?? (isBack ? 'authorized' : 'none')
  const shown = (names: readonly string[]) =>
    names.map((name) => flow?.shown[name]).find((value) => typeof value === 'string' && value !== '') ?? null
  return {
    ok: true,
    provider: about.id,
    instance,
    method,
    status,
    pending: status === 'pending',
    configured,
    code: shown(CODES),
    url: shown(ADDRESSES) ?? about.signIn.verifyUrl,
    paste: flow?.shown['paste'] === true,
    interval: flow === undefined ? POLL_SECONDS : Math.ceil(flow.intervalMs / 1_000),
    expires_at: toSeconds(flow?.expiresAtMs),
    reason: flow?.reason ?? null,
  }
}

function toSeconds(atMs: number | undefined): number | null {
  return atMs === undefined ? null : Math.floor(atMs / 1_000)
}
