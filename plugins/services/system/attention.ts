// Items that need attention, from all plugins and from the service itself.
import {
  type Account,
  accountLabel,
  type Attention,
  type AttentionList,
  skipSerializer,
  isPlayheadError,
  oneOf,
  orNull,
  type PluginApp,
  type PluginContext,
  PROVIDERS,
  Type,
  ATTENTION,
  ACCOUNTS,
} from '@playhead/sdk'
import { shortText } from '@playhead/sdk/items'
import { BROKEN_STATES } from './health-route.ts'
import { inTime, withLimit } from './in-time.ts'
import { isCurrent, noticeOf, pluginNotice } from './notices.ts'

const Text = Type.String()
const TextOrNull = orNull(Text)
const Severity = oneOf<Attention['severity']>(['error', 'warning', 'info'])
const Answer = Type.Object({
  ok: Type.Boolean(),
  generated_at: Type.Integer({ description: 'Epoch seconds.' }),
  count: Type.Integer(),
  by_severity: Type.Object({ error: Type.Integer(), warning: Type.Integer(), info: Type.Integer() }),
  items: Type.Array(
    Type.Object({
      id: Text,
      kind: Text,
      severity: Severity,
      title: Text,
      detail: Text,
      since: orNull(Type.Integer()),
      pair_id: TextOrNull,
      provider: TextOrNull,
      instance: TextOrNull,
      plugin: TextOrNull,
      link: TextOrNull,
      action: orNull(
        Type.Object({
          label: Text,
          path: TextOrNull,
          call: orNull(Type.Object({ method: Text, path: Text, body: orNull(Type.Record(Text, Type.Unknown())) })),
        }),
      ),
    }),
  ),
})

const DAY_MS = 86_400_000
const SOON_MS = 7 * DAY_MS
const ANSWER_MS = 8_000
/** Below the timeout of the response, so that a hanging account hides nothing else. */
const ACCOUNT_MS = 5_000
// These checks have their own items.
const COVERED = new Set(['accounts', 'pairs', 'plugins', 'database_integrity'])
const RUNNING = new Set(['active', 'dormant'])
const RANK = { error: 0, warning: 1, info: 2 }

/** @returns a function that queries all plugins, at most once at a time */
export function createAttentionList(ctx: PluginContext): AttentionList {
  const reported = inTime(async () => (await ctx.callHook(ATTENTION, {})).flat(), ANSWER_MS)
  const health = inTime(() => ctx.host.health(), ANSWER_MS)
  return {
    async open() {
      const [{ value: ofPlugins = [], isLate }, { value: facts = [], isLate: areFactsLate }] = await Promise.all([
        reported(),
        health(),
      ])
      const unwell = facts
        .filter(({ name, ok }) => !ok && !COVERED.has(name))
        .map(
          ({ name, advice }): Attention => ({
            id: `health:${name}`,
            kind: 'health',
            severity: 'warning',
            title: `Health: ${name.replaceAll('_', ' ')}`,
            detail: advice ?? 'The check failed.',
            action: { label: 'About this service', path: '/settings/about' },
          }),
        )
      const isComplete = !isLate && !areFactsLate
      const late = isComplete ? [] : [LATE]
      const items = [...ofPlugins, ...late, ...unwell, ...pluginsOf(ctx)].sort(
        (a, b) => RANK[a.severity] - RANK[b.severity],
      )
      return { items, isComplete }
    },
  }
}

export function registerAttentionRoute(app: PluginApp, list: AttentionList): void {
  app.get(
    '/api/attention',
    {
      ...skipSerializer,
      schema: { summary: 'Items that need attention, with their resolution', response: { 200: Answer } },
    },
    async () => {
      const { items } = await list.open()
      const count = (severity: Attention['severity']) => items.filter((item) => item.severity === severity).length
      return {
        ok: true,
        generated_at: Math.floor(Date.now() / 1_000),
        count: items.length,
        by_severity: { error: count('error'), warning: count('warning'), info: count('info') },
        items: items.map(shown),
      }
    },
  )
}

// A late source must not look like one without issues.
const LATE: Attention = {
  id: 'health:late',
  kind: 'health',
  severity: 'warning',
  title: 'Not everything could be checked',
  detail: `Some checks took longer than ${ANSWER_MS / 1_000} seconds. Their last results are shown.`,
  action: { label: 'About this service', path: '/settings/about' },
}

function pluginsOf({ host }: Pick<PluginContext, 'host'>): readonly Attention[] {
  return host.plugins().flatMap(({ id, name, state, error, edit, provider, notices = [] }): Attention[] => {
    const common = {
      plugin: id,
      action: {
        label: 'Show details',
        path: `/plugins/${id}`,
        call: { method: 'POST', path: `/api/plugins/${id}/reload` },
      },
    } as const
    if (BROKEN_STATES.has(state)) {
      return [
        {
          ...common,
          id: `plugin:${id}`,
          kind: 'plugin',
          severity: 'error',
          title: `${name} is not running`,
          detail: `It is ${state}${error === undefined ? '' : ` (${error})`}.`,
        },
      ]
    }
    // Those of a provider are shown for its accounts.
    const announced =
      provider === undefined && RUNNING.has(state)
        ? notices.filter((notice) => isCurrent(notice, Date.now())).map((notice) => pluginNotice(notice, { id, name }))
        : []
    if (edit === undefined) return announced
    const place = edit.file === null ? '' : ` in ${edit.file}${edit.line === null ? '' : `:${edit.line}`}`
    return [
      ...announced,
      {
        ...common,
        id: `plugin_edit:${id}`,
        kind: 'plugin_edit',
        severity: 'warning',
        title: `The last change of ${name} failed`,
        detail: `The previous version keeps running. ${edit.code}${place}: ${shortText(edit.message)}`,
        since: Math.floor(edit.atMs / 1_000),
      },
    ]
  })
}

const LATE_ACCOUNT = { status: 'down', reason: 'It did not respond in time.' } as const

/** Unreachable accounts, and sign-ins that ended or will end soon without automatic renewal. */
export async function accountsOf(ctx: Pick<PluginContext, 'tryUse' | 'log'>): Promise<readonly Attention[]> {
  const accounts = ctx.tryUse(ACCOUNTS)
  if (accounts === undefined) return []
  const labels = new Map((await accounts.providers()).map(({ id, label }) => [id, label]))
  const found = await Promise.all(
    (await accounts.list())
      .filter(({ configured }) => configured)
      .map(async (account): Promise<readonly Attention[]> => {
        const { provider, instance, label, credentialEndsAtMs, credentialRenews } = account
        const name = accountLabel(labels.get(provider) ?? provider, instance, label)
        const path = `/connections/${provider}`
        const common = { provider, instance, action: { label: 'Sign in', path } }
        const unreachable = (detail: string): Attention => ({
          provider,
          instance,
          id: `unreachable:${provider}:${instance}`,
          kind: 'unreachable',
          severity: 'error',
          title: `Cannot reach ${name}`,
          detail,
          action: { label: 'Open connection', path },
        })
        try {
          const { status, reason } = await withLimit(accounts.health(provider, instance), ACCOUNT_MS, LATE_ACCOUNT)
          if (status === 'auth_failed') {
            return [
              {
                ...common,
                id: `sign_in:${provider}:${instance}`,
                kind: 'sign_in',
                severity: 'error',
                title: `Sign in again: ${name}`,
                detail: reason ?? 'The service rejected the sign-in.',
              },
            ]
          }
          if (status === 'down')
            return [
              unreachable(
                reason === undefined
                  ? 'It is synced again as soon as it is reachable.'
                  : `${reason} It is synced again as soon as it is reachable.`,
              ),
            ]
        } catch (error) {
          ctx.log.warn(
            { provider, instance, code: isPlayheadError(error) ? error.code : 'unexpected' },
            'an account could not be checked',
          )
          return [unreachable('Playhead could not check it. See the log.')]
        }
        const notices = await noticesOf(account, name)
        if (
          credentialEndsAtMs === undefined ||
          credentialRenews === true ||
          credentialEndsAtMs > Date.now() + SOON_MS ||
          credentialEndsAtMs < Date.now() + DAY_MS
        )
          return notices
        return [
          ...notices,
          {
            ...common,
            id: `expiring:${provider}:${instance}`,
            kind: 'sign_in_expiring',
            severity: 'info',
            title: `The sign-in expires soon: ${name}`,
            detail: `It expires on ${dateOf(credentialEndsAtMs)} unless it is renewed by then.`,
          },
        ]
      }),
  )
  return found.flat()

  /** Announcements for this account. The time of its sign-in is asked only where a notice depends on it. */
  async function noticesOf({ provider, instance, notices = [] }: Account, name: string): Promise<readonly Attention[]> {
    const current = notices.filter((notice) => isCurrent(notice, Date.now()))
    const isDated = current.some(({ when }) => when?.signedInBefore !== undefined)
    const signedInAtMs = isDated
      ? await ctx
          .tryUse(PROVIDERS.of(provider))
          ?.signedInAt?.(instance)
          .catch(() => undefined)
      : undefined
    return current
      .filter(({ when }) => (signedInAtMs ?? 0) < Date.parse(when?.signedInBefore ?? '9999-12-31'))
      .map((notice) => noticeOf(notice, { provider, instance, name }, Date.now()))
  }
}

function dateOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10)
}

function shown({ since, pair_id, provider, instance, plugin, link, action, ...item }: Attention) {
  return {
    ...item,
    since: since ?? null,
    pair_id: pair_id ?? null,
    provider: provider ?? null,
    instance: instance ?? null,
    plugin: plugin ?? null,
    link: link ?? null,
    action:
      action === undefined
        ? null
        : {
            label: action.label,
            path: action.path ?? null,
            call: action.call === undefined ? null : { ...action.call, body: action.call.body ?? null },
          },
  }
}
