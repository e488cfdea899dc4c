// Sends webhooks when a scheduled run starts or ends: no redirects, and private networks only if allowed. Without the
// notifications it is one attempt. The URLs are secrets.
import { isPlayheadError, type Logger, PlayheadError, type UpstreamFactory } from '@playhead/sdk'
import type { Webhooks } from '../settings.ts'

export type WebhookEvent = 'start' | 'success' | 'failure'

export interface WebhookPayload {
  readonly event: WebhookEvent
  readonly status: 'started' | 'ok' | 'failed'
  readonly run_id?: string
  readonly scheduler_mode?: string
  readonly job_id?: string
  readonly workflow_id?: string
  readonly workflow_step_id?: string
  readonly pair_id?: string
  readonly started_at?: string
  readonly finished_at?: string
  readonly duration_sec?: number
  readonly exit_code?: number
  readonly summary?: Readonly<Record<string, number>>
}

const COLORS = { start: '3498db', success: '2ecc71', failure: 'e74c3c' } as const
const TITLES = { start: 'Sync started', success: 'Sync finished', failure: 'Sync failed' } as const
const REDIRECTS = [300, 301, 302, 303, 307, 308]

/** URL of an event: its own, else the common one, else a path below the base URL. Undefined if there is none. */
export function addressOf(webhooks: Webhooks, event: WebhookEvent): string | undefined {
  const { url, base_url: base } = webhooks
  const own = webhooks[`${event}_url`]
  if (own !== '') return own
  if (url !== '') return url
  if (base === '') return undefined
  const below = new URL(base)
  const suffix = { start: '/start', success: '', failure: '/fail' }[event]
  below.pathname = `${below.pathname.replace(/\/+$/, '')}${suffix}`
  return below.href
}

/** Request body in the configured format; empty fields are left out. */
function bodyOf(payload: WebhookPayload, webhooks: Webhooks): Readonly<Record<string, unknown>> {
  const { payload_format: format, notifiarr_channel_id: channel } = webhooks
  const fields = Object.fromEntries(
    Object.entries(payload).filter(([, value]) => value !== undefined && value !== '' && value !== null),
  )
  if (format === 'plain') return fields
  const { event, summary = {} } = payload
  const shown = Object.entries({ ...fields, ...summary }).filter(([, value]) => typeof value !== 'object')
  return {
    notification: { update: false, name: 'Playhead', event: payload.run_id ?? event },
    discord: {
      color: COLORS[event],
      text: {
        title: TITLES[event],
        fields: shown.slice(0, 25).map(([title, value]) => ({ title, text: String(value), inline: true })),
      },
      ...(channel === '' ? {} : { ids: { channel } }),
    },
  }
}

export interface WebhookSender {
  /** Never throws; logs failures. */
  send(webhooks: Webhooks, payload: WebhookPayload, signal?: AbortSignal): Promise<boolean>
}

export interface SenderDependencies {
  readonly upstream: UpstreamFactory
  readonly log: Logger
}

/** One attempt, without a queue. */
export function createWebhookSender(dependencies: SenderDependencies): WebhookSender {
  return {
    async send(webhooks, payload, signal) {
      if (!webhooks.enabled || addressOf(webhooks, payload.event) === undefined) return false
      try {
        await deliverWebhook(dependencies, webhooks, payload, signal)
        return true
      } catch (error) {
        // The error text may contain the URL.
        const reason = isPlayheadError(error) ? error.wire : error instanceof Error ? error.name : 'failed'
        dependencies.log.warn({ event: payload.event, reason }, 'a webhook of the scheduling could not be sent')
        return false
      }
    },
  }
}

/** Resolves when the webhook was accepted. Throws for redirects and, unless allowed, for private addresses. */
export async function deliverWebhook(
  { upstream }: SenderDependencies,
  webhooks: Webhooks,
  payload: WebhookPayload,
  signal?: AbortSignal,
): Promise<void> {
  const address = addressOf(webhooks, payload.event)
  if (address === undefined) throw new PlayheadError('PLH_NOT_FOUND', 'The webhook has no address.')
  const target = new URL(address)
  const account = upstream.account({
    account: `scheduling-webhook-${payload.event}`,
    baseUrl: target.origin,
    timeoutMs: webhooks.timeout_seconds * 1_000,
    tries: 1,
    publicOnly: !webhooks.allow_private,
    maxBytes: 1 << 20,
    // Not sent separately: it is part of the URL, and declared so that the log excludes it.
    credential: { secrets: () => ({ path: target.pathname.slice(1) || undefined }), place: [] },
  })
  const answer = await account.request({
    method: 'POST',
    path: target.pathname,
    query: toQuery(target.searchParams),
    headers: { 'content-type': 'application/json' },
    body: toJson(bodyOf(payload, webhooks)),
    accept: REDIRECTS,
    signal,
  })
  await answer.text()
  if (answer.status >= 300)
    throw new PlayheadError('PLH_HOST_DENIED', 'The webhook was redirected, which is not followed.', {
      wire: 'redirected',
    })
}

// Channel ids exceed the safe integer range.
function toJson(body: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(body).replace(/("ids":\{"channel":)"(\d+)"(\}\}\})$/, '$1$2$3')
}

function toQuery(params: URLSearchParams): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries([...new Set(params.keys())].map((name) => [name, params.getAll(name)]))
}
